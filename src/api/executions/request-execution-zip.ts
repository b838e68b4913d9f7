import * as z from "zod";
import { ZipStatus } from "../../contracts/runs/zip-export.ts";
import { requestZip } from "../../domain/exports/zip-export.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const requestExecutionZip = defineEndpoint({
  method: "post",
  path: "/api/v1/executions/{id}/zip",
  operationId: "requestExecutionZip",
  summary: "Export an execution's outputs as ZIP",
  description:
    "The run must be `completed` or `partial_success`. Outputs of an iterated group are in a folder named by its key. An export above 2 GB has several archives. Repeating the request changes nothing, except that a failed export starts again.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: { params: z.object({ id: idField("run") }) },
  responses: {
    200: { description: "The export exists", body: ZipStatus },
    202: { description: "It is being built: poll its status", body: ZipStatus },
  },
  errors: ["invalid_id", "not_found", "forbidden", "invalid_status", "outputs_expired"],
  handle: async (ctx, { params }) => {
    const { existed, status } = await requestZip(ctx, params.id);
    return existed ? { status: 200, body: status } : { status: 202, body: status };
  },
});
