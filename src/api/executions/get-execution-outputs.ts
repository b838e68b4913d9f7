import * as z from "zod";
import { RawOutputList } from "../../contracts/runs/execution-requests.ts";
import { readOutputs } from "../../domain/executions/read/read-outputs.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { cursorField, integerField } from "../query-fields.ts";

export const getExecutionOutputs = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}/outputs",
  operationId: "getExecutionOutputs",
  summary: "Read an execution's raw outputs",
  description:
    "Returns a flat list of all outputs unless `limit` is sent. Group by `logical_name`; `name` is unique and must not be used as a key.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    params: z.object({ id: idField("run") }),
    query: z.object({
      limit: integerField({ min: 1, max: 100 }).optional(),
      starting_after: cursorField,
    }),
  },
  responses: { 200: { description: "The outputs", body: RawOutputList } },
  errors: [
    "invalid_id",
    "invalid_request",
    "validation_error",
    "not_found",
    "forbidden",
    "not_completed",
  ],
  handle: async (ctx, { params, query }) => {
    const { body } = await readOutputs(ctx, params.id, {
      limit: query.limit ?? null,
      startingAfter: query.starting_after ?? null,
    });
    return {
      response: new Response(body, {
        headers: { "content-type": "application/json; charset=utf-8" },
      }),
    };
  },
});
