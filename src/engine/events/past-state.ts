/** A run as it was after one of its commits, folded from its log. */
import type { RunState } from "../step/run-state.ts";
import type { LoggedDelta } from "./delta-text.ts";
import { foldDeltas } from "./fold-deltas.ts";

export interface PastState {
  readonly state: RunState;
  /** Number of the last entry that was folded; 0 for the run's start. */
  readonly seq: number;
  /** Whether this element of an output node had settled by then. */
  hasSettled(node: number, element: number): boolean;
}

interface Span {
  readonly from: number;
  /** The element after the last. */
  readonly to: number;
}

/**
 * Folds `entries`, the log up to a commit from its first entry on, over the state `start` of a run that has not begun.
 * The log names the settled elements of output nodes only: of other nodes it has counts.
 */
export function pastState(start: RunState, entries: Iterable<LoggedDelta>): PastState {
  const found = new Map<number, Span[]>();
  let seq = 0;
  const state = foldDeltas(start, deltas());
  const spans = new Map([...found].map(([node, list]) => [node, joined(list)]));
  return {
    state,
    seq,
    hasSettled: (node, element) => holds(spans.get(node) ?? [], element),
  };

  function* deltas() {
    for (const entry of entries) {
      ({ seq } = entry);
      for (const { node, from, count } of entry.delta.outputs) {
        const list = found.get(node) ?? [];
        list.push({ from, to: from + count });
        found.set(node, list);
      }
      yield entry.delta;
    }
  }
}

/** Ascending, with adjacent and overlapping spans joined. */
function joined(spans: readonly Span[]): readonly Span[] {
  const result: { from: number; to: number }[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
    } else {
      result.push({ from, to });
    }
  }
  return result;
}

function holds(spans: readonly Span[], element: number): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.to ?? 0) <= element) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const span = spans[low];
  return span !== undefined && span.from <= element;
}
