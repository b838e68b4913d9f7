import * as z from "zod";
import { Estimate } from "../../contracts/runs/estimate.ts";
import { SubmitExecution } from "../../contracts/runs/execution-requests.ts";
import { estimateExecution } from "../../domain/executions/estimate/estimate-execution.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const estimateWorkflow = defineEndpoint({
  method: "post",
  path: "/api/v1/workflows/{id}/estimate",
  operationId: "estimateWorkflow",
  summary: "Estimate what a submit would cost",
  description:
    "Accepts the body of a submit; `workflow` may be omitted. Nothing runs and nothing is charged. The estimate is exact if every count follows from the definition and the inline inputs. A body that a submit would reject is rejected here too, except for missing credits.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  example: { inputs: { name: { value: '"Ada Lovelace"' } } },
  isReadOnly: true,
  request: {
    params: z.object({ id: idField("workflow") }),
    body: SubmitExecution.partial({ workflow: true }).meta({ id: "EstimateRequest" }),
    isBodyOptional: true,
  },
  responses: { 200: { description: "The estimate", body: Estimate } },
  errors: [
    "invalid_id",
    "invalid_request",
    "validation_error",
    "not_found",
    "forbidden",
    "workflow_not_published",
    "invalid_version",
    "version_not_available",
    "payload_too_large",
    "unsupported_media_type",
  ],
  handle: async (ctx, { params, body, exactBody }) => ({
    status: 200,
    body: await estimateExecution(ctx, { workflowId: params.id, body, exactBody: exactBody() }),
  }),
});
