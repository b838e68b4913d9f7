import type { ClaimedCharge } from "../../contracts/task.ts";
import type { PlanNode } from "../plan/plan.ts";
import type { CellStatus } from "./run-state.ts";

/** What one element is charged, and what it used. Kept with the element, summed in the state. */
export interface Charge {
  /** Whole milli-credits, never above the node's worst case. */
  readonly milliCredits: number;
  /** In the node's unit; null where nobody said. */
  readonly quantity: number | null;
}

export interface CheckedCharge {
  /** Undefined for nothing. */
  readonly charge: Charge | undefined;
  /**
   * `capped`: more was claimed than was reserved. `refused`: less than nothing was claimed, or no
   * whole number; the element fails. `unit`: the usage is in a unit that is not the node's.
   */
  readonly problem: "capped" | "refused" | "unit" | null;
}

/**
 * [E25] What a settled element is charged. What its report claims counts, up to what was reserved for
 * it; without a claim an `ok` element is charged `unclaimed`, any other nothing.
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
  if (!Number.isSafeInteger(milli) || milli < 0 || !isQuantity(usage?.quantity ?? 0)) {
    return { charge: undefined, problem: "refused" };
  }
  const isOfUnit = usage === null || usage.unit === node.costUnit;
  const charge = {
    milliCredits: Math.min(milli, node.costMilliCredits),
    quantity: isOfUnit ? (usage?.quantity ?? null) : null,
  };
  return {
    // Kept where it could have been more: what is not kept is taken for the node's whole cost.
    charge: node.costMilliCredits === 0 && charge.quantity === null ? undefined : charge,
    problem: milli > node.costMilliCredits ? "capped" : isOfUnit ? null : "unit",
  };
}

/** What an element of a node is charged when nobody says otherwise. */
export function worstCaseCharge({
  costMilliCredits,
}: Pick<PlanNode, "costMilliCredits">): Charge | undefined {
  return costMilliCredits === 0 ? undefined : { milliCredits: costMilliCredits, quantity: null };
}

function isQuantity(quantity: number): boolean {
  return Number.isFinite(quantity) && quantity >= 0;
}

/** A charge that follows from inputs, kept within the node's worst case. Throws RangeError for no amount. */
export function boundedCharge(
  node: Pick<PlanNode, "id" | "costMilliCredits">,
  { milliCredits, quantity }: Charge,
): Charge {
  if (!Number.isSafeInteger(milliCredits) || milliCredits < 0 || !isQuantity(quantity ?? 0)) {
    throw new RangeError(`node ${node.id} is charged ${milliCredits} for ${quantity}`);
  }
  return { milliCredits: Math.min(milliCredits, node.costMilliCredits), quantity };
}
