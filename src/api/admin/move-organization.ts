import * as z from "zod";
import { OrganizationMove } from "../../contracts/workspaces/organization-move.ts";
import { ShardNumber } from "../../contracts/workspaces/shard.ts";
import { moveOrganization as move, readMove } from "../../domain/admin/move-organization.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { replayHeaders } from "../replay-headers.ts";

export const moveOrganization = defineEndpoint({
  method: "post",
  path: "/admin/v1/organizations/{id}/move",
  operationId: "moveOrganization",
  summary: "Move an organization to another shard",
  description:
    "The organization works while its rows are copied. At the end, its writes wait for less than a second.",
  tag: "Operator",
  access: "operator",
  createsOnce: true,
  request: {
    params: z.object({ id: idField("organization") }),
    body: z.strictObject({ shard: ShardNumber.describe("The new home.") }),
  },
  responses: { 202: { description: "The move", body: OrganizationMove } },
  errors: ["invalid_id", "not_found", "conflict"],
  handle: async (ctx, { params, body, creation }) => {
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: async (claim) => {
        const begun = await move(ctx, params.id, body.shard);
        // After a crash before this, a repeat is refused while the move goes on, and at its end.
        await claim?.settle(params.id, 202);
        return begun;
      },
      replay: ({ resourceId }) => readMove(ctx, resourceId),
    });
    return { status: 202, body: value, headers: replayHeaders(isReplay) };
  },
});
