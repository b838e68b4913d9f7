import type { PlanNode } from "../plan/plan.ts";
import type { CellFailure } from "../step/cells.ts";
import { checkCharge } from "../step/charge.ts";
import { joinOutputs } from "../values/cell-outputs.ts";
import type { CellRow, ReportedTask } from "./run-rows.ts";
import type { RunHost } from "./run-host.ts";

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
  { element, outcome, work }: ReportedTask,
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
  return { node: node.index, element, status, body, work, charge, digests: outcome.digests };
}
