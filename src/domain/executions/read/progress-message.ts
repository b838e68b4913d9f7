import type { RunStatus } from "../../../contracts/runs/run.ts";

/** Live data that only the run object has; the workspace's index of runs does not. */
export interface LiveProgress {
  /** It waits because the workspace has reached its plan's number of concurrent runs. */
  readonly isHeld?: boolean;
  /** The node that is running, and its progress. */
  readonly working?: string | undefined;
}

/**
 * `progress_message` of an execution (docs/contract/executions.md#fields), the same in every view
 * of the execution.
 */
export function progressMessage(
  status: RunStatus,
  haveOutputsExpired: boolean,
  live: LiveProgress = {},
): string {
  return `${stateMessage(status, live)}${haveOutputsExpired ? "; its outputs have expired" : ""}`;
}

function stateMessage(status: RunStatus, { isHeld = false, working }: LiveProgress): string {
  switch (status) {
    case "pending":
      return isHeld ? "Waiting for a free slot" : "Queued";
    case "running":
      return working ?? "Running";
    case "cancelling":
      return "Cancelling";
    case "cancelled":
      return "Cancelled";
    case "completed":
      return "Completed";
    case "partial_success":
      return "Completed in part";
    case "failed":
      return "Failed";
  }
}
