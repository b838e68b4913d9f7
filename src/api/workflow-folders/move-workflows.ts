import * as z from "zod";
import { MoveWorkflowsResult } from "../../contracts/workflows/workflow-folder.ts";
import { moveWorkflows as move } from "../../domain/folders/move-workflows.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { folderField } from "../folder-field.ts";
import { idField } from "../id-field.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const moveWorkflows = defineEndpoint({
  method: "post",
  path: "/api/v1/workflow-folders/move-workflows",
  operationId: "moveWorkflows",
  summary: "Move workflows to a folder",
  description: "Either all workflows are moved or none: an unknown workflow fails the request.",
  tag: "Workflow folders",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: {
    body: z.strictObject({
      workflow_ids: z.array(idField("workflow")).min(1).max(LIMITS.moved_workflows.value),
      folder_id: folderField.nullable(),
    }),
  },
  responses: { 200: { description: "All were moved", body: MoveWorkflowsResult } },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { body }) => ({
    status: 200,
    body: await move(ctx, body.workflow_ids, body.folder_id),
  }),
});
