/** One unsettled task of a run in its element's block. */
import type { ReportedTask } from "../../../src/engine/drive/run-rows.ts";
import type { ElementPlace } from "../../../src/engine/step/cells.ts";

/**
 * `ready`, `leased`, `waiting` for a retry or with a token, `reported`: its outcome is not yet part of the state,
 * `equal`: it waits for the result of another element [E44], or `asked`: it is looked up in the result cache [E47]. Sent hints
 * are recorded in memory only, and so is that the cache has no result: after a restart it is asked again.
 */
export type TaskStatus = "ready" | "leased" | "waiting" | "reported" | "equal" | "asked";

/** Older code takes a status that it does not know for `ready`. */
const STATUSES: readonly TaskStatus[] = [
  "ready",
  "leased",
  "waiting",
  "reported",
  "equal",
  "asked",
];

/** Numbers of tasks from before they followed from their element are below this. */
const FIRST_TASK_ID = 1_000_000_000;

/** The data of a task that waits, or has waited, stored until it ends [E26]. */
export interface TaskWait {
  readonly token: string;
  /** Start of its first attempt that waited. */
  readonly sinceMs: number;
  /** Number of its waits. */
  readonly waits: number;
  /** Since when it waits for its turn, if it does: it can be resumed at any time, and its time limit does not run. */
  readonly queuedAtMs?: number;
}

export interface TaskEntry {
  readonly node: number;
  readonly element: number;
  /** The runner's id of the task. Derived from its element and so unique for all its attempts. */
  readonly id: number;
  status: TaskStatus;
  attempt: number;
  fence: number;
  boot: string | null;
  /** End of its lease or of its wait. */
  dueMs: number | null;
  /** As stored in its row. */
  storedDueMs: number | null;
  /** Total time of its attempts. */
  ms: number;
  outcome: ReportedTask["outcome"] | null;
  /** Key of the row with its outcome, if that is not its block's row. */
  outcomeRow: string | undefined;
  /** The token of its last wait. */
  wait: TaskWait | null;
  /** How often it was given back [E30]. */
  givenBack: number;
  /** The element whose result it waits for. */
  equalTo: ElementPlace | null;
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
  /** For a task from before numbers followed from elements, and for any that was given back. */
  id?: number,
  givenBack?: number,
  equalNode?: number,
  equalElement?: number,
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
    equalTo: null,
  };
}

export function encodeTask(task: TaskEntry): Text {
  const { node, element, status, attempt, fence, dueMs, ms, boot, wait, id, givenBack } = task;
  const outcome = task.outcomeRow ?? task.outcome;
  task.storedDueMs = dueMs;
  const isOld = id !== taskIdOf(node, element);
  if (fence === 0 && (status === "ready" || status === "asked") && !isOld) {
    return [node, element, STATUSES.indexOf(status)];
  }
  const lease = [node, element, STATUSES.indexOf(status), attempt, fence, dueMs, ms, boot] as const;
  if (task.equalTo !== null) {
    return [...lease, null, null, id, givenBack, task.equalTo.node, task.equalTo.element];
  }
  if (givenBack > 0) {
    return [...lease, outcome, wait, id, givenBack];
  }
  if (isOld) {
    return [...lease, outcome, wait, id];
  }
  return outcome === null && wait === null ? lease : [...lease, outcome, wait];
}

/** Without its outcome if that has its own row. */
export function decodeTask(text: Text): TaskEntry {
  const [node, element, status, attempt = 0, fence = 0, dueMs = null, ms = 0] = text;
  const [, , , , , , , boot = null, outcome = null, wait = null, id, givenBack = 0] = text;
  const [equalNode, equalElement] = text.slice(12) as [number?, number?];
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
    equalTo:
      equalNode === undefined || equalElement === undefined
        ? null
        : { node: equalNode, element: equalElement },
  };
}

/** A task as the run's side of the runner protocol sees it. */
export interface TaskRow {
  readonly id: number;
  readonly node: number;
  readonly element: number;
  readonly attempt: number;
  readonly fence: number;
  readonly boot: string | null;
  /** The token of its last wait, null if it has not waited. */
  readonly wait: TaskWait | null;
  /** How often it was given back. */
  readonly givenBack: number;
}

/** Each lease took one fence, including lost workers; a wait and a give-back are not attempts. */
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
