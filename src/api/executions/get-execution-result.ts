import { z } from "zod";
import { ExecutionResult } from "../../contracts/execution-requests.ts";
import { readResult } from "../../domain/executions/read-result.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getExecutionResult = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}/result",
  operationId: "getExecutionResult",
  summary: "Read an execution's result",
  description:
    "Outputs grouped by key and parsed. Can be read while the run goes on: what is not finished has the state `not_ready`.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: { params: z.object({ id: idField("run") }) },
  responses: { 200: { description: "The result", body: ExecutionResult } },
  errors: ["invalid_id", "not_found", "forbidden"],
  handle: async (ctx, { params }) => {
    const { body } = await readResult(ctx, params.id);
    return {
      response: new Response(body, {
        headers: { "content-type": "application/json; charset=utf-8" },
      }),
    };
  },
});
