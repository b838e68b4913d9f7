import * as z from "zod";
import { endUserIdField } from "../../contracts/embeds/embed-requests.ts";
import { ExecutionList } from "../../contracts/runs/execution-requests.ts";
import { clientReferenceField } from "../../contracts/runs/run-origin.ts";
import { RunStatus } from "../../contracts/runs/run.ts";
import { listExecutions as list } from "../../domain/executions/read/list-executions.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, limitField, timeField } from "../query-fields.ts";

export const listExecutions = defineEndpoint({
  method: "get",
  path: "/api/v1/executions",
  operationId: "listExecutions",
  summary: "List executions",
  description: "Newest first. A run that was submitted appears in the next list.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    query: z.object({
      limit: limitField(),
      starting_after: cursorField,
      // docs/contract/executions.md#lists defines these filters; `cancelling` is a status but not a filter.
      status: RunStatus.exclude(["cancelling"]).optional(),
      workflow: idField("workflow").optional(),
      created_after: timeField.optional(),
      created_before: timeField.optional(),
      end_user_id: endUserIdField
        .optional()
        .describe("Only runs that embed tokens of this person started."),
      embed: idField("embed").optional().describe("Only runs that this embed token started."),
      batch: idField("batch").optional().describe("Only runs of this batch."),
      schedule: idField("schedule").optional().describe("Only runs that this schedule started."),
      retry_of: idField("run").optional().describe("Only runs that retry this run."),
      client_reference: clientReferenceField
        .optional()
        .describe("Only runs with exactly this reference."),
    }),
    codes: { "query.status": "invalid_status" },
  },
  responses: { 200: { description: "A page of executions", body: ExecutionList } },
  errors: ["invalid_request", "invalid_id", "invalid_status", "validation_error"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, {
      limit: query.limit,
      starting_after: query.starting_after ?? null,
      status: query.status ?? null,
      workflow_id: query.workflow ?? null,
      created_after_ms: query.created_after ?? null,
      created_before_ms: query.created_before ?? null,
      labels: {
        end_user_id: query.end_user_id ?? null,
        embed: query.embed ?? null,
        batch: query.batch ?? null,
        schedule: query.schedule ?? null,
        retry_of: query.retry_of ?? null,
        client_reference: query.client_reference ?? null,
      },
    }),
  }),
});
