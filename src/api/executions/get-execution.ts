import { z } from "zod";
import { Execution } from "../../contracts/run.ts";
import { readExecution } from "../../domain/executions/read-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getExecution = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}",
  operationId: "getExecution",
  summary: "Read an execution",
  description: "Status, progress and the first 100 outputs, which fill in while nodes finish.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: { params: z.object({ id: idField("run") }) },
  responses: { 200: { description: "The execution", body: Execution } },
  errors: ["invalid_id", "not_found", "forbidden"],
  handle: async (ctx, { params }) => ({ status: 200, body: await readExecution(ctx, params.id) }),
});
