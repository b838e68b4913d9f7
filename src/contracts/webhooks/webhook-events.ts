/** Bodies of the events that endpoints receive: CloudEvents 1.0, structured mode. */
import * as z from "zod";
import { BatchExecution } from "../batches/batch.ts";
import { ResultItem } from "../runs/execution-requests.ts";
import { originEventFields } from "../runs/run-origin.ts";
import { RunStatus } from "../runs/run.ts";
import { timestampField } from "../timestamp.ts";
import { BATCH_FINISHED_EVENT, FINISHED_EVENT, TEST_EVENT } from "./webhook.ts";

const head = {
  specversion: z.literal("1.0").describe("Version of CloudEvents."),
  id: z
    .string()
    .describe("The `webhook-id` header: one for each event, the same in every attempt."),
  source: z.string().describe("`{base_url}/api/v1`"),
  subject: z.string().describe("What the event is about: the id of the run, batch or endpoint."),
  time: timestampField.describe("When the event was recorded."),
  datacontenttype: z.literal("application/json").describe("Media type of `data`."),
};

/** Sent when a run has ended, with any status. At most 20 KiB. */
export const ExecutionFinishedEvent = z
  .strictObject({
    ...head,
    type: z.literal(FINISHED_EVENT).describe("Type of the event."),
    data: z
      .strictObject({
        execution_id: z.string().describe("Id of the run."),
        workflow_id: z.string().describe("Id of the workflow."),
        workflow_name: z.string().describe("Name of the workflow when the run was submitted."),
        workflow_version: z.int().describe("The version that ran."),
        interface: z
          .string()
          .nullable()
          .describe("Id of the custom interface; null for the default one."),
        status: RunStatus.describe("The final status."),
        error_code: z
          .string()
          .nullable()
          .describe("Stable code of the failure shown; null if nothing failed."),
        error_message: z
          .string()
          .nullable()
          .describe("What failed, for people; null if nothing failed."),
        credits_used: z.number().describe("Credits charged."),
        created_at: timestampField.describe("When the run was accepted."),
        started_at: timestampField
          .nullable()
          .describe("When the run started; null if it never did."),
        completed_at: timestampField.describe("When the run ended."),
        end_user_id: z
          .string()
          .optional()
          .describe("The person of the embed token that started the run, where there is one."),
        ...originEventFields,
        is_draft: z
          .boolean()
          .describe("Whether the run had a copy of the working definition in place of a version."),
        reused_iterations: z.int().describe("Iterations that were taken over from another run."),
        result_url: z.string().describe("The authoritative result."),
        trace_url: z.string().describe("Address of the trace; needs a token."),
        outputs: z
          .array(ResultItem)
          .describe("The items of the result, as many as fit into 20 KiB."),
        outputs_truncated: z
          .boolean()
          .describe("A part was omitted because of its size; read it from `result_url`."),
      })
      .describe("The ended run."),
  })
  .meta({ id: "ExecutionFinishedEvent" });

/** Sent when an attempt of a batch has ended, to endpoints that subscribe to it. */
export const BatchFinishedEvent = z
  .strictObject({
    ...head,
    type: z.literal(BATCH_FINISHED_EVENT).describe("Type of the event."),
    data: BatchExecution.omit({ id: true })
      .extend({
        batch_id: z.string().describe("Id of the batch."),
        batch_url: z.string().describe("Address of the batch; needs a token."),
        items_url: z.string().describe("Address of its items; needs a token."),
      })
      .describe("The batch as it was when the attempt ended."),
  })
  .meta({ id: "BatchFinishedEvent" });

/** Sent by `POST /webhooks/endpoints/{endpoint_id}/test`, once. */
export const WebhookTestEvent = z
  .strictObject({
    ...head,
    type: z.literal(TEST_EVENT).describe("Type of the event."),
    data: z
      .strictObject({
        endpoint_id: z.string().describe("The endpoint that is tested."),
        url_revision: z.int().describe("Revision of the URL that is tested."),
        message: z.string().describe("A sentence that says that this is a test."),
      })
      .describe("The test."),
  })
  .meta({ id: "WebhookTestEvent" });
