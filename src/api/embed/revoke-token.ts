import * as z from "zod";
import { revokeToken as revoke } from "../../domain/embeds/revoke-token.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { timeField } from "../query-fields.ts";

export const revokeToken = defineEndpoint({
  method: "delete",
  path: "/api/v1/embed/tokens/{jti}",
  operationId: "revokeEmbedToken",
  summary: "Revoke an embed token",
  description:
    "Within a second every page and every call refuses the token; its open event streams end within 5 seconds. Always 204, also for an id that is not known or was revoked. Pass the `expires_at` of the mint: a token that outlives its revocation works again.",
  tag: "Embeds",
  access: { scope: "embeds:write", permission: null, needsApiKey: true },
  request: {
    params: z.object({
      jti: z
        .string()
        .regex(/^emb_[0-9a-f]{32}$/i, "Must be the jti of the mint: emb_ and 32 hex digits")
        .toLowerCase()
        .describe("`emb_` and 32 hex digits."),
    }),
    query: z.object({
      expires_at: timeField
        .optional()
        .describe(
          "End of the revocation; 30 days from now if omitted. A time in the past revokes nothing.",
        ),
    }),
    codes: { "params.jti": "invalid_jti" },
  },
  responses: { 204: { description: "Revoked" } },
  errors: ["validation_error", "api_key_required"],
  handle: async (ctx, { params, query }) => {
    await revoke(ctx, params.jti, query.expires_at);
    return { status: 204 };
  },
});
