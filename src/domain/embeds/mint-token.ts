import { SignJWT } from "jose";
import type { EmbedClaims } from "../../contracts/embeds/embed-claims.ts";
import { EMBED_PERMISSIONS, EMBED_SUBJECTS } from "../../contracts/embeds/embed-permissions.ts";
import type {
  MintedToken,
  MintEditorToken,
  MintRuntimeToken,
} from "../../contracts/embeds/embed-requests.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { signingKey, TOKEN_ISSUER } from "../auth/signing-key.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";
import { requireWorkflow } from "../workflows/require-workflow.ts";
import { loadVersion } from "../workflows/versions/load-version.ts";
import { chooseInterface, unknownInterface } from "../workflows/choose-interface.ts";

const LIFETIME_MINUTES = LIMITS.embed_lifetime.value / 60_000;
const TOKEN_CHARS_MAX = LIMITS.embed_token.value;

/** Claims of one kind of token, beside those that every token has. */
type OwnClaims<C extends EmbedClaims> = C extends EmbedClaims
  ? Omit<C, "iss" | "jti" | "iat" | "exp">
  : never;

/**
 * A token for the widget of one workflow (docs/contract/embeds.md#tokens). Nothing is stored. Throws `not_found` and
 * `forbidden` for the workflow, `workflow_not_published`, `validation_error` for an unknown interface and for a token
 * that is too long, `plan_limit_exceeded`.
 */
export async function mintRuntimeToken(
  ctx: CallerContext,
  request: MintRuntimeToken,
): Promise<MintedToken> {
  const { principal } = ctx;
  await requireEmbedAccess(ctx);
  const workflow = await requireWorkflow(ctx, request.workflow);
  if (workflow.status !== "published") {
    throw new AppError(
      "workflow_not_published",
      `The workflow ${workflow.id} is ${workflow.status}; only published workflows can be embedded. Publish it first.`,
    );
  }
  return sign(ctx, request, {
    sub: EMBED_SUBJECTS.runtime,
    wf: workflow.id,
    if: await interfaceId(ctx, workflow, request.interface ?? null),
    org_id: principal.organizationId,
    ws_id: principal.workspaceId,
    aki: principal.keyId,
    permissions: EMBED_PERMISSIONS.filter((name) => principal.permissions.has(name)).toSorted(),
    allowed_origins: request.allowed_origins,
    max_executions: request.max_executions ?? null,
    end_user_id: request.end_user_id ?? null,
  });
}

/** A token for the editor, with the rights of its key. Throws as `mintRuntimeToken`. */
export async function mintEditorToken(
  ctx: CallerContext,
  request: MintEditorToken,
): Promise<MintedToken> {
  const { principal } = ctx;
  await requireEmbedAccess(ctx);
  return sign(ctx, request, {
    sub: EMBED_SUBJECTS.editor,
    uid: principal.keyId,
    org_id: principal.organizationId,
    ws_id: principal.workspaceId,
    aki: principal.keyId,
    email_verified: true,
    org_role: "service",
    ws_role: "service",
    permissions: [...principal.permissions].toSorted(),
    allowed_origins: request.allowed_origins,
    end_user_id: request.end_user_id ?? null,
  });
}

async function requireEmbedAccess(ctx: CallerContext): Promise<void> {
  const { code, limits } = await getBillingPlan(ctx, ctx.principal);
  if (!limits.embed_access) {
    throw new AppError(
      "plan_limit_exceeded",
      `The plan ${code} does not include embeds. Change the plan. GET /api/v1/plan returns the limits of this one.`,
    );
  }
}

async function interfaceId(
  ctx: CallerContext,
  workflow: { readonly id: string; readonly version: number },
  given: string | null,
): Promise<string | null> {
  if (given === null) {
    return null;
  }
  const { definition } = await loadVersion(ctx, workflow.id, workflow.version);
  const id = chooseInterface(definition.interfaces, given);
  if (!definition.interfaces.some((entry) => entry.id === id)) {
    throw unknownInterface(definition.interfaces, given);
  }
  return id;
}

async function sign(
  ctx: CallerContext,
  { expires_in_minutes: minutes }: Pick<MintEditorToken, "expires_in_minutes">,
  claims: OwnClaims<EmbedClaims>,
): Promise<MintedToken> {
  const nowMs = ctx.nowMs();
  const iat = Math.floor(nowMs / 1000);
  const exp = iat + (minutes ?? LIFETIME_MINUTES) * 60;
  const jti = newId("embed", nowMs);
  const token = await new SignJWT({ ...claims, iss: TOKEN_ISSUER, jti, iat, exp })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(await signingKey(ctx.env.JWT_SECRET));
  if (token.length > TOKEN_CHARS_MAX) {
    const message = `The token would have ${token.length} characters, of ${TOKEN_CHARS_MAX} at most. Send fewer or shorter origins.`;
    throw new AppError("validation_error", `allowed_origins: ${message}`, {
      errors: [{ field: "allowed_origins", message }],
    });
  }
  return { token, jti, expires_at: new Date(exp * 1000).toISOString() };
}
