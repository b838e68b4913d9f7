import * as z from "zod";
import { RetryExecution } from "../../contracts/runs/retry-request.ts";
import { Execution, isTerminal } from "../../contracts/runs/run.ts";
import { retryExecution as retry } from "../../domain/executions/retry/retry-execution.ts";
import { readExecution } from "../../domain/executions/read/read-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { readWaitPreference } from "../read-wait-preference.ts";
import { replayHeaders } from "../replay-headers.ts";

export const retryExecution = defineEndpoint({
  method: "post",
  path: "/api/v1/executions/{id}/retry",
  operationId: "retryExecution",
  summary: "Retry an execution",
  description:
    "Starts a new run that takes over what an ended run has worked out, and runs and charges the rest. " +
    "Without a body, what failed runs again under the same definition with the same inputs.",
  tag: "Executions",
  access: { scope: "executions:write", permission: "ws:executions:create" },
  request: {
    params: z.object({ id: idField("run") }),
    headers: z.object({
      "idempotency-key": z
        .string()
        .optional()
        .describe("8 to 255 characters. A repeat within 24 hours returns the first run."),
      prefer: z.string().optional().describe("`wait=N`, N in seconds, up to 60."),
      "x-client-kind": z
        .string()
        .optional()
        .describe("`agent` for submits that an agent makes on its own."),
    }),
    body: RetryExecution,
    isBodyOptional: true,
  },
  responses: {
    202: {
      description: "The new run",
      body: Execution,
      headers: {
        "Idempotency-Replayed": "`true` when an earlier submit made this run",
        "Preference-Applied": "The `wait=N` that was applied",
      },
    },
  },
  errors: [
    "invalid_id",
    "invalid_request",
    "validation_error",
    "not_found",
    "workflow_not_found",
    "workflow_not_published",
    "invalid_version",
    "version_not_available",
    "invalid_idempotency_key",
    "idempotency_conflict",
    "insufficient_credits",
    "forbidden",
    "invalid_state",
    "no_failed_items",
    "outputs_expired",
    "payload_too_large",
    "unsupported_media_type",
  ],
  // Of a working definition that is not valid; fields have the status of every route.
  errorStatuses: { validation_error: 422 },
  handle: async (ctx, { params, body, headers, exactBody }) => {
    const { execution, isReplay } = await retry(ctx, {
      runId: params.id,
      body,
      exactBody: exactBody(),
      idempotencyKey: headers["idempotency-key"],
      isAgent: ctx.principal.isAgent || headers["x-client-kind"]?.trim().toLowerCase() === "agent",
    });
    const wait = readWaitPreference(headers.prefer);
    const mustWait = wait !== null && wait > 0 && !isTerminal(execution.status);
    return {
      status: 202,
      body: mustWait ? await readExecution(ctx, execution.id, { waitMs: wait * 1000 }) : execution,
      headers: {
        ...replayHeaders(isReplay),
        ...(wait === null ? {} : { "preference-applied": `wait=${String(wait)}` }),
      },
    };
  },
});
