import * as z from "zod";
import { PatchWorkflowBody, WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { updateWorkflow } from "../../domain/workflows/update-workflow.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { folderField } from "../folder-field.ts";
import { idField } from "../id-field.ts";

export const patchWorkflow = defineEndpoint({
  method: "patch",
  path: "/api/v1/workflows/{id}",
  operationId: "patchWorkflow",
  summary: "Change name, description, tags or folder",
  description: "Omitted fields are not changed.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: {
    params: z.object({ id: idField("workflow") }),
    body: PatchWorkflowBody.extend({ folder_id: folderField.nullable().optional() }),
  },
  responses: { 200: { description: "The workflow", body: WorkflowDetail } },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await updateWorkflow(ctx, params.id, {
      name: body.name,
      description: body.description,
      tags: body.tags,
      folderId: body.folder_id,
    }),
  }),
});
