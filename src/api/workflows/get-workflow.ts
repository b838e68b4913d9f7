import * as z from "zod";
import { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import { readWorkflow } from "../../domain/workflows/read-workflow.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getWorkflow = defineEndpoint({
  method: "get",
  path: "/api/v1/workflows/{id}",
  operationId: "getWorkflow",
  summary: "Read a workflow",
  description:
    "Includes the interface and execution contract of the latest published version, of `version` if it is sent, or of the working definition if nothing is published.",
  tag: "Workflows",
  access: { scope: "workflows:read", permission: "ws:workflows:read" },
  request: {
    params: z.object({ id: idField("workflow") }),
    query: z.object({
      version: z.string().optional().describe("A version number, from 1 to the latest."),
    }),
    codes: { "query.version": "invalid_version" },
  },
  responses: { 200: { description: "The workflow", body: WorkflowDetail } },
  errors: ["invalid_id", "invalid_version", "forbidden", "not_found", "version_not_available"],
  handle: async (ctx, { params, query }) => ({
    status: 200,
    body: await readWorkflow(ctx, params.id, query.version),
  }),
});
