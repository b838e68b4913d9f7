/**
 * The Workers that run tasks, each with executor objects and isolates of its own. A new one is an
 * entry here, the namespace of its executor objects in `queues/node-tasks.ts`, and its tools in
 * `src/nodes/define-tools.ts`.
 */
export const TASK_WORKERS = ["runner"] as const;
export type TaskWorker = (typeof TASK_WORKERS)[number];

/** Runs what needs no tool of any special Worker, and what was handed out by a run that named none. */
export const DEFAULT_WORKER: TaskWorker = "runner";
