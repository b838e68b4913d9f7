import * as z from "zod";
import { Name } from "../../contracts/name.ts";
import {
  BillingPlan,
  BillingPlanCode,
  BillingPlanLimits,
} from "../../contracts/workspaces/billing-plan.ts";
import { putBillingPlan as put } from "../../domain/admin/put-billing-plan.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const putBillingPlan = defineEndpoint({
  method: "put",
  path: "/admin/v1/plans/{code}",
  operationId: "putPlan",
  summary: "Create a plan, or replace its limits",
  description:
    "A limit that is omitted takes its default; `null` removes the limit. The change applies to workspaces on the plan within 30 seconds.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ code: BillingPlanCode }),
    body: z.strictObject({ name: Name.optional(), limits: BillingPlanLimits }),
  },
  responses: { 200: { description: "The plan", body: BillingPlan } },
  errors: [],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: await put(ctx, {
      code: params.code,
      name: body.name ?? params.code,
      limits: body.limits,
    }),
  }),
});
