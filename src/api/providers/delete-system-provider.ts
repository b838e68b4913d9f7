import * as z from "zod";
import { deleteProvider as remove } from "../../domain/providers/read-providers.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const deleteSystemProvider = defineEndpoint({
  method: "delete",
  path: "/admin/v1/providers/{id}",
  operationId: "deleteSystemProvider",
  summary: "Delete one of the system's providers",
  description:
    "Its key is deleted with it. Its models are no longer listed; to hide a provider and keep its key, replace it with `enabled: false`.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ id: z.string() }) },
  responses: { 204: { description: "The provider is deleted" } },
  errors: ["not_found"],
  handle: async (ctx, { params }) => {
    await remove(ctx, null, params.id);
    return { status: 204 };
  },
});
