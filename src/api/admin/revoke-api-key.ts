import * as z from "zod";
import { revokeApiKey as revoke } from "../../domain/admin/revoke-api-key.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const revokeApiKey = defineEndpoint({
  method: "delete",
  path: "/admin/v1/api-keys/{id}",
  operationId: "revokeApiKey",
  summary: "Revoke an API key",
  description:
    "The key cannot be exchanged for new tokens. Its existing tokens stop working within 60 seconds.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ id: idField("apiKey") }) },
  responses: { 204: { description: "The key is revoked" } },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params }) => {
    await revoke(ctx, params.id);
    return { status: 204 };
  },
});
