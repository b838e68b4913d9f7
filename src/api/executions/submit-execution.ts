import * as z from "zod";
import { SubmitExecution } from "../../contracts/runs/execution-requests.ts";
import { Execution, isTerminal } from "../../contracts/runs/run.ts";
import { submitExecution as submit } from "../../domain/executions/submit/submit-execution.ts";
import { readExecution } from "../../domain/executions/read/read-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { readWaitPreference } from "../read-wait-preference.ts";
import { replayHeaders } from "../replay-headers.ts";

export const submitExecution = defineEndpoint({
  method: "post",
  path: "/api/v1/executions",
  operationId: "submitExecution",
  summary: "Submit an execution",
  description:
    "Starts a run of a published workflow and returns immediately; poll until its status is terminal. " +
    "With `Prefer: wait=N` the response is sent when the run has ended or N seconds have passed. " +
    "Each input's `value` is the input serialized to JSON and carried as a string.",
  tag: "Executions",
  access: { scope: "executions:write", permission: "ws:executions:create" },
  // From samples/greeting-card.json.
  example: {
    workflow: "wf_0190f3a27c1e70008000000000000000",
    inputs: {
      name: { value: '"Ada Lovelace"' },
      link: { value: '"https://example.com/party"' },
    },
    admission_limits: { max_iterations_per_node: 10, max_admitted_milli_credits: 1_000 },
  },
  request: {
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
    body: SubmitExecution,
    codes: { "body.workflow": "invalid_request" },
  },
  responses: {
    202: {
      description: "Accepted",
      body: Execution,
      headers: {
        "Idempotency-Replayed": "`true` when an earlier submit made this run",
        "Preference-Applied": "The `wait=N` that was applied",
      },
    },
  },
  errors: [
    "invalid_request",
    "validation_error",
    "workflow_not_found",
    // Errors of an asset, an upload or a bundle that an input refers to.
    "not_found",
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
