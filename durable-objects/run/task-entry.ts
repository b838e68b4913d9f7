/** One unsettled task of a run as it lies in its element's block. */
import type { ReportedTask } from "../../src/engine/drive/run-rows.ts";

/**
 * `ready`, `leased`, `waiting` for a retry or with a token, or `reported`: its outcome waits to be taken into the state.
 * That a hint was sent for it is known in memory only.
 */
export type TaskStatus = "ready" | "leased" | "waiting" | "reported";

const STATUSES: readonly TaskStatus[] = ["ready", "leased", "waiting", "reported"];

/** Numbers of tasks that were made before they followed from their element are below this. */
const FIRST_TASK_ID = 1_000_000_000;

/** What is kept of a task that waits, or has waited, until it ends [E26]. */
export interface TaskWait {
  readonly token: string;
  /** When the first attempt that waited began. */
  readonly sinceMs: number;
  /** How often it has waited. */
  readonly waits: number;
}

export interface TaskEntry {
  readonly node: number;
  readonly element: number;
  /** What the runner knows it by. Of an element and so used once, for all its attempts. */
  readonly id: number;
  status: TaskStatus;
  attempt: number;
  fence: number;
  boot: string | null;
  /** When its lease ends, or its wait. */
  dueMs: number | null;
  /** As its row has it. */
  storedDueMs: number | null;
  /** What its attempts took together. */
  ms: number;
  outcome: ReportedTask["outcome"] | null;
  /** Key of the row that its outcome lies in, where that is not its block's. */
  outcomeRow: string | undefined;
  /** What it last waited with. */
  wait: TaskWait | null;
  /** How often it was given back [E30]. */
  givenBack: number;
}

type Text = readonly [
  node: number,
  element: number,
  status: number,
  attempt?: number,
  fence?: number,
  dueMs?: number | null,
  ms?: number,
  boot?: string | null,
  /** Or the key of its row. */
  outcome?: ReportedTask["outcome"] | string | null,
  wait?: TaskWait | null,
  /** Of a task that was made before numbers followed from elements; of any that was given back. */
  id?: number,
  givenBack?: number,
];

export function taskIdOf(node: number, element: number): number {
  return (node + 1) * FIRST_TASK_ID + element;
}

export function newTask(
  node: number,
  element: number,
  id: number = taskIdOf(node, element),
): TaskEntry {
  return {
    node,
    element,
    id,
    status: "ready",
    attempt: 0,
    fence: 0,
    boot: null,
    dueMs: null,
    storedDueMs: null,
    ms: 0,
    outcome: null,
    outcomeRow: undefined,
    wait: null,
    givenBack: 0,
  };
}

export function encodeTask(task: TaskEntry): Text {
  const { node, element, status, attempt, fence, dueMs, ms, boot, wait, id, givenBack } = task;
  const outcome = task.outcomeRow ?? task.outcome;
  task.storedDueMs = dueMs;
  const isOld = id !== taskIdOf(node, element);
  if (fence === 0 && status === "ready" && !isOld) {
    return [node, element, 0];
  }
  const lease = [node, element, STATUSES.indexOf(status), attempt, fence, dueMs, ms, boot] as const;
  if (givenBack > 0) {
    return [...lease, outcome, wait, id, givenBack];
  }
  if (isOld) {
    return [...lease, outcome, wait, id];
  }
  return outcome === null && wait === null ? lease : [...lease, outcome, wait];
}

/** Without its outcome where that lies in a row of its own. */
export function decodeTask(text: Text): TaskEntry {
  const [node, element, status, attempt = 0, fence = 0, dueMs = null, ms = 0] = text;
  const [, , , , , , , boot = null, outcome = null, wait = null, id, givenBack = 0] = text;
  return {
    ...newTask(node, element, id),
    status: STATUSES[status] ?? "ready",
    attempt,
    fence,
    dueMs,
    storedDueMs: dueMs,
    ms,
    boot,
    outcome: typeof outcome === "string" ? null : outcome,
    outcomeRow: typeof outcome === "string" ? outcome : undefined,
    wait,
    givenBack,
  };
}

/** What the run's side of the runner protocol sees of a task. */
export interface TaskRow {
  readonly id: number;
  readonly node: number;
  readonly element: number;
  readonly attempt: number;
  readonly fence: number;
  readonly boot: string | null;
  /** What it last waited with, null when it has not. */
  readonly wait: TaskWait | null;
  /** How often it was given back. */
  readonly givenBack: number;
}

/** Each lease took one fence, those of lost workers too; a wait and a give-back are no attempts. */
export function attemptsOf({ fence, wait, givenBack }: TaskEntry): number {
  return fence - (wait?.waits ?? 0) - givenBack;
}

export function toRow({
  id,
  node,
  element,
  attempt,
  fence,
  boot,
  wait,
  givenBack,
}: TaskEntry): TaskRow {
  return { id, node, element, attempt, fence, boot, wait, givenBack };
}
