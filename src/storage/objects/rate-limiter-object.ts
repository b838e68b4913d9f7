import type { RateLimiterApi } from "../../contracts/workspaces/rate-limit.ts";
import type { Env } from "../../platform/env.ts";

/** The object that counts requests for one limit and is named after it: `token:<ip>`. */
export function rateLimiterObject(
  ctx: { readonly env: Pick<Env, "RATE_LIMITER"> },
  name: string,
): RateLimiterApi {
  return ctx.env.RATE_LIMITER.get(ctx.env.RATE_LIMITER.idFromName(name));
}
