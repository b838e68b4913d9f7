import * as z from "zod";
import { ProviderCheck } from "../../contracts/models/provider.ts";
import { checkProvider as check } from "../../domain/providers/check-provider.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const checkSystemProvider = defineEndpoint({
  method: "post",
  path: "/admin/v1/providers/{id}/check",
  operationId: "checkSystemProvider",
  summary: "Check one of the system's providers",
  description:
    "Makes one call that costs nothing with the stored address, key and headers, also for a disabled provider. A failure is part of the response.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ id: z.string() }) },
  responses: { 200: { description: "What the provider answered", body: ProviderCheck } },
  errors: ["not_found", "feature_disabled"],
  handle: async (ctx, { params }) => ({
    status: 200,
    body: await check(ctx, null, params.id),
  }),
});
