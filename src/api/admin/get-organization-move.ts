import * as z from "zod";
import { OrganizationMove } from "../../contracts/workspaces/organization-move.ts";
import { readMove } from "../../domain/admin/move-organization.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, taggedReply } from "../tagged-reply.ts";

export const getOrganizationMove = defineEndpoint({
  method: "get",
  path: "/admin/v1/organizations/{id}/move",
  operationId: "getOrganizationMove",
  summary: "Read the last move of an organization",
  description: "A failed move has changed nothing.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ id: idField("organization") }),
    headers: z.object(IF_NONE_MATCH),
  },
  responses: {
    200: { description: "The move", body: OrganizationMove, headers: ETAG },
    304: NOT_MODIFIED,
  },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params, headers }) =>
    await taggedReply(await readMove(ctx, params.id), headers["if-none-match"]),
});
