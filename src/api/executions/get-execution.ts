import * as z from "zod";
import { Execution } from "../../contracts/runs/run.ts";
import { pollExecution } from "../../domain/executions/read/read-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { asOfField, pastReply } from "./past-reply.ts";
import { readWaitPreference } from "../read-wait-preference.ts";

export const getExecution = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}",
  operationId: "getExecution",
  summary: "Read an execution",
  description:
    "Status, progress and the first 100 outputs, which are added as nodes finish. With " +
    "`Prefer: wait=N` the response is sent when the run has ended or N seconds have passed; with " +
    "`as_of_event`, at once, and it shows the run as it was at that event.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    params: z.object({ id: idField("run") }),
    query: z.object({ as_of_event: asOfField }),
    headers: z.object({
      prefer: z.string().optional().describe("`wait=N`, N in seconds, up to 60."),
      "if-none-match": z.string().optional().describe("The `ETag` of your copy."),
    }),
  },
  responses: {
    200: {
      description: "The execution",
      body: Execution,
      headers: {
        ETag: "Changes whenever the body changes",
        "Cache-Control":
          "With `as_of_event`, of a run that has ended: `private, max-age=86400, immutable`",
        "Preference-Applied": "The `wait=N` that was applied",
      },
    },
    304: { description: "Not modified since the `ETag` that was sent" },
  },
  errors: ["invalid_id", "validation_error", "not_found", "forbidden"],
  handle: async (ctx, { params, query, headers }) => {
    if (query.as_of_event !== undefined) {
      return pastReply(ctx, params.id, {
        document: "execution",
        eventId: query.as_of_event,
        ifNoneMatch: headers["if-none-match"] ?? null,
      });
    }
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
      : { status: 200, body: execution, headers: answered };
  },
});
