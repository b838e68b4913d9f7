import { WorkflowFolderList } from "../../contracts/workflows/workflow-folder.ts";
import { listFolders as list } from "../../domain/folders/describe-folders.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const listFolders = defineEndpoint({
  method: "get",
  path: "/api/v1/workflow-folders",
  operationId: "listWorkflowFolders",
  summary: "List every folder",
  description:
    "All folders of the workspace in one list, by name, with the number of workflows in each; `parent_id` is the enclosing folder.",
  tag: "Workflow folders",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  responses: { 200: { description: "Every folder", body: WorkflowFolderList } },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: await list(ctx) }),
});
