import { BundleManifest, ComposeBundle } from "../../contracts/files/bundle-manifest.ts";
import { composeBundle } from "../../domain/bundles/compose-bundle.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const composeBundleManifest = defineEndpoint({
  method: "post",
  path: "/api/v1/bundle-manifests/compose",
  operationId: "composeBundleManifest",
  summary: "Compose a bundle manifest",
  description:
    "Lists stored assets with their true sizes, types and, unless `include_checksum` is false, SHA-256. A missing `id` or path is derived from the file name. Nothing is stored, and the call is free of charge.",
  tag: "Assets",
  access: { scope: "assets:read", permission: "ws:assets:read" },
  isReadOnly: true,
  request: { body: ComposeBundle },
  responses: { 200: { description: "The manifest", body: BundleManifest } },
  errors: ["not_found", "forbidden", "source_changed"],
  handle: async (ctx, { body }) => ({
    status: 200,
    body: await composeBundle({ env: ctx.env, workspaceId: ctx.principal.workspaceId }, body),
  }),
});
