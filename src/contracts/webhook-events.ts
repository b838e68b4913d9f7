/** Bodies of the events that endpoints receive: CloudEvents 1.0, structured. */
import * as z from "zod";
import { ResultItem } from "./execution-requests.ts";
import { RunStatus } from "./run.ts";
import { timestampField } from "./timestamp.ts";
import { FINISHED_EVENT, TEST_EVENT } from "./webhook.ts";

const head = {
  specversion: z.literal("1.0"),
  id: z
    .string()
    .describe("The `webhook-id` header: one for each event, the same in every attempt."),
  source: z.string().describe("`{base_url}/api/v1`"),
  subject: z.string(),
  time: timestampField,
  datacontenttype: z.literal("application/json"),
};

/** Sent once a run has ended, whatever its status. At most 20 KiB. */
export const ExecutionFinishedEvent = z
  .strictObject({
    ...head,
    type: z.literal(FINISHED_EVENT),
    data: z.strictObject({
      execution_id: z.string(),
      workflow_id: z.string(),
      workflow_name: z.string(),
      workflow_version: z.int(),
      interface: z.string().nullable(),
      status: RunStatus,
      error_code: z.string().nullable(),
      error_message: z.string().nullable(),
      credits_used: z.number(),
      created_at: timestampField,
      started_at: timestampField.nullable(),
      completed_at: timestampField,
      result_url: z.string().describe("The authoritative result."),
      trace_url: z.string(),
      outputs: z.array(ResultItem),
      outputs_truncated: z
        .boolean()
        .describe("A part was omitted because of its size; read it from `result_url`."),
    }),
  })
  .meta({ id: "ExecutionFinishedEvent" });

/** Sent by `POST /webhooks/endpoints/{endpoint_id}/test`, once. */
export const WebhookTestEvent = z
  .strictObject({
    ...head,
    type: z.literal(TEST_EVENT),
    data: z.strictObject({
      endpoint_id: z.string(),
      url_revision: z.int(),
      message: z.string(),
    }),
  })
  .meta({ id: "WebhookTestEvent" });
