import { BillingPlanView } from "../../contracts/workspaces/billing-plan.ts";
import { describeBillingPlan } from "../../domain/billing-plans/describe-billing-plan.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getBillingPlan = defineEndpoint({
  method: "get",
  path: "/api/v1/plan",
  operationId: "getPlan",
  summary: "Read the plan, its limits and the current usage",
  description:
    "The limits of the workspace's plan and the current usage of credits, storage, workflows, keys and executions. `null` means no limit.",
  tag: "Plan",
  access: { scope: null, permission: null },
  responses: { 200: { description: "The plan", body: BillingPlanView } },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: await describeBillingPlan(ctx) }),
});
