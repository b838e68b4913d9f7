import * as z from "zod";
import { Execution } from "../../contracts/runs/run.ts";
import { cancelExecution as cancel } from "../../domain/executions/cancel-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const cancelExecution = defineEndpoint({
  method: "post",
  path: "/api/v1/executions/{id}/cancel",
  operationId: "cancelExecution",
  summary: "Cancel an execution",
  description:
    "No new work starts, and work in progress is settled. Poll until the status is `cancelled`.",
  tag: "Executions",
  access: { scope: "executions:write", permission: "ws:executions:create" },
  request: { params: z.object({ id: idField("run") }) },
  responses: { 200: { description: "The execution, `cancelling`", body: Execution } },
  errors: ["invalid_id", "not_found", "forbidden", "already_terminal"],
  handle: async (ctx, { params }) => ({ status: 200, body: await cancel(ctx, params.id) }),
});
