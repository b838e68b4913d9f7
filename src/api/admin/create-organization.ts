import { z } from "zod";
import { Name } from "../../contracts/name.ts";
import { Organization } from "../../contracts/organization.ts";
import { PlanCode } from "../../contracts/plan.ts";
import { createOrganization as create } from "../../domain/admin/create-organization.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const createOrganization = defineEndpoint({
  method: "post",
  path: "/admin/v1/organizations",
  operationId: "createOrganization",
  summary: "Create an organisation",
  description: "Its workspaces begin on `plan`, `dev` when left out.",
  tag: "Operator",
  access: "operator",
  request: { body: z.strictObject({ name: Name, plan: PlanCode.default("dev") }) },
  responses: { 201: { description: "The organisation", body: Organization } },
  errors: [],
  handle: async (ctx, { body }) => {
    const row = await create(ctx, body);
    return {
      status: 201,
      body: {
        id: row.id,
        name: row.name,
        plan: row.plan_code,
        created_at: new Date(row.created_at_ms).toISOString(),
      },
    };
  },
});
