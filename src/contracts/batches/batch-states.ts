/** States of a batch (docs/contract/batches.md#states). */
export const BATCH_STATUSES = [
  "pending",
  "running",
  "completed",
  "partial_success",
  "failed",
  "cancelled",
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** Limits that end the acceptance of a batch's items. */
export const BATCH_STOPS = ["BATCH_FAILURE_LIMIT", "BATCH_CREDIT_LIMIT"] as const;
export type BatchStop = (typeof BATCH_STOPS)[number];

export interface BatchCounts {
  readonly total_items: number;
  readonly pending: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Those of `completed` whose run was a `partial_success`. */
  readonly partial_success: number;
}
