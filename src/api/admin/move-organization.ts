import * as z from "zod";
import { OrganizationMove } from "../../contracts/workspaces/organization-move.ts";
import { ShardNumber } from "../../contracts/workspaces/shard.ts";
import { moveOrganization as move } from "../../domain/admin/move-organization.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";

export const moveOrganization = defineEndpoint({
  method: "post",
  path: "/admin/v1/organizations/{id}/move",
  operationId: "moveOrganization",
  summary: "Move an organization to another shard",
  description:
    "The organization works while its rows are copied. At the end, its writes wait for less than a second.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ id: idField("organization") }),
    body: z.strictObject({ shard: ShardNumber.describe("The new home.") }),
  },
  responses: { 202: { description: "The move", body: OrganizationMove } },
  errors: ["invalid_id", "not_found", "conflict"],
  handle: async (ctx, { params, body }) => ({
    status: 202,
    body: await move(ctx, params.id, body.shard),
  }),
});
