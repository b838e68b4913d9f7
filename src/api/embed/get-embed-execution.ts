import * as z from "zod";
import { EmbedExecution } from "../../contracts/embeds/embed-execution.ts";
import { embedExecution } from "../../domain/embeds/without-credits.ts";
import { pollExecution } from "../../domain/executions/read/read-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { readWaitPreference } from "../read-wait-preference.ts";

export const getEmbedExecution = defineEndpoint({
  method: "get",
  path: "/api/embed/executions/{id}",
  operationId: "getEmbedExecution",
  summary: "Read a run of the token",
  description:
    "As `GET /api/v1/executions/{id}`, without credits. A token sees the runs that it made, and those of other tokens of the same key, workflow and `end_user_id`.",
  tag: "Embeds",
  access: "embed:ws:executions:read",
  request: {
    params: z.object({ id: idField("run") }),
    headers: z.object({
      prefer: z.string().optional().describe("`wait=N`, N in seconds, up to 60."),
      "if-none-match": z.string().optional().describe("The `ETag` of your copy."),
    }),
  },
  responses: {
    200: {
      description: "The execution",
      body: EmbedExecution,
      headers: {
        ETag: "Changes whenever the body changes",
        "Preference-Applied": "The `wait=N` that was applied",
      },
    },
    304: { description: "Not modified since the `ETag` that was sent" },
  },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params, headers }) => {
    const wait = readWaitPreference(headers.prefer);
    const { etag, execution } = await pollExecution(ctx, params.id, {
      ifNoneMatch: headers["if-none-match"] ?? null,
      waitMs: (wait ?? 0) * 1000,
    });
    const answered = {
      etag,
      "cache-control": "private, no-cache",
      ...(wait === null ? {} : { "preference-applied": `wait=${String(wait)}` }),
    };
    return execution === null
      ? { status: 304, headers: answered }
      : { status: 200, body: embedExecution(execution), headers: answered };
  },
});
