import type { NodeState } from "./run-state.ts";

/** A node's state as a list: the state and its log are written with every commit, and names would triple them. */
export type NodeNumbers = [
  phase: number,
  total: number,
  ok: number,
  failed: number,
  blocked: number,
  absent: number,
  cursor: number,
  whole?: NodeState["whole"],
];

export function toNodeNumbers(node: NodeState): NodeNumbers {
  const numbers: NodeNumbers = [
    PHASES.indexOf(node.phase),
    Number.isFinite(node.total) ? node.total : UNCOUNTED,
    node.ok,
    node.failed,
    node.blocked,
    node.absent,
    node.cursor,
  ];
  if (node.whole !== null) {
    numbers.push(node.whole);
  }
  return numbers;
}

export function fromNodeNumbers([
  phase,
  total,
  ok,
  failed,
  blocked,
  absent,
  cursor,
  whole,
]: NodeNumbers): NodeState {
  return {
    phase: PHASES[phase] ?? "waiting",
    total: total === UNCOUNTED ? Infinity : total,
    ok,
    failed,
    blocked,
    absent,
    cursor,
    whole: whole ?? null,
  };
}

const PHASES = ["waiting", "reserving", "open", "settled"] as const;

/** A scope too large to lay out; JSON has no Infinity. */
const UNCOUNTED = -2;
