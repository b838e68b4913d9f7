import type { BatchItemRow, BatchState } from "../../contracts/batches/batch-object-api.ts";
import type { BatchExecution, BatchItem } from "../../contracts/batches/batch.ts";
import { BATCH_FINISHED_EVENT } from "../../contracts/webhooks/webhook.ts";
import { numberedId } from "../../platform/ids.ts";

/** The counters of a batch; the first five and the sum of them are of one moment. */
export function countersOf({ counts, used_milli_credits: used }: BatchState) {
  const { total_items: total, completed, failed, cancelled } = counts;
  return {
    ...counts,
    progress: Math.floor((100 * (completed + failed + cancelled)) / total),
    credits_used: used / 1000,
  };
}

/** The public form of a batch. `share`: the slots that all batches of the workspace may hold together. */
export function batchView(state: BatchState, share: number): BatchExecution {
  const { record, counts } = state;
  const { progress, credits_used } = countersOf(state);
  return {
    id: record.id,
    name: record.name,
    client_reference: record.client_reference,
    workflow: record.workflow,
    workflow_name: record.workflow_name,
    workflow_version: record.workflow_version,
    interface: record.common.interface_id,
    status: state.status,
    attempt: state.attempt,
    progress,
    progress_message: messageOf(state),
    total_items: counts.total_items,
    pending: counts.pending,
    running: counts.running,
    completed: counts.completed,
    failed: counts.failed,
    cancelled: counts.cancelled,
    partial_success: counts.partial_success,
    max_concurrency: Math.min(record.max_concurrency ?? share, share),
    credits_used,
    error_code: state.stop,
    error_message: state.stop === null ? null : STOPPED[state.stop],
    created_at: new Date(record.created_at_ms).toISOString(),
    started_at: isoOf(state.started_at_ms),
    completed_at: isoOf(state.completed_at_ms),
    cancel_requested_at: isoOf(state.cancel_requested_at_ms),
  };
}

/**
 * Body of the event that an attempt of a batch has ended: CloudEvents 1.0, structured mode. `baseUrl` without a trailing
 * slash.
 */
export function batchEventBody(
  eventId: string,
  state: BatchState,
  share: number,
  baseUrl: string,
): string {
  const { id, ...fields } = batchView(state, share);
  const address = `${baseUrl}/api/v1/batch-executions/${id}`;
  return JSON.stringify({
    specversion: "1.0",
    id: eventId,
    source: `${baseUrl}/api/v1`,
    type: BATCH_FINISHED_EVENT,
    subject: id,
    time: fields.completed_at,
    datacontenttype: "application/json",
    data: { batch_id: id, ...fields, batch_url: address, items_url: `${address}/items` },
  });
}

/** The public form of an item of the batch `batchId`. */
export function itemView(batchId: string, createdAtMs: number, row: BatchItemRow): BatchItem {
  return {
    id: itemId(batchId, row.index),
    index: row.index,
    client_reference: row.client_reference,
    status: row.status,
    attempt: row.attempt,
    execution: row.executions.at(-1) ?? null,
    executions: [...row.executions],
    credits_used: row.credits_used_milli / 1000,
    error_code: row.error_code,
    error_message: row.error_message,
    created_at: new Date(createdAtMs).toISOString(),
    started_at: isoOf(row.started_at_ms),
    completed_at: isoOf(row.completed_at_ms),
  };
}

/** Ids of items are numbered from the id of their batch, so that none is stored. */
export function itemId(batchId: string, index: number): string {
  return numberedId(batchId, index, "batchItem");
}

/** The index that an item's id would have in this batch; it need not exist. */
export function indexOfItemId(batchId: string, id: string): number | undefined {
  const number =
    (Number.parseInt(id.slice(-4), 16) - Number.parseInt(batchId.slice(-4), 16) + 65_536) % 65_536;
  return itemId(batchId, number) === id ? number : undefined;
}

const STOPPED = {
  BATCH_FAILURE_LIMIT:
    "More items failed than max_failed_items allows. Items that waited were cancelled.",
  BATCH_CREDIT_LIMIT:
    "The next item could have cost more than was left of max_total_milli_credits. Items that waited were cancelled.",
} as const;

function messageOf({
  status,
  counts,
  cancel_requested_at_ms: cancelAtMs,
  attempt,
}: BatchState): string {
  const { total_items: total, completed, failed, cancelled, running } = counts;
  const done = completed + failed + cancelled;
  switch (status) {
    case "pending":
      return attempt === 0 ? "Waiting to be started" : "Waiting for a slot";
    case "running":
      return cancelAtMs === null
        ? `${String(done)} of ${String(total)} items ended, ${String(running)} running`
        : `Cancelling, ${String(running)} items running`;
    case "completed":
      return `Completed: ${String(total)} items`;
    case "partial_success":
      return `${String(completed)} of ${String(total)} items completed`;
    case "failed":
      return "Failed: none of the items completed";
    case "cancelled":
      return "Cancelled";
  }
}

function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
