import type { RunState } from "../step/run-state.ts";
import type { RunDelta } from "./run-delta.ts";

/** The state after these deltas, in the order in which they were committed. */
export function foldDeltas(start: RunState, deltas: Iterable<RunDelta>): RunState {
  const nodes = [...start.nodes];
  let { status, stopped, progress } = start;
  for (const delta of deltas) {
    status = delta.status ?? status;
    stopped = delta.stopped ?? stopped;
    progress = delta.progress ?? progress;
    for (const { index, state } of delta.nodes) {
      nodes[index] = state;
    }
  }
  return { v: start.v, status, stopped, nodes, progress };
}
