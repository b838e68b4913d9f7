import type { CellRow } from "../drive/run-rows.ts";
import type { RunState } from "../step/run-state.ts";
import type { RunDelta, SettledRange } from "./run-delta.ts";

/**
 * Returns the changes of a commit from `before` to `after` with these newly settled cells; null if there is nothing to
 * report. Unchanged nodes are identical objects in both states.
 */
export function deltaOf(
  before: RunState,
  after: RunState,
  cells: readonly CellRow[],
  outputNodes: ReadonlySet<number>,
): RunDelta | null {
  const nodes: RunDelta["nodes"][number][] = [];
  after.nodes.forEach((state, index) => {
    const was = before.nodes[index];
    if (state !== was) {
      nodes.push({ index, state, isNewPhase: state.phase !== was?.phase });
    }
  });
  const delta: RunDelta = {
    status: after.status === before.status ? null : after.status,
    progress: after.progress === before.progress ? null : after.progress,
    stopped: after.stopped === before.stopped ? null : after.stopped,
    nodes,
    outputs: settledRanges(cells, outputNodes),
  };
  const isEmpty =
    delta.status === null &&
    delta.progress === null &&
    delta.stopped === null &&
    nodes.length === 0 &&
    delta.outputs.length === 0;
  return isEmpty ? null : delta;
}

/** By node, then by element: a slice walks all nodes at one element, so its cells alternate. */
function settledRanges(
  cells: readonly CellRow[],
  outputNodes: ReadonlySet<number>,
): SettledRange[] {
  const done: SettledRange[] = [];
  const open = new Map<number, { -readonly [K in keyof SettledRange]: SettledRange[K] }>();
  for (const { node, element, status } of cells) {
    if (!outputNodes.has(node)) {
      continue;
    }
    const range = open.get(node);
    if (range !== undefined && range.status === status && range.from + range.count === element) {
      range.count++;
      continue;
    }
    if (range !== undefined) {
      done.push(range);
    }
    open.set(node, { node, status, from: element, count: 1 });
  }
  done.push(...open.values());
  return done.toSorted((a, b) => a.node - b.node || a.from - b.from);
}
