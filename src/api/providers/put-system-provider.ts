import * as z from "zod";
import { Provider, ProviderId, PutProvider } from "../../contracts/models/provider.ts";
import { putProvider as put } from "../../domain/providers/put-provider.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const putSystemProvider = defineEndpoint({
  method: "put",
  path: "/admin/v1/providers/{id}",
  operationId: "putSystemProvider",
  summary: "Create one of the system's providers, or replace its settings",
  description:
    "A member that is omitted takes its default, except `api_key`, which stays as it is. Keys and the values of headers are stored encrypted and never returned. Every workspace can use the system's providers, except where its own entry of the same id replaces them. The change holds within 30 seconds.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ id: ProviderId }), body: PutProvider },
  responses: { 200: { description: "The provider", body: Provider } },
  errors: ["invalid_url", "conflict", "feature_disabled"],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await put(ctx, null, params.id, body),
  }),
});
