/**
 * Thrown by a tool that has asked for a wait (`ctx.task.wait`) in the middle of a node: the call resumes after the wait
 * with the same inputs, and the node runs again from its beginning. Nodes pass it on; it is not a failure.
 */
export class TaskSuspended extends Error {
  override readonly name = "TaskSuspended";

  constructor() {
    super("The task waits.");
  }
}
