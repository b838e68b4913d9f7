import type { LoggedDelta } from "./delta-text.ts";

/** When a node opened and ended; null if it has not. */
export interface NodeSpan {
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
}

/** Adds these rows of the log to the known spans, by node. */
export function addSpans(
  known: ReadonlyMap<number, NodeSpan>,
  entries: Iterable<LoggedDelta>,
): Map<number, NodeSpan> {
  const spans = new Map(known);
  for (const { delta, atMs } of entries) {
    for (const { index, state, isNewPhase } of delta.nodes) {
      if (!isNewPhase || (state.phase !== "open" && state.phase !== "settled")) {
        continue;
      }
      const startedAtMs = spans.get(index)?.startedAtMs ?? atMs;
      spans.set(index, { startedAtMs, endedAtMs: state.phase === "settled" ? atMs : null });
    }
  }
  return spans;
}
