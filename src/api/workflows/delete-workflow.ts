import * as z from "zod";
import { deleteWorkflow as remove } from "../../domain/workflows/delete-workflow.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const deleteWorkflow = defineEndpoint({
  method: "delete",
  path: "/api/v1/workflows/{id}",
  operationId: "deleteWorkflow",
  summary: "Delete a workflow",
  description:
    "Deletes the workflow with all its versions. Its executions stay readable. Rejected while one of them is live.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: { params: z.object({ id: idField("workflow") }) },
  responses: { 204: { description: "Deleted" } },
  errors: ["invalid_id", "forbidden", "not_found", "executions_in_progress"],
  handle: async (ctx, { params }) => {
    await remove(ctx, params.id);
    return { status: 204 };
  },
});
