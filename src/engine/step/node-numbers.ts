import type { NodeState } from "./run-state.ts";

/** A node's state as a list: the state and its log are written with every commit, and names would triple their size. */
export type NodeNumbers = [
  phase: number,
  total: number,
  ok: number,
  failed: number,
  blocked: number,
  absent: number,
  cursor: number,
  charged: number,
  used: number,
  whole?: NodeState["whole"],
];

/** The form before charges could vary: `whole` came after the cursor. */
export type OldNodeNumbers = [
  ...counts: [number, number, number, number, number, number, number],
  whole?: NonNullable<NodeState["whole"]>,
];

export function toNodeNumbers(node: NodeState): NodeNumbers | OldNodeNumbers {
  const counts = [
    PHASES.indexOf(node.phase),
    Number.isFinite(node.total) ? node.total : UNCOUNTED,
    node.ok,
    node.failed,
    node.blocked,
    node.absent,
    node.cursor,
  ] as const;
  const whole = node.whole === null ? ([] as const) : ([node.whole] as const);
  return node.charged === null
    ? [...counts, ...whole]
    : [...counts, node.charged, node.used, ...whole];
}

export function fromNodeNumbers(numbers: NodeNumbers | OldNodeNumbers): NodeState {
  const [phase, total, ok, failed, blocked, absent, cursor] = numbers;
  const [charged, used, whole] = isOld(numbers)
    ? [null, 0, numbers[7]]
    : [numbers[7], numbers[8], numbers[9]];
  return {
    phase: PHASES[phase] ?? "waiting",
    total: total === UNCOUNTED ? Infinity : total,
    ok,
    failed,
    blocked,
    absent,
    charged,
    used,
    cursor,
    whole: whole ?? null,
  };
}

function isOld(numbers: NodeNumbers | OldNodeNumbers): numbers is OldNodeNumbers {
  return numbers.length < 9;
}

const PHASES = ["waiting", "reserving", "open", "settled"] as const;

/** A scope too large to lay out; JSON has no Infinity. */
const UNCOUNTED = -2;
