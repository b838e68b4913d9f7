import * as z from "zod";
import { Name } from "../../contracts/name.ts";
import { Organization } from "../../contracts/workspaces/organization.ts";
import { ShardNumber } from "../../contracts/workspaces/shard.ts";
import { BillingPlanCode } from "../../contracts/workspaces/billing-plan.ts";
import { createOrganization as create } from "../../domain/admin/create-organization.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { requireOrganization } from "../../domain/admin/require-tenant.ts";
import { replayHeaders } from "../replay-headers.ts";

export const createOrganization = defineEndpoint({
  method: "post",
  path: "/admin/v1/organizations",
  operationId: "createOrganization",
  summary: "Create an organization",
  description: "New workspaces of the organization start on `plan`. The default is `dev`.",
  tag: "Operator",
  access: "operator",
  createsOnce: true,
  request: {
    body: z.strictObject({
      name: Name,
      plan: BillingPlanCode.default("dev"),
      shard: ShardNumber.optional().describe(
        "The organization's home. Default: the open shard with the fewest organizations, the lowest number first.",
      ),
    }),
  },
  responses: { 201: { description: "The organization", body: Organization } },
  errors: ["conflict"],
  handle: async (ctx, { body, creation }) => {
    const { value: row, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, body, claim?.statements(201)),
      replay: ({ resourceId }) => requireOrganization(ctx, resourceId),
    });
    return {
      status: 201,
      headers: replayHeaders(isReplay),
      body: {
        id: row.id,
        name: row.name,
        plan: row.plan_code,
        shard: row.shard,
        created_at: new Date(row.created_at_ms).toISOString(),
      },
    };
  },
});
