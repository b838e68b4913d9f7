import type { RunIndexRow } from "../../../contracts/workspaces/admission.ts";
import type { ExecutionListItem } from "../../../contracts/runs/execution-requests.ts";
import { type Execution, isTerminal } from "../../../contracts/runs/run.ts";
import { indexedOrigin } from "../../../contracts/runs/run-origin.ts";
import { progressMessage } from "./progress-message.ts";

/** An execution from the workspace's index of runs: for lists, and until the run object has it. */
export function executionFromIndex(row: RunIndexRow): ExecutionListItem {
  return {
    id: row.run_id,
    workflow: row.workflow_id,
    workflow_name: row.workflow_name,
    workflow_version: row.workflow_version,
    interface: row.interface_id,
    status: row.status,
    progress: row.progress,
    progress_message: progressMessage(row.status, row.outputs_expired_at_ms !== null),
    ...(row.credits_used_milli === null ? {} : { credits_used: row.credits_used_milli / 1000 }),
    error_code: row.error_code,
    error_message: row.error_message,
    error_node_id: row.error_node_id,
    error_indices: row.error_indices === null ? null : (JSON.parse(row.error_indices) as number[]),
    created_at: new Date(row.created_at_ms).toISOString(),
    started_at: toIso(row.started_at_ms),
    completed_at: toIso(row.completed_at_ms),
    end_user_id: row.end_user_id,
    embed: row.embed,
    ...indexedOrigin(row),
    ...(row.outputs_expired_at_ms !== null && {
      outputs_expired_at: new Date(row.outputs_expired_at_ms).toISOString(),
    }),
    outputs: [],
  };
}

/** A complete execution for a run without a run object: no node of it has started. */
export function unstartedExecution(row: RunIndexRow): Execution {
  // A run that was refused at admission has two events, `status` and `done`.
  const last_event_id = isTerminal(row.status) ? "0-1" : "0-0";
  return { ...executionFromIndex(row), outputs_total: 0, last_event_id };
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
