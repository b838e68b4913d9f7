import * as z from "zod";
import { CloneWorkflowBody, WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { cloneWorkflow as clone } from "../../domain/workflows/clone-workflow.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { folderField } from "../folder-field.ts";
import { idField } from "../id-field.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readWorkflow } from "../../domain/workflows/read-workflow.ts";
import { replayHeaders } from "../replay-headers.ts";

export const cloneWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/{id}/clone",
  operationId: "cloneWorkflow",
  summary: "Copy a workflow",
  description:
    "Creates a draft with the working definition, description and tags of the original, in the same folder unless `folder_id` names another. Archived workflows can be cloned too.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  createsOnce: true,
  request: {
    params: z.object({ id: idField("workflow") }),
    body: CloneWorkflowBody.extend({ folder_id: folderField.nullable().optional() }),
    isBodyOptional: true,
  },
  responses: { 201: { description: "The new workflow", body: WorkflowDetail } },
  errors: ["invalid_id", "forbidden", "not_found", "plan_limit_exceeded"],
  handle: async (ctx, { params, body, creation }) => {
    const given = { name: body.name, folderId: body.folder_id };
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => clone(ctx, params.id, given, claim?.statements(201)),
      replay: ({ resourceId }) => readWorkflow(ctx, resourceId, undefined),
    });
    return { status: 201, body: value, headers: replayHeaders(isReplay) };
  },
});
