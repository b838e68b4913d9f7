import * as z from "zod";
import { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { revertWorkflow as revert } from "../../domain/workflows/versions/revert-workflow.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const revertWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/{id}/revert",
  operationId: "revertWorkflow",
  summary: "Make a workflow a draft again",
  description:
    "Versions are kept and running executions continue. New executions are rejected until the workflow is published again. `to_version` also restores that version's definition as the working definition.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: {
    params: z.object({ id: idField("workflow") }),
    body: z.strictObject({ to_version: z.int().nullish() }),
    isBodyOptional: true,
    codes: { "body.to_version": "invalid_version" },
  },
  responses: { 200: { description: "The draft", body: WorkflowDetail } },
  errors: [
    "invalid_id",
    "invalid_version",
    "forbidden",
    "not_found",
    "version_not_available",
    "invalid_state",
  ],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await revert(ctx, params.id, body.to_version ?? undefined),
  }),
});
