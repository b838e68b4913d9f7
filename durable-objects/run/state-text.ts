import type { NodeState, RunState } from "../../src/engine/step/run-state.ts";

/**
 * The run's state as text. It is written with every commit, so nodes are lists of numbers and not
 * objects: 500 nodes take about 10 KB.
 */
export function encodeState(state: RunState): string {
  return JSON.stringify({
    ...state,
    nodes: state.nodes.map((node) => [
      PHASES.indexOf(node.phase),
      Number.isFinite(node.total) ? node.total : UNCOUNTED,
      node.ok,
      node.failed,
      node.blocked,
      node.absent,
      node.cursor,
      ...(node.whole === null ? [] : [node.whole]),
    ]),
  });
}

export function decodeState(text: string): RunState {
  const { nodes, ...rest } = JSON.parse(text) as Omit<RunState, "nodes"> & {
    nodes: [number, number, number, number, number, number, number, NodeState["whole"]?][];
  };
  return {
    ...rest,
    nodes: nodes.map(([phase, total, ok, failed, blocked, absent, cursor, whole]) => ({
      phase: PHASES[phase] ?? "waiting",
      total: total === UNCOUNTED ? Infinity : total,
      ok,
      failed,
      blocked,
      absent,
      cursor,
      whole: whole ?? null,
    })),
  };
}

const PHASES = ["waiting", "reserving", "open", "settled"] as const;

/** A scope too large to lay out; JSON has no Infinity. */
const UNCOUNTED = -2;
