import * as z from "zod";
import { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { archiveWorkflow as archive } from "../../domain/workflows/archive-workflow.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const archiveWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/{id}/archive",
  operationId: "archiveWorkflow",
  summary: "Archive a workflow",
  description:
    "An archived workflow stays readable and cannot run. It cannot be restored, but it can be cloned. Archiving it again changes nothing.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: { params: z.object({ id: idField("workflow") }) },
  responses: { 200: { description: "The archived workflow", body: WorkflowDetail } },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { params }) => ({ status: 200, body: await archive(ctx, params.id) }),
});
