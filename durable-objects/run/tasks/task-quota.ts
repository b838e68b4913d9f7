import { TASK_WORKERS } from "../../../src/contracts/runs/task-workers.ts";

/** Tasks that a run may have with the runner at once (ARCHITECTURE.md). */
const RUN_TASKS_MAX = 64;
/** Tasks behind one queue message. */
const CHUNK_TASKS_MAX = 16;
/** Executor objects that share a workspace's tasks. */
const SLOTS_MAX = 4;
/** For a run that was admitted before plans had the figure. */
const WORKSPACE_TASKS_DEFAULT = 256;

/** The distribution of a workspace's outstanding tasks over runs and executor objects. */
export interface TaskQuota {
  /** Tasks that this run may have with the runner at once. */
  readonly runTasks: number;
  readonly chunkTasks: number;
  /** Executor objects in use. */
  readonly slots: number;
  /**
   * Tasks of the workspace that each executor object may lease. Together they exceed the plan's figure only where it is
   * below the number of Workers.
   */
  readonly slotTasks: number;
}

/**
 * The quota of a workspace whose plan allows `outstanding` tasks at once. Each executor object enforces its part by
 * itself and serves runs in turns, so that runs need no coordination.
 */
export function taskQuota(
  outstanding: number = WORKSPACE_TASKS_DEFAULT,
  workers: number = TASK_WORKERS.length,
): TaskQuota {
  const slots = Math.max(1, Math.min(SLOTS_MAX, Math.floor(outstanding / CHUNK_TASKS_MAX)));
  // Every Worker has its own objects, which do not know the leases of the others: a plan of fewer tasks than Workers has
  // one in each (docs/decisions/tasks-and-fairness.md).
  const slotTasks = Math.max(1, Math.floor(outstanding / slots / workers));
  return {
    runTasks: Math.min(RUN_TASKS_MAX, outstanding),
    chunkTasks: Math.min(CHUNK_TASKS_MAX, slotTasks),
    slots,
    slotTasks,
  };
}

/**
 * How many of `ready` tasks may be put in chunks now, when `out` are with the runner. While more are ready than there
 * is room for, only full chunks are sent, unless the last one was sent long ago (`isDue`): otherwise every report would
 * send a chunk of one, and a chunk costs a message, a call and a commit.
 */
export function tasksToQueue(quota: TaskQuota, ready: number, out: number, isDue: boolean): number {
  const room = Math.max(0, quota.runTasks - out);
  if (ready <= room || isDue) {
    return Math.min(ready, room);
  }
  return room - (room % quota.chunkTasks);
}

/** The executor object for a chunk: a run's chunks rotate over them, and runs start at different ones. */
export function slotOf(runId: string, chunk: number, slots: number): number {
  // The end of the id is random; its beginning is the time, which many runs share.
  const start = Number.parseInt(runId.slice(-4), 16);
  return ((Number.isNaN(start) ? 0 : start) + chunk) % slots;
}
