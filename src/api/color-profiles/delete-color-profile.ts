import * as z from "zod";
import { deleteColorProfile as remove } from "../../domain/color-profiles/delete-color-profile.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { guidField } from "../guid-field.ts";

export const deleteColorProfile = defineEndpoint({
  method: "delete",
  path: "/api/v1/color-profiles/{guid}",
  operationId: "deleteColorProfile",
  summary: "Delete a color profile",
  description:
    "Published workflow versions and runs that name the profile keep its bytes. A working definition that names it is then invalid, and direct renders are refused.",
  tag: "Color profiles",
  access: { scope: "assets:write", permission: "ws:assets:manage" },
  request: { params: z.object({ guid: guidField("a color profile") }) },
  responses: { 204: { description: "Deleted" } },
  errors: ["invalid_id", "forbidden", "not_found"],
  handle: async (ctx, { params }) => {
    await remove(ctx, params.guid);
    return { status: 204 };
  },
});
