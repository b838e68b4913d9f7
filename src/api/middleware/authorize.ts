import type { Context } from "hono";
import { verifyOperator } from "../../domain/admin/verify-operator.ts";
import { verifyToken } from "../../domain/auth/verify-token.ts";
import { requireApiAccess } from "../../domain/billing-plans/require-api-access.ts";
import { limitRequests, REQUEST_WINDOW_MS } from "../../domain/rate-limit/limit-requests.ts";
import { rateLimitHeaders } from "../../domain/rate-limit/rate-limit-headers.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext, CallerContext } from "../../platform/context.ts";
import type { AppEnv } from "../app-env.ts";
import type { Access } from "../endpoint-declaration.ts";

const BEARER = /^Bearer +(\S+) *$/i;
const CHALLENGE = { "www-authenticate": 'Bearer realm="svc"' };
/** Longer than any token of this service; longer ones are not hashed or cached. */
const TOKEN_MAX_CHARS = 4096;

/**
 * Admits a request according to its route's declaration and returns the context for the handler. Throws `unauthorized`,
 * `too_many_requests`, `plan_limit_exceeded` (no API access), `insufficient_scope`, for operator routes also
 * `not_found`.
 */
export async function authorize(
  c: Context<AppEnv>,
  access: Access,
): Promise<AppContext | CallerContext> {
  const ctx = c.var.ctx;
  if (access === "public") {
    return ctx;
  }
  if (access === "operator") {
    await verifyOperator(ctx, bearerOf(c));
    return ctx;
  }
  const token = bearerOf(c);
  if (token === undefined) {
    throw new AppError(
      "unauthorized",
      "This route needs a token. Send Authorization: Bearer <access_token>; POST /api/v1/auth/token returns one.",
      { headers: CHALLENGE },
    );
  }
  const principal = await verifyToken(ctx, token);
  c.set("principal", principal);
  // docs/contract/rate-limits.md#requests: counted before scopes are checked, so that requests without the right scope
  // are limited too.
  const limit = await limitRequests(ctx, principal);
  c.set("rateLimit", rateLimitHeaders(limit.standings, REQUEST_WINDOW_MS, ctx.nowMs()));
  if (limit.refusal !== undefined) {
    throw limit.refusal;
  }
  // Routes for any valid token, including the plan itself, stay open.
  if (access.scope !== null) {
    await requireApiAccess(ctx, principal);
  }
  if (access.scope !== null && !principal.scopes.has(access.scope)) {
    throw missing("scope", access.scope);
  }
  if (access.permission !== null && !principal.permissions.has(access.permission)) {
    throw missing("workspace permission", access.permission);
  }
  return { ...ctx, principal };
}

function bearerOf(c: Context<AppEnv>): string | undefined {
  const header = c.req.raw.headers.get("authorization");
  if (header === null || header.length > TOKEN_MAX_CHARS) {
    return undefined;
  }
  return BEARER.exec(header)?.[1];
}

function missing(what: string, name: string): AppError {
  return new AppError(
    "insufficient_scope",
    `The API key lacks the ${what} ${name}. Use a key that has it; an operator can create one.`,
    {
      headers: {
        "www-authenticate": `${CHALLENGE["www-authenticate"]}, error="insufficient_scope"`,
      },
    },
  );
}
