import * as z from "zod";
import { zipDownload } from "../../domain/exports/zip-export.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const downloadExecutionZip = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}/zip/{zip_id}/download",
  operationId: "downloadExecutionZip",
  summary: "Download an archive of a ZIP export",
  description:
    "Redirects to an address of the archive that needs no token. Follow it at once: if the deployment signs addresses, it expires after an hour.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: {
    params: z.object({
      id: idField("run"),
      zip_id: z
        .string()
        .regex(/^\d{1,9}$/, "Must be an integer from the export's status.")
        .transform(Number)
        .describe("From `zips` of the export's status."),
    }),
    codes: { "params.zip_id": "invalid_id" },
  },
  responses: {
    302: {
      description: "The archive's address, which needs no token",
      headers: { Location: "Address of the file" },
    },
  },
  errors: ["invalid_id", "not_found", "forbidden", "outputs_expired"],
  handle: async (ctx, { params }) => ({
    status: 302,
    headers: {
      location: await zipDownload(ctx, params.id, params.zip_id),
      "cache-control": "private, no-store",
    },
  }),
});
