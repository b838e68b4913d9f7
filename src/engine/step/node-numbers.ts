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
  /** These only in a run that takes elements over, or compares them. */
  reused?: number,
  saved?: number,
  /** -1 for null. */
  runs?: number,
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
  if (node.charged === null) {
    return [...counts, ...whole];
  }
  const { charged, used, reused, saved, runs } = node;
  return reused > 0 || runs !== null
    ? [...counts, charged, used, node.whole, reused, saved, runs ?? NOT_COUNTED]
    : [...counts, charged, used, ...whole];
}

export function fromNodeNumbers(numbers: NodeNumbers | OldNodeNumbers): NodeState {
  const [phase, total, ok, failed, blocked, absent, cursor] = numbers;
  const [charged, used, whole, reused = 0, saved = 0, runs = NOT_COUNTED] = isOld(numbers)
    ? [null, 0, numbers[7]]
    : [numbers[7], numbers[8], numbers[9], numbers[10], numbers[11], numbers[12]];
  return {
    phase: PHASES[phase] ?? "waiting",
    total: total === UNCOUNTED ? Infinity : total,
    ok,
    failed,
    blocked,
    absent,
    charged,
    used,
    reused,
    saved,
    runs: runs === NOT_COUNTED ? null : runs,
    cursor,
    whole: whole ?? null,
  };
}

function isOld(numbers: NodeNumbers | OldNodeNumbers): numbers is OldNodeNumbers {
  return numbers.length < 9;
}

/** Numbered in rows: new ones are added at the end. */
const PHASES = ["waiting", "reserving", "open", "settled", "matching"] as const;

/** In place of null, which would be as long as a number. */
const NOT_COUNTED = -1;

/** A scope too large to lay out; JSON has no Infinity. */
const UNCOUNTED = -2;
