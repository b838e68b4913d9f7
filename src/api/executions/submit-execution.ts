import { z } from "zod";
import { SubmitExecution } from "../../contracts/execution-requests.ts";
import { Execution } from "../../contracts/run.ts";
import { submitExecution as submit } from "../../domain/executions/submit-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const submitExecution = defineEndpoint({
  method: "post",
  path: "/api/v1/executions",
  operationId: "submitExecution",
  summary: "Submit an execution",
  description:
    "Starts a run of a published workflow and answers at once; poll until its status is terminal. " +
    "Each input's `value` is the input serialised to JSON and carried as a string.",
  tag: "Executions",
  access: { scope: "executions:write", permission: "ws:executions:create" },
  request: {
    headers: z.object({
      "idempotency-key": z
        .string()
        .optional()
        .describe("8 to 255 characters; a repeat within 24 hours answers the first run."),
      "x-client-kind": z
        .string()
        .optional()
        .describe("`agent` for submits made by an agent on its own."),
    }),
    body: SubmitExecution,
    codes: { "body.workflow": "invalid_request" },
  },
  responses: {
    202: {
      description: "Accepted",
      body: Execution,
      headers: { "Idempotency-Replayed": "`true` when an earlier submit made this run" },
    },
  },
  errors: [
    "invalid_request",
    "validation_error",
    "workflow_not_found",
    "workflow_not_published",
    "invalid_version",
    "version_not_available",
    "invalid_idempotency_key",
    "idempotency_conflict",
    "insufficient_credits",
    "forbidden",
    "payload_too_large",
    "unsupported_media_type",
  ],
  handle: async (ctx, { body, headers, exactBody }) => {
    const { execution, isReplay } = await submit(ctx, {
      body,
      exactBody: exactBody(),
      idempotencyKey: headers["idempotency-key"],
      isAgent: ctx.principal.isAgent || headers["x-client-kind"]?.trim().toLowerCase() === "agent",
    });
    return {
      status: 202,
      body: execution,
      headers: isReplay ? { "Idempotency-Replayed": "true" } : {},
    };
  },
});
