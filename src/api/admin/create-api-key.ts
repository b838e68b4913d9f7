import * as z from "zod";
import { timestampField } from "../../contracts/timestamp.ts";
import { Permission, Scope } from "../../contracts/workspaces/access.ts";
import { Name } from "../../contracts/name.ts";
import { createApiKey as create, readApiKey } from "../../domain/admin/create-api-key.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { timeField } from "../query-fields.ts";
import { createOnce } from "../../domain/idempotency/create-once.ts";
import { replayHeaders } from "../replay-headers.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const Body = z.strictObject({
  workspace_id: idField("workspace"),
  name: Name,
  scopes: z.array(Scope).max(LIMITS.scopes.value).optional().describe("Default: all."),
  permissions: z.array(Permission).max(LIMITS.scopes.value).optional().describe("Default: all."),
  expires_at: timeField.nullish().describe("ISO 8601. If omitted, the key does not expire."),
  is_agent: z
    .boolean()
    .default(false)
    .describe("Marks a key used by an agent: its submits must limit their fan-out."),
});

const CreatedApiKey = z
  .object({
    id: z.string().describe("Id of the key, `key_…`."),
    client_id: z.string().describe("The user name of the token request."),
    client_secret: z
      .string()
      .nullable()
      .describe(
        "Shown once; null when the request is repeated. Only a hash of the secret is stored.",
      ),
    organization_id: z.string().describe("The organization that the key belongs to."),
    workspace_id: z.string().describe("The workspace that the key works in."),
    name: z.string().describe("Name of the key."),
    scopes: z.array(Scope).describe("What the key may be used for."),
    permissions: z.array(Permission).describe("What the key may do in its workspace."),
    is_agent: z.boolean().describe("Whether its submits must limit their fan-out."),
    created_at: timestampField.describe("When the key was created."),
    expires_at: timestampField
      .nullable()
      .describe("When the key stops working; null if it does not expire."),
  })
  .meta({ id: "CreatedApiKey" });

export const createApiKey = defineEndpoint({
  method: "post",
  path: "/admin/v1/api-keys",
  operationId: "createApiKey",
  summary: "Create an API key",
  description:
    "The secret is returned only in this response; only its hash is stored. A key without `expires_at` is valid until it is revoked.",
  tag: "Operator",
  access: "operator",
  createsOnce: true,
  request: { body: Body },
  responses: { 201: { description: "The key with its secret", body: CreatedApiKey } },
  errors: ["invalid_id", "not_found", "plan_limit_exceeded"],
  handle: async (ctx, { body, creation }) => {
    const given = {
      workspaceId: body.workspace_id,
      name: body.name,
      scopes: body.scopes,
      permissions: body.permissions,
      isAgent: body.is_agent,
      expiresAtMs: body.expires_at ?? undefined,
    };
    const { value, isReplay } = await createOnce(ctx, creation, {
      create: (claim) => create(ctx, given, claim?.statements(201)),
      replay: ({ resourceId }) => readApiKey(ctx, resourceId),
    });
    const { key, secret } = value;
    return {
      status: 201,
      headers: { "cache-control": "no-store", ...replayHeaders(isReplay) },
      body: {
        id: key.id,
        client_id: key.id,
        client_secret: secret,
        organization_id: key.organization_id,
        workspace_id: key.workspace_id,
        name: key.name,
        scopes: key.scopes,
        permissions: key.permissions,
        is_agent: key.is_agent,
        created_at: new Date(key.created_at_ms).toISOString(),
        expires_at: key.expires_at_ms === null ? null : new Date(key.expires_at_ms).toISOString(),
      },
    };
  },
});
