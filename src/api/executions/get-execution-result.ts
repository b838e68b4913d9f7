import * as z from "zod";
import { ExecutionResult } from "../../contracts/runs/execution-requests.ts";
import { readResult } from "../../domain/executions/read/read-result.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { asOfField, pastReply } from "./past-reply.ts";

export const getExecutionResult = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}/result",
  operationId: "getExecutionResult",
  summary: "Read an execution's result",
  description:
    "Outputs grouped by key and parsed. The result can be read while the run is live: outputs that are not finished have the state `not_ready`.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    params: z.object({ id: idField("run") }),
    query: z.object({ as_of_event: asOfField }),
    headers: z.object({
      "if-none-match": z.string().optional().describe("The `ETag` of your copy."),
    }),
  },
  responses: {
    200: {
      description: "The result",
      body: ExecutionResult,
      headers: { ETag: "Changes whenever the body changes" },
    },
    304: { description: "Not modified since the `ETag` that was sent" },
  },
  errors: ["invalid_id", "validation_error", "not_found", "forbidden"],
  handle: async (ctx, { params, query, headers }) => {
    if (query.as_of_event !== undefined) {
      return pastReply(ctx, params.id, {
        document: "result",
        eventId: query.as_of_event,
        ifNoneMatch: headers["if-none-match"] ?? null,
      });
    }
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
