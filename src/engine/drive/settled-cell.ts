import type { PlanNode } from "../plan/plan.ts";
import { type CellFailure, NO_OUTPUTS, type ReadCell } from "../step/cells.ts";
import { checkCharge } from "../step/charge.ts";
import { joinOutputs, readOutputs } from "../values/cell-outputs.ts";
import type { DueElement } from "./equal-elements.ts";
import type { CellRow, RemovedTask, ReportedTask } from "./run-rows.ts";
import type { RunHost } from "./run-host.ts";

/** Cells of one node that have no row yet, by element. */
export interface SettledCells {
  readonly node: number;
  readonly cells: ReadonlyMap<number, CellRow>;
}

const CHARGE_REFUSED: CellFailure = {
  code: "INTERNAL_NODE_ERROR",
  message: "The node reported a charge that is not an amount. This is a fault of the service.",
};

/**
 * Converts a reported task to a settled cell. [E25] An invalid charge fails it, because the rest of such a report is
 * not reliable either.
 */
export function settledCell(
  node: PlanNode,
  { element, outcome, work }: RemovedTask & Pick<ReportedTask, "outcome" | "work">,
  host: Pick<RunHost, "onClaim">,
): CellRow {
  const { charge, problem } = checkCharge(node, outcome.kind, outcome.charge);
  if (problem !== null) {
    host.onClaim(node, element, problem);
  }
  const failure =
    problem === "refused" ? CHARGE_REFUSED : outcome.kind === "failed" ? outcome.failure : null;
  const body =
    outcome.kind === "ok" && failure === null
      ? joinOutputs(outcome.outputs)
      : JSON.stringify(failure);
  const status = failure === null ? "ok" : "failed";
  if (outcome.reused !== undefined) {
    return {
      node: node.index,
      element,
      status,
      body,
      // [E43] Whatever its report claims.
      charge: node.costMilliCredits > 0 ? { milliCredits: 0, quantity: null } : undefined,
      digests: outcome.digests,
      reused: outcome.reused,
    };
  }
  return { node: node.index, element, status, body, work, charge, digests: outcome.digests };
}

/** [E44] The cell of an element that takes the result of an equal one. */
export function equalCell(
  node: PlanNode,
  element: number,
  { body, digests, reused }: NonNullable<DueElement["result"]>,
): CellRow {
  const charge = node.costMilliCredits > 0 ? { milliCredits: 0, quantity: null } : undefined;
  return { node: node.index, element, status: "ok", body, charge, digests, reused };
}

/** Cells that have no row yet, before those of the rows. */
export function readingFirst(settled: SettledCells, read: ReadCell): ReadCell {
  return (node, element) => {
    const own = node === settled.node ? settled.cells.get(element) : undefined;
    return own === undefined
      ? read(node, element)
      : { status: own.status, outputs: own.status === "ok" ? readOutputs(own.body) : NO_OUTPUTS };
  };
}
