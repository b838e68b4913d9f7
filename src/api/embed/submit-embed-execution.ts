import * as z from "zod";
import { EmbedExecution } from "../../contracts/embeds/embed-execution.ts";
import { EmbedSubmit } from "../../contracts/embeds/embed-requests.ts";
import { isTerminal } from "../../contracts/runs/run.ts";
import { submitEmbedExecution as submit } from "../../domain/embeds/submit-embed-execution.ts";
import { embedExecution } from "../../domain/embeds/without-credits.ts";
import { readExecution } from "../../domain/executions/read/read-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { readWaitPreference } from "../read-wait-preference.ts";
import { replayHeaders } from "../replay-headers.ts";

export const submitEmbedExecution = defineEndpoint({
  method: "post",
  path: "/api/embed/executions",
  operationId: "submitEmbedExecution",
  summary: "Start a run of the token's workflow",
  description:
    "As `POST /api/v1/executions`, for the latest published version. A submit with `permit` uses it; one without takes a permit itself.",
  tag: "Embeds",
  access: "embed:ws:executions:create",
  example: { inputs: { name: { value: '"Ada Lovelace"' } } },
  request: {
    headers: z.object({
      "idempotency-key": z
        .string()
        .optional()
        .describe(
          "8 to 255 characters. A repeat within 24 hours returns the first run and takes no permit. Keys belong to the token.",
        ),
      prefer: z.string().optional().describe("`wait=N`, N in seconds, up to 60."),
    }),
    body: EmbedSubmit,
    isBodyOptional: true,
  },
  responses: {
    202: {
      description: "Accepted",
      body: EmbedExecution,
      headers: {
        "Idempotency-Replayed": "`true` when an earlier submit made this run",
        "Preference-Applied": "The `wait=N` that was applied",
      },
    },
  },
  errors: [
    "not_found",
    "workflow_not_published",
    "version_not_available",
    "invalid_idempotency_key",
    "idempotency_conflict",
    "insufficient_credits",
    "execution_cap_exceeded",
  ],
  handle: async (ctx, { body, headers, exactBody }) => {
    const { execution, isReplay } = await submit(ctx, {
      body,
      exactBody: exactBody(),
      idempotencyKey: headers["idempotency-key"],
    });
    const wait = readWaitPreference(headers.prefer);
    const mustWait = wait !== null && wait > 0 && !isTerminal(execution.status);
    return {
      status: 202,
      body: mustWait
        ? embedExecution(await readExecution(ctx, execution.id, { waitMs: wait * 1000 }))
        : execution,
      headers: {
        ...replayHeaders(isReplay),
        ...(wait === null ? {} : { "preference-applied": `wait=${String(wait)}` }),
      },
    };
  },
});
