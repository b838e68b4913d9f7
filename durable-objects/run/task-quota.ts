import { TASK_WORKERS } from "../../src/contracts/task-workers.ts";

/** Tasks a run may have with the runner at once (ARCHITECTURE.md). */
const RUN_TASKS_MAX = 64;
/** Tasks behind one queue message. */
const CHUNK_TASKS_MAX = 16;
/** Executor objects that share a workspace's tasks. */
const SLOTS_MAX = 4;
/** Of a run that was admitted before plans had the figure. */
const WORKSPACE_TASKS_DEFAULT = 256;

/** How a workspace's outstanding tasks are spread over runs and executor objects. */
export interface TaskQuota {
  /** Tasks this run may have with the runner at once. */
  readonly runTasks: number;
  readonly chunkTasks: number;
  /** Executor objects in use. */
  readonly slots: number;
  /** Tasks of the workspace that each of them may hold leases on. All together never exceed the plan's figure. */
  readonly slotTasks: number;
}

/**
 * The share of a workspace whose plan allows `outstanding` tasks at once. Each executor object
 * enforces its part by itself and takes hints in turn from one run after the other, so that no run
 * asks anybody for leave.
 */
export function taskQuota(
  outstanding: number = WORKSPACE_TASKS_DEFAULT,
  workers: number = TASK_WORKERS.length,
): TaskQuota {
  const slots = Math.max(1, Math.min(SLOTS_MAX, Math.floor(outstanding / CHUNK_TASKS_MAX)));
  // Every Worker has its own objects, and none of them knows what the others have leased.
  const slotTasks = Math.max(1, Math.floor(outstanding / slots / workers));
  return {
    runTasks: Math.min(RUN_TASKS_MAX, outstanding),
    chunkTasks: Math.min(CHUNK_TASKS_MAX, slotTasks),
    slots,
    slotTasks,
  };
}

/**
 * How many of `ready` tasks may be put in chunks now, when `out` are with the runner. While more are
 * ready than there is room for, only whole chunks go, unless the last ones went long ago (`isDue`):
 * else every report would send a chunk of one, and a chunk costs a message, a call and a commit.
 */
export function tasksToQueue(quota: TaskQuota, ready: number, out: number, isDue: boolean): number {
  const room = Math.max(0, quota.runTasks - out);
  if (ready <= room || isDue) {
    return Math.min(ready, room);
  }
  return room - (room % quota.chunkTasks);
}

/** The executor object for a chunk: a run's chunks go round, and runs begin at different ones. */
export function slotOf(runId: string, chunk: number, slots: number): number {
  // The tail of the id is random; its head is the time, which many runs share.
  const start = Number.parseInt(runId.slice(-4), 16);
  return ((Number.isNaN(start) ? 0 : start) + chunk) % slots;
}
