import type { ClaimedCharge } from "../../contracts/runs/task.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { CellStatus } from "./run-state.ts";

/** The charge and the usage of one element. Stored with the element, summed in the state. */
export interface Charge {
  /** Whole milli-credits, never above the node's worst case. */
  readonly milliCredits: number;
  /** In the node's unit; null if not reported. */
  readonly quantity: number | null;
}

export interface CheckedCharge {
  /** Undefined for nothing. */
  readonly charge: Charge | undefined;
  /**
   * `capped`: the claim exceeded the reservation. `refused`: the claim was negative or not a whole number; the element
   * fails. `unit`: the usage is in another unit than the node's.
   */
  readonly problem: "capped" | "refused" | "unit" | null;
}

/**
 * [E25] Returns the charge of a settled element. A reported charge counts, up to the reservation; without one, an `ok`
 * element is charged `unclaimed`, any other nothing.
 */
export function checkCharge(
  node: Pick<PlanNode, "costMilliCredits" | "costUnit">,
  status: CellStatus,
  claimed: ClaimedCharge | undefined,
  unclaimed: Charge | undefined = worstCaseCharge(node),
): CheckedCharge {
  if (claimed === undefined) {
    return { charge: status === "ok" ? unclaimed : undefined, problem: null };
  }
  const { milli_credits: milli, usage } = claimed;
  if (!isAmount(claimed)) {
    return { charge: undefined, problem: "refused" };
  }
  const isOfUnit = usage === null || usage.unit === node.costUnit;
  const charge = {
    milliCredits: Math.min(milli, node.costMilliCredits),
    quantity: isOfUnit ? (usage?.quantity ?? null) : null,
  };
  return {
    // Stored if the charge could have been higher: a missing charge means the node's full cost.
    charge: node.costMilliCredits === 0 && charge.quantity === null ? undefined : charge,
    problem: milli > node.costMilliCredits ? "capped" : isOfUnit ? null : "unit",
  };
}

/** Whether a claim is an amount; any other is refused, and its element fails. */
export function isAmount({ milli_credits: milli, usage }: ClaimedCharge): boolean {
  return Number.isSafeInteger(milli) && milli >= 0 && isQuantity(usage?.quantity ?? 0);
}

/** The charge of an element if its report claims none. */
export function worstCaseCharge({
  costMilliCredits,
}: Pick<PlanNode, "costMilliCredits">): Charge | undefined {
  return costMilliCredits === 0 ? undefined : { milliCredits: costMilliCredits, quantity: null };
}

function isQuantity(quantity: number): boolean {
  return Number.isFinite(quantity) && quantity >= 0;
}

/** A charge that follows from inputs, capped at the node's worst-case cost. Throws RangeError for an invalid amount. */
export function boundedCharge(
  node: Pick<PlanNode, "id" | "costMilliCredits">,
  { milliCredits, quantity }: Charge,
): Charge {
  if (!Number.isSafeInteger(milliCredits) || milliCredits < 0 || !isQuantity(quantity ?? 0)) {
    throw new RangeError(`node ${node.id} is charged ${milliCredits} for ${quantity}`);
  }
  return { milliCredits: Math.min(milliCredits, node.costMilliCredits), quantity };
}
