import * as z from "zod";
import { FolderName, WorkflowFolder } from "../../contracts/workflows/workflow-folder.ts";
import { createFolder as create } from "../../domain/folders/create-folder.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { folderField } from "../folder-field.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readFolder } from "../../domain/folders/describe-folders.ts";
import { replayHeaders } from "../replay-headers.ts";

export const createFolder = defineEndpoint({
  method: "post",
  path: "/api/v1/workflow-folders",
  operationId: "createWorkflowFolder",
  summary: "Create a folder",
  description:
    "A folder's name is unique among its siblings; case is ignored. Without `parent_id` it is created at the top level.",
  tag: "Workflow folders",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  example: { name: "Cards" },
  createsOnce: true,
  request: {
    body: z.strictObject({ name: FolderName, parent_id: folderField.nullable().default(null) }),
  },
  responses: { 201: { description: "The folder", body: WorkflowFolder } },
  errors: ["invalid_id", "forbidden", "not_found", "conflict"],
  handle: async (ctx, { body, creation }) => {
    const given = { name: body.name, parentId: body.parent_id };
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, given, claim?.statements(201)),
      replay: ({ resourceId }) => readFolder(ctx, resourceId),
    });
    return { status: 201, body: value, headers: replayHeaders(isReplay) };
  },
});
