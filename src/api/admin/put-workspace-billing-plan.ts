import * as z from "zod";
import { Workspace } from "../../contracts/workspaces/organization.ts";
import { BillingPlanCode } from "../../contracts/workspaces/billing-plan.ts";
import { putWorkspaceBillingPlan as put } from "../../domain/admin/put-billing-plan.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { showWorkspace } from "./show-workspace.ts";

export const putWorkspaceBillingPlan = defineEndpoint({
  method: "put",
  path: "/admin/v1/workspaces/{id}/plan",
  operationId: "putWorkspacePlan",
  summary: "Put a workspace on a plan",
  description:
    "The workspace follows within 30 seconds. Runs that wait for a slot start immediately if the new plan has more slots.",
  tag: "Operator",
  access: "operator",
  request: {
    params: z.object({ id: idField("workspace") }),
    body: z.strictObject({ plan: BillingPlanCode }),
  },
  responses: { 200: { description: "The workspace", body: Workspace } },
  errors: ["invalid_id", "not_found"],
  handle: async (ctx, { params, body }) => ({
    status: 200,
    body: showWorkspace(await put(ctx, params.id, body.plan)),
  }),
});
