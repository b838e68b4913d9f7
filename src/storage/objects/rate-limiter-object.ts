import type { RateLimiterApi } from "../../contracts/rate-limit.ts";
import type { Env } from "../../platform/env.ts";

/** The counter of one thing that is limited, named after it: `token:<ip>`. */
export function rateLimiterObject(
  ctx: { readonly env: Pick<Env, "RATE_LIMITER"> },
  name: string,
): RateLimiterApi {
  // As in `run-object.ts`: the contract instead of the generated stub type.
  return ctx.env.RATE_LIMITER.get(
    ctx.env.RATE_LIMITER.idFromName(name),
  ) as unknown as RateLimiterApi;
}
