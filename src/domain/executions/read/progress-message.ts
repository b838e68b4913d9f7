import type { RunStatus } from "../../../contracts/run.ts";

/** What only the run itself knows while it goes on; the workspace's index of runs knows none of it. */
export interface LiveProgress {
  /** It waits because the workspace has as many runs at once as its plan allows. */
  readonly isHeld?: boolean;
  /** The node at work and how far it is. */
  readonly working?: string | undefined;
}

/** `progress_message` of an execution (docs/contract/executions.md#fields), the same wherever the execution is shown. */
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
