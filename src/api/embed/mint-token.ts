import { MintedToken, MintRuntimeToken } from "../../contracts/embeds/embed-requests.ts";
import { mintRuntimeToken } from "../../domain/embeds/mint-token.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const mintToken = defineEndpoint({
  method: "post",
  path: "/api/v1/embed/tokens",
  operationId: "mintEmbedToken",
  summary: "Mint a runtime embed token",
  description:
    "A token for the widget: it runs one published workflow from the pages of `allowed_origins`, and shows nothing else of the workspace. Call this from your backend; send the token to the page. Each call mints another token: there is nothing to repeat safely, and nothing is stored.",
  tag: "Embeds",
  isReadOnly: true,
  access: { scope: "embeds:write", permission: "ws:executions:create", needsApiKey: true },
  example: {
    workflow: "wf_0190f3a27c1e70008000000000000000",
    allowed_origins: ["https://app.example.com"],
    expires_in_minutes: 60,
    max_executions: 20,
    end_user_id: "customer-4711",
  },
  request: {
    body: MintRuntimeToken.extend({ workflow: idField("workflow", "validation_error") }),
  },
  responses: { 201: { description: "The token", body: MintedToken } },
  errors: [
    "not_found",
    "forbidden",
    "workflow_not_published",
    "version_not_available",
    "plan_limit_exceeded",
    "api_key_required",
  ],
  handle: async (ctx, { body }) => ({
    status: 201,
    body: await mintRuntimeToken(ctx, body),
    headers: { "cache-control": "no-store" },
  }),
});
