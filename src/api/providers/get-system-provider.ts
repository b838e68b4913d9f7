import * as z from "zod";
import { Provider } from "../../contracts/models/provider.ts";
import { getProvider as get } from "../../domain/providers/read-providers.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getSystemProvider = defineEndpoint({
  method: "get",
  path: "/admin/v1/providers/{id}",
  operationId: "getSystemProvider",
  summary: "Read one of the system's providers",
  description:
    "Its settings, the names of its headers, and whether it has a key. The key and the values of headers are never returned.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ id: z.string() }) },
  responses: { 200: { description: "The provider", body: Provider } },
  errors: ["not_found"],
  handle: async (ctx, { params }) => ({ status: 200, body: await get(ctx, null, params.id) }),
});
