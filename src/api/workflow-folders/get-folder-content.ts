import * as z from "zod";
import { WorkflowFolderContent } from "../../contracts/workflows/workflow-folder.ts";
import { readFolderContent } from "../../domain/folders/read-folder-content.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { folderField } from "../folder-field.ts";
import { cursorField, integerField } from "../query-fields.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const getFolderContent = defineEndpoint({
  method: "get",
  path: "/api/v1/workflow-folders/{folder}/content",
  operationId: "getWorkflowFolderContent",
  summary: "Show the content of a folder",
  description:
    "The folder's direct subfolders and workflows; with `search`, those whose name contains it.",
  tag: "Workflow folders",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  request: {
    params: z.object({
      folder: folderField,
    }),
    query: z.object({
      search: z
        .string()
        .max(LIMITS.filter_text.value)
        .optional()
        .describe("Part of a name. Case is ignored."),
      limit: integerField({ min: 1, max: 1000 }).default(1000),
      starting_after: cursorField,
    }),
    codes: { "query.starting_after": "invalid_request" },
  },
  responses: { 200: { description: "Subfolders and workflows", body: WorkflowFolderContent } },
  errors: ["invalid_id", "invalid_request", "forbidden", "not_found"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await readFolderContent(ctx, params.folder, {
      search: query.search,
      limit: query.limit,
      startingAfter: query.starting_after,
    }),
  }),
});
