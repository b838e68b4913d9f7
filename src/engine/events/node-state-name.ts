import type { RunStatus } from "../../contracts/runs/run.ts";
import { isTerminal } from "../../contracts/runs/run.ts";
import type { NodeTraceState } from "../../contracts/runs/trace.ts";
import type { NodeState } from "../step/run-state.ts";

/** The state of a node in the vocabulary of traces, events and logs; `status` is the run's. */
export function nodeStateName(node: NodeState, status: RunStatus): NodeTraceState {
  if (node.whole !== null) {
    return node.whole.status;
  }
  if (node.phase !== "settled") {
    if (isTerminal(status)) {
      return "cancelled";
    }
    return node.phase === "open" ? "running" : "pending";
  }
  const { ok, failed, blocked, absent } = node;
  if (failed + blocked > 0) {
    return ok > 0 ? "partial_success" : failed > 0 ? "failed" : "blocked";
  }
  // Not taken, or skipped for an absent input: this counts as success (docs/contract/executions.md#statuses).
  return ok === 0 && absent > 0 ? "skipped" : "completed";
}
