import * as z from "zod";
import { OrganizationMove } from "../../contracts/workspaces/organization-move.ts";
import { readMove } from "../../domain/admin/move-organization.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const getOrganizationMove = defineEndpoint({
  method: "get",
  path: "/admin/v1/organizations/{id}/move",
  operationId: "getOrganizationMove",
  summary: "Read the last move of an organization",
  description: "A failed move has changed nothing.",
  tag: "Operator",
  access: "operator",
  request: { params: z.object({ id: idField("organization") }) },
  responses: { 200: { description: "The move", body: OrganizationMove } },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params }) => ({ status: 200, body: await readMove(ctx, params.id) }),
});
