import * as z from "zod";
import { EmbedExecutionResult } from "../../contracts/embeds/embed-execution.ts";
import { readResult } from "../../domain/executions/read/read-result.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getEmbedResult = defineEndpoint({
  method: "get",
  path: "/api/embed/executions/{id}/result",
  operationId: "getEmbedResult",
  summary: "Read the result of a run of the token",
  description: "As `GET /api/v1/executions/{id}/result`, without credits.",
  tag: "Embeds",
  access: "embed:ws:executions:read",
  request: {
    params: z.object({ id: idField("run") }),
    headers: z.object({
      "if-none-match": z.string().optional().describe("The `ETag` of your copy."),
    }),
  },
  responses: {
    200: {
      description: "The result",
      body: EmbedExecutionResult,
      headers: { ETag: "Changes whenever the body changes" },
    },
    304: { description: "Not modified since the `ETag` that was sent" },
  },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params, headers }) => {
    const { etag, body } = await readResult(ctx, params.id, headers["if-none-match"] ?? null);
    const answered = { etag, "cache-control": "private, no-cache" };
    if (body === null) {
      return { status: 304, headers: answered };
    }
    return {
      response: new Response(body, {
        headers: { ...answered, "content-type": "application/json; charset=utf-8" },
      }),
    };
  },
});
