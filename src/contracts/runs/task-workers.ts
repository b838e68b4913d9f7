/**
 * The Workers that run tasks, each with executor objects and isolates of its own. To add one, add
 * an entry here, the namespace of its executor objects in `queues/node-tasks.ts`, and its tools in
 * `src/nodes/define-tools.ts`.
 */
export const TASK_WORKERS = ["runner", "renderer", "media"] as const;
export type TaskWorker = (typeof TASK_WORKERS)[number];

/** Runs tasks that need no special tool, and tasks of runs whose messages do not name a Worker. */
export const DEFAULT_WORKER: TaskWorker = "runner";
