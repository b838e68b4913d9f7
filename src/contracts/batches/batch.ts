import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { InspectRequest } from "../dataset.ts";
import { listOf } from "../list.ts";
import { plainLine } from "../plain-line.ts";
import { CacheOptions } from "../runs/cache-options.ts";
import { Estimate } from "../runs/estimate.ts";
import { Inputs } from "../runs/execution-requests.ts";
import { AdmissionLimits } from "../runs/run.ts";
import { clientReferenceField } from "../runs/run-origin.ts";
import { timestampField } from "../timestamp.ts";
import { ITEM_STATUSES } from "./batch-object-api.ts";
import { BATCH_STATUSES, BATCH_STOPS } from "./batch-states.ts";

export const BatchStatusField = z.enum(BATCH_STATUSES).meta({ id: "BatchStatus" });
export const ItemStatusField = z.enum(ITEM_STATUSES).meta({ id: "BatchItemStatus" });

const count = z.int();

/** Public object of a batch (docs/contract/batches.md#object). */
export const BatchExecution = z
  .object({
    id: z.string().describe("Id of the batch, `bat_…`."),
    name: z.string().nullable().describe("Name of the batch; null if none was given."),
    client_reference: z
      .string()
      .nullable()
      .describe("Reference of the batch; null if none was given."),
    workflow: z.string().describe("Id of the workflow."),
    workflow_name: z.string().describe("Name of the workflow when the batch was created."),
    workflow_version: z.int().describe("The version of the current or last attempt."),
    interface: z
      .string()
      .nullable()
      .describe("Id of the custom interface; null for the default one."),
    status: BatchStatusField.describe(
      "`completed`, `partial_success`, `failed` and `cancelled` are final.",
    ),
    attempt: count.describe("0 before the first start, then 1, and one more with each retry."),
    progress: z.int().min(0).max(100).describe("Share of the items that have ended, in percent."),
    progress_message: z.string().describe("What the batch does now, for people."),
    total_items: count.describe("Number of items: the sum of the five counters that follow."),
    pending: count.describe("Items whose run has not been accepted."),
    running: count.describe("Items whose run has not ended."),
    completed: count.describe("Items that completed, in part too."),
    failed: count.describe("Items that failed."),
    cancelled: count.describe("Items that were cancelled."),
    partial_success: count.describe("Those of `completed` whose run was a `partial_success`."),
    max_concurrency: count.describe("Items that may run at once."),
    credits_used: z.number().describe("Credits charged for all ended runs of all attempts."),
    error_code: z
      .enum(BATCH_STOPS)
      .nullable()
      .describe("The limit that ended the acceptance of items; null if none did."),
    error_message: z.string().nullable().describe("The same for people."),
    created_at: timestampField.describe("When the batch was created."),
    started_at: timestampField.nullable().describe("When the batch first ran; null before."),
    completed_at: timestampField.nullable().describe("When the last item ended; null before."),
    cancel_requested_at: timestampField.nullable().describe("When its cancel was requested."),
  })
  .meta({ id: "BatchExecution" });
export type BatchExecution = z.infer<typeof BatchExecution>;

export const BatchList = listOf(BatchExecution).meta({ id: "BatchExecutionList" });

/** Public object of an item (docs/contract/batches.md#items). */
export const BatchItem = z
  .object({
    id: z.string().describe("Id of the item, `bit_…`."),
    index: count.describe("Position in the batch, from 0."),
    client_reference: z
      .string()
      .nullable()
      .describe("Reference of the item; null if none was given."),
    status: ItemStatusField.describe("An item whose run is a `partial_success` is `completed`."),
    attempt: count.describe("Attempt of the batch in which the item was last accepted; 0 before."),
    execution: z.string().nullable().describe("Id of its last run; null if it has none."),
    executions: z.array(z.string()).describe("Ids of its runs, oldest first."),
    credits_used: z.number().describe("Credits charged for all its ended runs."),
    error_code: z.string().nullable().describe("Stable code of the failure; null if none."),
    error_message: z.string().nullable().describe("What failed, for people; null if nothing."),
    created_at: timestampField.describe("When the batch was created."),
    started_at: timestampField.nullable().describe("When its last run was accepted."),
    completed_at: timestampField.nullable().describe("When it ended."),
  })
  .meta({ id: "BatchItem" });
export type BatchItem = z.infer<typeof BatchItem>;

export const BatchItemList = listOf(BatchItem).meta({ id: "BatchItemList" });

