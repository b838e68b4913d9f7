import { z } from "zod";
import { Name } from "../../contracts/name.ts";
import { Plan, PlanCode, PlanLimits } from "../../contracts/plan.ts";
import { putPlan as put } from "../../domain/admin/put-plan.ts";
import { defineEndpoint } from "../define-endpoint.ts";

export const putPlan = defineEndpoint({
  method: "put",
  path: "/admin/v1/plans/{code}",
  operationId: "putPlan",
  summary: "Create a plan, or replace its limits",
  description:
    "A limit that is left out takes its default; `null` is no limit. Workspaces on the plan follow within 30 seconds.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ code: PlanCode }),
    body: z.strictObject({ name: Name.optional(), limits: PlanLimits }),
  },
  responses: { 200: { description: "The plan", body: Plan } },
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
