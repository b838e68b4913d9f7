import * as z from "zod";
import { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { publishWorkflow as publish } from "../../domain/workflows/versions/publish-workflow.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const publishWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/{id}/publish",
  operationId: "publishWorkflow",
  summary: "Publish the working definition",
  description:
    "Stores it as the next version, which never changes. Unchanged content publishes the current version again. An invalid definition returns 422 `validation_error` with every problem.",
  tag: "Workflows",
  access: { scope: "workflows:write", permission: "ws:workflows:manage" },
  request: {
    params: z.object({ id: idField("workflow") }),
    headers: z.object({
      "if-match": z.string().optional().describe("Publishes only the revision with this ETag."),
    }),
  },
  responses: { 200: { description: "The published workflow", body: WorkflowDetail } },
  errors: [
    "plan_limit_exceeded",
    "invalid_id",
    "forbidden",
    "not_found",
    "precondition_failed",
    "invalid_state",
    "validation_error",
  ],
  errorStatuses: { validation_error: 422 },
  handle: async (ctx, { params, headers }) => ({
    status: 200,
    body: await publish(ctx, params.id, headers["if-match"]),
  }),
});