/** An item in the body of a creation, which is read item by item. */
export const CreateBatchItem = z
  .strictObject({
    inputs: Inputs.optional(),
    client_reference: clientReferenceField.optional().describe("Your own reference of the item."),
  })
  .meta({ id: "CreateBatchItem" });

/** A table whose rows are the items (docs/contract/batches.md#rows). */
export const BatchDataset = InspectRequest.omit({ sample_rows: true, max_rows: true })
  .extend({
    mapping: z
      .record(z.string(), z.string())
      .optional()
      .describe("By input key: the column whose cells are its values."),
    client_reference_column: z
      .string()
      .optional()
      .describe("The column whose cells are the items' references."),
  })
  .meta({ id: "BatchDataset" });
export type BatchDataset = z.infer<typeof BatchDataset>;

const items = LIMITS.batch_items.value;

/** Members of the body of a creation besides `items`. */
export const createBatchFields = {
  workflow: z.string().describe("`wf_…`"),
  version: z.int().optional().describe("Pins a version; without it the latest published one."),
  interface: z
    .string()
    .max(LIMITS.identifier.value)
    .nullable()
    .optional()
    .describe("Id of a custom interface; without it the default one."),
  admission_limits: AdmissionLimits.optional(),
  dataset: BatchDataset.optional().describe("In place of `items`: a stored table, a row an item."),
  cache: CacheOptions.optional().describe("How each item's run uses the result cache."),
  common_inputs: Inputs.optional().describe("Inputs that every item has and may override."),
  on_invalid_item: z
    .enum(["refuse", "fail_item"])
    .optional()
    .describe(
      "`refuse`: an invalid item refuses the batch, the default of `items`. `fail_item`: it fails at once, the default of a dataset.",
    ),
  start: z.boolean().optional().describe("Whether the batch starts at once; true if omitted."),
  max_concurrency: z.int().min(1).max(items).optional().describe("Items that may run at once."),
  max_failed_items: z
    .int()
    .min(0)
    .max(items)
    .nullable()
    .optional()
    .describe("Failed items after whose number no more are accepted; null for no limit."),
  max_total_milli_credits: z
    .int()
    .positive()
    .nullable()
    .optional()
    .describe("Most milli-credits that all runs together may be charged; null for no limit."),
  name: plainLine(LIMITS.client_reference.value).optional().describe("Name of the batch."),
  client_reference: clientReferenceField.optional().describe("Your own reference of the batch."),
};

/** The body of a creation without its items. */
export const CreateBatchHead = z.strictObject(createBatchFields);
export type CreateBatchHead = z.infer<typeof CreateBatchHead>;

/** The body of a retry. */
export const RetryBatch = z
  .strictObject({
    include_partial: z
      .boolean()
      .optional()
      .describe(
        "Whether items whose run is a `partial_success` are retried too; false if omitted.",
      ),
    from: z
      .literal("failure")
      .optional()
      .describe("What has succeeded in the runs of these items is taken over."),
    version: z
      .union([z.int(), z.literal("latest")])
      .optional()
      .describe("Moves the batch to this version; without it, the version stays."),
  })
  .meta({ id: "RetryBatch" });

/** The whole body, for the documentation. */
export const CreateBatch = z
  .strictObject({
    ...createBatchFields,
    items: z
      .array(CreateBatchItem)
      .min(1)
      .max(items)
      .optional()
      .describe("The items, in their order. Exactly one of `items` and `dataset`."),
  })
  .meta({ id: "CreateBatch" });

const milli = z.int().describe("In milli-credits; 1,000 are one credit.");

/** What a batch would cost (docs/contract/batches.md#estimate). */
export const BatchEstimate = z
  .object({
    estimated_milli_credits: milli,
    estimated_credits: z.number().describe("The same in credits."),
    is_exact: z
      .boolean()
      .describe("A batch without failures is charged exactly the estimate, to the milli-credit."),
    total_items: count.describe("Items of the batch."),
    invalid_items: count.describe("Those of them that would fail at once, without cost."),
    min_item_milli_credits: milli.describe("The least that a valid item costs."),
    max_item_milli_credits: milli.describe("The most that a valid item costs."),
    balance_milli_credits: milli.describe("What the workspace may still reserve."),
    sufficient: z.boolean().describe("The balance covers the estimate."),
    warnings: Estimate.shape.warnings,
  })
  .meta({ id: "BatchEstimate" });
export type BatchEstimate = z.infer<typeof BatchEstimate>;
