import * as z from "zod";
import { ProviderList } from "../../contracts/models/provider.ts";
import { listProviders as list } from "../../domain/providers/read-providers.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { cursorField, limitField } from "../query-fields.ts";

export const listSystemProviders = defineEndpoint({
  method: "get",
  path: "/admin/v1/providers",
  operationId: "listSystemProviders",
  summary: "List the system's providers",
  description:
    "By id, without keys and the values of headers. Every workspace can use the system's providers, except where its own entry of the same id replaces them.",
  tag: "Operator",
  access: "operator",
  request: {
    query: z.object({ limit: limitField(), starting_after: cursorField }),
  },
  responses: { 200: { description: "A page of providers", body: ProviderList } },
  errors: ["invalid_request", "validation_error"],
  handle: async (ctx, { query }) => ({
    status: 200,
    body: await list(ctx, null, { limit: query.limit, startingAfter: query.starting_after }),
  }),
});
