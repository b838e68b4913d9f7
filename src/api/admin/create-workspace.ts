import * as z from "zod";
import { Name } from "../../contracts/name.ts";
import { Workspace } from "../../contracts/workspaces/organization.ts";
import { createWorkspace as create } from "../../domain/admin/create-workspace.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { showWorkspace } from "./show-workspace.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { requireWorkspace } from "../../domain/admin/require-tenant.ts";
import { replayHeaders } from "../replay-headers.ts";

export const createWorkspace = defineEndpoint({
  method: "post",
  path: "/admin/v1/workspaces",
  operationId: "createWorkspace",
  summary: "Create a workspace",
  description: "The workspace starts on the plan of its organization.",
  tag: "Operator",
  access: "operator",
  createsOnce: true,
  request: { body: z.strictObject({ organization_id: idField("organization"), name: Name }) },
  responses: { 201: { description: "The workspace", body: Workspace } },
  errors: ["invalid_id", "not_found", "plan_limit_exceeded"],
  handle: async (ctx, { body, creation }) => {
    const given = { organizationId: body.organization_id, name: body.name };
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, given, claim?.statements(201)),
      replay: ({ resourceId }) => requireWorkspace(ctx, resourceId),
    });
    return { status: 201, body: showWorkspace(value), headers: replayHeaders(isReplay) };
  },
});
