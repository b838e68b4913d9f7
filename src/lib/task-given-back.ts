/**
 * The reasons for which an executor gives a task back: it is being replaced, its isolate has no
 * memory for the task, it does not have the node type or its tools, or its environment lacks
 * something that the tools need.
 */
export const GIVE_BACK_REASONS = ["shutdown", "no_memory", "wrong_worker", "environment"] as const;
export type GiveBackReason = (typeof GIVE_BACK_REASONS)[number];

/**
 * Thrown by a tool or by the executor if this Worker cannot run a task and another one may: the
 * task is given back and costs no attempt [E30]. Nodes never throw it; their failures are
 * NodeErrors.
 */
export class TaskGivenBack extends Error {
  readonly reason: GiveBackReason;

  constructor(reason: GiveBackReason, options?: ErrorOptions) {
    super(`The task is given back: ${reason}.`, options);
    this.name = "TaskGivenBack";
    this.reason = reason;
  }
}
