import { CreateWorkflowBody, WorkflowDetail } from "../../contracts/workflow.ts";
import { createWorkflow as create } from "../../domain/workflows/create-workflow.ts";
import { isJsonObject } from "../../lib/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { folderField } from "../folder-field.ts";

export const createWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows",
  operationId: "createWorkflow",
  summary: "Create a workflow",
  description:
    "Makes a draft. The definition may be left out or be invalid for now; publishing needs a valid one.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: { body: CreateWorkflowBody.extend({ folder_id: folderField.nullable().default(null) }) },
  responses: { 201: { description: "The workflow", body: WorkflowDetail } },
  errors: ["invalid_id", "forbidden", "not_found", "plan_limit_exceeded"],
  handle: async (ctx, { body, exactBody }) => {
    const exact = exactBody();
    const workflow = await create(ctx, {
      name: body.name,
      description: body.description,
      tags: body.tags,
      folderId: body.folder_id,
      definition: isJsonObject(exact) ? exact["definition"] : undefined,
    });
    return { status: 201, body: workflow };
  },
});
