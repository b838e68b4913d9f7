import { CreateWorkflowBody, WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { createWorkflow as create } from "../../domain/workflows/create-workflow.ts";
import { isJsonObject } from "../../lib/json/exact-json.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { folderField } from "../folder-field.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readWorkflow } from "../../domain/workflows/read-workflow.ts";
import { replayHeaders } from "../replay-headers.ts";

export const createWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows",
  operationId: "createWorkflow",
  summary: "Create a workflow",
  description:
    "Creates a draft. The definition may be omitted or invalid; publishing needs a valid one.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  example: {
    name: "Greeting",
    description: "Greets by name.",
    tags: ["sample"],
    definition: {
      nodes: [
        { id: "name", type: "input/text", label: "Name", parameters: { required: true } },
        {
          id: "greeting",
          type: "text/template",
          parameters: { template: "Hello [name]", placeholders: [{ inputPort: "name" }] },
        },
        { id: "message", type: "output/text", label: "Message" },
      ],
      connections: [
        { from: { node: "name", port: "text" }, to: { node: "greeting", port: "name" } },
        { from: { node: "greeting", port: "text" }, to: { node: "message", port: "text" } },
      ],
    },
  },
  createsOnce: true,
  request: { body: CreateWorkflowBody.extend({ folder_id: folderField.nullable().default(null) }) },
  responses: { 201: { description: "The workflow", body: WorkflowDetail } },
  errors: ["invalid_id", "forbidden", "not_found", "plan_limit_exceeded"],
  handle: async (ctx, { body, exactBody, creation }) => {
    const exact = exactBody();
    const given = {
      name: body.name,
      description: body.description,
      tags: body.tags,
      folderId: body.folder_id,
      definition: isJsonObject(exact) ? exact["definition"] : undefined,
    };
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, given, claim?.statements(201)),
      replay: ({ resourceId }) => readWorkflow(ctx, resourceId, undefined),
    });
    return { status: 201, body: value, headers: replayHeaders(isReplay) };
  },
});
