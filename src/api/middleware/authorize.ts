import type { Context } from "hono";
import { verifyOperator } from "../../domain/admin/verify-operator.ts";
import { verifyRuntimeToken } from "../../domain/embeds/verify-runtime-token.ts";
import { verifyToken } from "../../domain/auth/verify-token.ts";
import { requireApiAccess } from "../../domain/billing-plans/require-api-access.ts";
import {
  limitEmbedRequests,
  limitRequests,
  type RequestLimit,
  REQUEST_WINDOW_MS,
} from "../../domain/rate-limit/limit-requests.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { rateLimitHeaders } from "../../domain/rate-limit/rate-limit-headers.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, CallerContext, EmbedContext } from "../../platform/context.ts";
import type { AppEnv } from "../app-env.ts";
import { type Access, embedPermission } from "../endpoint-declaration.ts";

const BEARER = /^Bearer +(\S+) *$/i;
const CHALLENGE = { "www-authenticate": 'Bearer realm="svc"' };
const SCHEME_CHARS_MAX = 16;
/** Longer than any token of this service; longer ones are not hashed or cached. */
const OVERLONG = "overlong";
const TOKEN_MAX_CHARS = LIMITS.embed_token.value + SCHEME_CHARS_MAX;

/**
 * Admits a request according to its route's declaration and returns the context for the handler. Throws `unauthorized`,
 * `too_many_requests`, `plan_limit_exceeded` (no API access), `insufficient_scope`, for operator routes also
 * `not_found`.
 */
export async function authorize(
  c: Context<AppEnv>,
  access: Access,
): Promise<AppContext | CallerContext | EmbedContext> {
  const ctx = c.var.ctx;
  if (access === "public") {
    return ctx;
  }
  if (access === "operator") {
    await verifyOperator(ctx, bearerOf(c));
    return ctx;
  }
  const token = bearerOf(c);
  const permission = embedPermission(access);
  if (typeof access === "string") {
    const { principal, claims } = await verifyRuntimeToken(ctx, token);
    c.set("principal", principal);
    admit(c, await limitEmbedRequests(ctx, principal));
    if (permission === undefined || !principal.permissions.has(permission)) {
      throw missing("workspace permission", permission ?? access, "embed token");
    }
    return { ...ctx, principal, embed: claims };
  }
  if (token === undefined) {
    throw new AppError(
      "unauthorized",
      "This route needs a token. Send Authorization: Bearer <access_token>; POST /api/v1/auth/token returns one.",
      { headers: CHALLENGE },
    );
  }
  const principal = await verifyToken(ctx, token, { needsApiKey: access.needsApiKey === true });
  c.set("principal", principal);
  // docs/contract/rate-limits.md#requests: counted before scopes are checked, so that requests without the right scope
  // are limited too.
  admit(
    c,
    principal.embed === undefined
      ? await limitRequests(ctx, principal)
      : await limitEmbedRequests(ctx, principal),
  );
  // Routes for any valid token, including the plan itself, stay open.
  if (access.scope !== null) {
    await requireApiAccess(ctx, principal);
  }
  const holder = principal.embed === undefined ? "API key" : "embed token";
  if (access.scope !== null && !principal.scopes.has(access.scope)) {
    throw missing("scope", access.scope, holder);
  }
  if (access.permission !== null && !principal.permissions.has(access.permission)) {
    throw missing("workspace permission", access.permission, holder);
  }
  return { ...ctx, principal };
}

/** Sets the headers of the request's rate limit. Throws its refusal. */
function admit(c: Context<AppEnv>, limit: RequestLimit): void {
  c.set("rateLimit", rateLimitHeaders(limit.standings, REQUEST_WINDOW_MS, c.var.ctx.nowMs()));
  if (limit.refusal !== undefined) {
    throw limit.refusal;
  }
}

function bearerOf(c: Context<AppEnv>): string | undefined {
  const header = c.req.raw.headers.get("authorization");
  if (header === null) {
    return undefined;
  }
  if (header.length > TOKEN_MAX_CHARS) {
    return OVERLONG;
  }
  return BEARER.exec(header)?.[1];
}

function missing(what: string, name: string, holder: "API key" | "embed token"): AppError {
  const remedy =
    holder === "API key"
      ? "Use a key that has it; an operator can create one."
      : "Mint the token with a key that has it.";
  return new AppError("insufficient_scope", `The ${holder} lacks the ${what} ${name}. ${remedy}`, {
    headers: {
      "www-authenticate": `${CHALLENGE["www-authenticate"]}, error="insufficient_scope"`,
    },
  });
}
