import * as z from "zod";
import { ZipStatus } from "../../contracts/runs/zip-export.ts";
import { readZipStatus } from "../../domain/exports/zip-export.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getExecutionZipStatus = defineEndpoint({
  method: "get",
  path: "/api/v1/executions/{id}/zip/status",
  operationId: "getExecutionZipStatus",
  summary: "Read the status of a ZIP export",
  description:
    "Poll this while `status` is `building`. `zips` lists the archives once it is `completed`.",
  tag: "Executions",
  access: { scope: "executions:read", permission: "ws:executions:read" },
  request: { params: z.object({ id: idField("run") }) },
  responses: {
    200: {
      description: "The export",
      body: ZipStatus,
      headers: { "Cache-Control": "`private, no-cache`" },
    },
  },
  errors: ["invalid_id", "not_found", "forbidden"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await readZipStatus(ctx, params.id),
    headers: { "cache-control": "private, no-cache" },
  }),
});
