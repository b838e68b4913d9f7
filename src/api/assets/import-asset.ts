import * as z from "zod";
import { Asset } from "../../contracts/files/asset.ts";
import { importAsset as fetchAndStore } from "../../domain/assets/import-asset.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { readAsset } from "../../domain/assets/asset-response.ts";
import { replayHeaders } from "../replay-headers.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const importAsset = defineEndpoint({
  method: "post",
  path: "/api/v1/assets/import",
  operationId: "importAsset",
  summary: "Import a file",
  description:
    "Fetches a public https address and stores the response. Limits: 5 redirects, each checked again; 10 s until the response starts, 120 s in total; 250 MB. The type is taken from `file_name`, otherwise from the address, otherwise from the response headers. The bytes are inspected.",
  tag: "Assets",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  createsOnce: true,
  request: {
    body: z.strictObject({
      url: z
        .string({ error: "Send the address of the file: a public https URL." })
        .min(1, "Send the address of the file: a public https URL.")
        .describe("Public https, without credentials, on port 443."),
      file_name: z
        .string()
        .min(1)
        .max(LIMITS.asset_path.value)
        .optional()
        .describe("With its extension. If omitted, it is taken from the address or the response."),
    }),
    codes: { "body.url": "invalid_request" },
  },
  responses: { 201: { description: "The stored file", body: Asset } },
  errors: [
    "invalid_request",
    "invalid_url",
    "unsupported_type",
    "content_mismatch",
    "invalid_file",
    "quota_exceeded",
    "file_too_large",
    "rate_limited",
    "fetch_failed",
    // A repeat whose resource was deleted since.
    "not_found",
  ],
  handle: async (ctx, { body, creation }) => {
    const stored = createOnce(ctx, creation, {
      create: (claim) => fetchAndStore(ctx, body.url, body.file_name, claim?.statements(201)),
      replay: ({ resourceId }) => readAsset(ctx, resourceId),
    });
    // A client that disconnects must not interrupt the cleanup.
    ctx.waitUntil(stored.catch(() => undefined));
    const { value, isReplay } = await stored;
    return { status: 201, body: value, headers: replayHeaders(isReplay) };
  },
});
