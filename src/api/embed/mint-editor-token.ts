import { MintedToken, MintEditorToken } from "../../contracts/embeds/embed-requests.ts";
import { mintEditorToken as mint } from "../../domain/embeds/mint-token.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const mintEditorToken = defineEndpoint({
  method: "post",
  path: "/api/v1/embed/editor/tokens",
  operationId: "mintEditorToken",
  summary: "Mint an editor token",
  description:
    "A bearer token of `/api/v1` with the permissions of the key, and its scopes for workflows, executions, assets and templates. Call this from your backend.",
  tag: "Embeds",
  isReadOnly: true,
  access: { scope: "embeds:write", permission: "ws:workflows:manage", needsApiKey: true },
  example: { allowed_origins: ["https://app.example.com"], expires_in_minutes: 60 },
  request: { body: MintEditorToken },
  responses: { 201: { description: "The token", body: MintedToken } },
  errors: ["plan_limit_exceeded", "api_key_required"],
  handle: async (ctx, { body }) => ({
    status: 201,
    body: await mint(ctx, body),
    headers: { "cache-control": "no-store" },
  }),
});
