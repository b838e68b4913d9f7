import {
  type Permission,
  PERMISSIONS,
  type Scope,
  SCOPES,
} from "../../contracts/workspaces/access.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { AppContext } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { type ApiKeyRow, findApiKey, insertApiKey } from "../../storage/d1/api-key-store.ts";
import { readBillingPlan } from "../billing-plans/workspace-billing-plans.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { requireWorkspace } from "./require-tenant.ts";

const SECRET_BYTES = 32;

export interface NewApiKey {
  readonly workspaceId: string;
  readonly name: string;
  /** All if omitted. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly permissions?: readonly Permission[] | undefined;
  readonly isAgent: boolean;
  readonly expiresAtMs?: number | undefined;
}

export interface ShownApiKey {
  readonly key: ApiKeyRow;
  /** Null if it was shown before. */
  readonly secret: string | null;
}

/** The current state of a key, without its secret, which is not stored. Throws `not_found`. */
export async function readApiKey(ctx: AppContext, id: string): Promise<ShownApiKey> {
  const key = await findApiKey(ctx.env, id);
  if (key === undefined) {
    throw new AppError("not_found", `There is no API key ${id}.`);
  }
  return { key, secret: null };
}

/**
 * Creates an API key and returns its secret. The secret is not stored: D1 has only its hash. Throws
 * `not_found` for an unknown workspace, `validation_error` for an expiry in the past,
 * `plan_limit_exceeded`.
 */
export async function createApiKey(
  ctx: AppContext,
  request: NewApiKey,
  once?: OnceStatements,
): Promise<ShownApiKey> {
  const nowMs = ctx.nowMs();
  if (request.expiresAtMs !== undefined && request.expiresAtMs <= nowMs) {
    const message = "Must be in the future. Omit it for a key that does not expire.";
    throw new AppError("validation_error", `expires_at: ${message}`, {
      errors: [{ field: "expires_at", message }],
    });
  }
  const workspace = await requireWorkspace(ctx, request.workspaceId);
  const secret = newSecret();
  const key: ApiKeyRow = {
    id: newId("apiKey", nowMs),
    organization_id: workspace.organization_id,
    workspace_id: workspace.id,
    name: request.name,
    secret_sha256: await sha256Hex(secret),
    scopes: [...(request.scopes ?? SCOPES)],
    permissions: [...(request.permissions ?? PERMISSIONS)],
    is_agent: request.isAgent,
    created_at_ms: nowMs,
    expires_at_ms: request.expiresAtMs ?? null,
    revoked_at_ms: null,
  };
  const { code, limits } = await readBillingPlan(ctx, workspace.id);
  if (!(await insertApiKey(ctx.env, key, limits.max_users, once))) {
    throw new AppError(
      "plan_limit_exceeded",
      `The plan ${code} allows ${String(limits.max_users)} users with one key each, and the workspace has reached this limit. Revoke a key, or change the plan.`,
    );
  }
  return { key, secret };
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
