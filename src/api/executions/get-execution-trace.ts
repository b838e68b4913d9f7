import * as z from "zod";
import { Trace } from "../../contracts/runs/trace.ts";
import { readTrace } from "../../domain/executions/read/read-trace.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, taggedReply } from "../tagged-reply.ts";
import { asOfField, pastReply } from "./past-reply.ts";

export const getExecutionTrace = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{run_id}/trace",
  operationId: "getExecutionTrace",
  summary: "Read an execution's trace",
  description:
    "Every node of the definition with its state, times, retries, credits and iterations. Names, " +
    "counts and codes only; it never contains a value, parameter or address.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    params: z.object({ run_id: idField("run") }),
    query: z.object({ as_of_event: asOfField }),
    headers: z.object(IF_NONE_MATCH),
  },
  responses: {
    200: { description: "The trace", body: Trace, headers: ETAG },
    304: NOT_MODIFIED,
  },
  errors: ["invalid_id", "validation_error", "not_found", "forbidden"],
  handle: async (ctx, { params, query, headers }) =>
    query.as_of_event === undefined
      ? await taggedReply(await readTrace(ctx, params.run_id), headers["if-none-match"])
      : pastReply(ctx, params.run_id, {
          document: "trace",
          eventId: query.as_of_event,
          ifNoneMatch: headers["if-none-match"] ?? null,
        }),
});
