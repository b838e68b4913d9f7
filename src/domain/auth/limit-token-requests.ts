import { describeCause } from "../../lib/errors/describe-cause.ts";
import type { TakeOutcome, TakeRequest } from "../../contracts/workspaces/rate-limit.ts";
import { AppError } from "../../lib/errors/errors.ts";
import type { AppContext } from "../../platform/context.ts";
import { rateLimitHeaders } from "../rate-limit/rate-limit-headers.ts";
import { rateLimiterObject } from "../../storage/objects/rate-limiter-object.ts";

/** docs/contract/rate-limits.md#tokens. */
const PRODUCTION: TakeRequest = { v: 1, limit: 10, window_ms: 15 * 60_000 };
const LOCAL: TakeRequest = { v: 1, limit: 100, window_ms: 60_000 };

/**
 * Counts one token request of an address and returns the rate-limit headers. Throws
 * `too_many_requests` with `Retry-After`.
 */
export async function limitTokenRequests(
  ctx: AppContext,
  address: string,
): Promise<Record<string, string>> {
  const rule = ctx.env.ENVIRONMENT === "local" ? LOCAL : PRODUCTION;
  const outcome = await taken(ctx, address, rule);
  if (outcome === undefined) {
    return {};
  }
  const windowSeconds = rule.window_ms / 1000;
  const standing = {
    policy: "token",
    limit: rule.limit,
    remaining: outcome.remaining,
    resetMs: outcome.is_allowed ? outcome.reset_ms : outcome.retry_after_ms,
  };
  const headers = rateLimitHeaders([standing], rule.window_ms, ctx.nowMs());
  if (!outcome.is_allowed) {
    const seconds = Math.max(1, Math.ceil(outcome.retry_after_ms / 1000));
    throw new AppError(
      "too_many_requests",
      `More than ${rule.limit} token requests in ${windowSeconds} s from this address. Try again in ${seconds} s, and reuse each token for its lifetime of one hour.`,
      { headers: { ...headers, "retry-after": String(seconds) } },
    );
  }
  return headers;
}

/**
 * Undefined if the limiter cannot be reached or cannot write: a secret of 256 bits is safe without
 * a limit.
 */
async function taken(
  ctx: AppContext,
  address: string,
  rule: TakeRequest,
): Promise<TakeOutcome | undefined> {
  try {
    return await rateLimiterObject(ctx, `token:${address}`).take(rule);
  } catch (error) {
    ctx.log.error("rate_limit.unreachable", { reason: describeCause(error) });
    return undefined;
  }
}
