import { z } from "zod";
import { ZipStatus } from "../../contracts/zip-export.ts";
import { requestZip } from "../../domain/exports/zip-export.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const requestExecutionZip = defineEndpoint({
  method: "post",
  path: "/api/v1/executions/{id}/zip",
  operationId: "requestExecutionZip",
  summary: "Export an execution's outputs as ZIP",
  description:
    "Of a run that is `completed` or `partial_success`. Outputs of an iterated group stand in a folder of its key. Above 2 GB there are several archives. Asking again changes nothing; an export that failed begins anew.",
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
