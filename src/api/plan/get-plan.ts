import { PlanView } from "../../contracts/plan.ts";
import { describePlan } from "../../domain/plans/describe-plan.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const getPlan = defineEndpoint({
  method: "get",
  path: "/api/v1/plan",
  operationId: "getPlan",
  summary: "Read the plan, its limits and what of them is used",
  tag: "Plan",
  access: { scope: null, permission: null },
  responses: { 200: { description: "The plan", body: PlanView } },
  errors: [],
  handle: async (ctx) => ({ status: 200, body: await describePlan(ctx) }),
});
