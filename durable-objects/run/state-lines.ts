import { nodeStateName } from "../../src/engine/events/node-state-name.ts";
import type { LoggedDelta } from "../../src/engine/events/delta-text.ts";
import type { Outline } from "../../src/engine/plan/outline.ts";

/**
 * What the log of the service says of a commit: the run's new status, and the nodes that opened or
 * ended; null for a commit that only counted. One line for both, so that a small run costs a few lines.
 */
export function stateLine(
  outline: Outline,
  { delta, seq }: LoggedDelta,
): { seq: number; status?: string; nodes: Record<string, string> } | null {
  const nodes: Record<string, string> = Object.create(null) as Record<string, string>;
  let isNews = delta.status !== null;
  for (const { index, state, isNewPhase } of delta.nodes) {
    if (isNewPhase) {
      nodes[outline.nodes[index]?.id ?? ""] = nodeStateName(state, "running");
      isNews = true;
    }
  }
  return isNews ? { seq, ...(delta.status === null ? {} : { status: delta.status }), nodes } : null;
}
