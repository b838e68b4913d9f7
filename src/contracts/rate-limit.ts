import { z } from "zod";

/** At most `limit` takes in any window of `window_ms`. */
export const TakeRequest = z.strictObject({
  v: z.literal(1),
  limit: z.int().positive(),
  window_ms: z.int().min(1000),
});
export type TakeRequest = z.infer<typeof TakeRequest>;

export interface TakeOutcome {
  readonly is_allowed: boolean;
  readonly remaining: number;
  /** Until another take can succeed; 0 when one can now. */
  readonly retry_after_ms: number;
  /** Until nothing of the window is used up. */
  readonly reset_ms: number;
}

/** RPC surface of a rate limiter object. */
export interface RateLimiterApi {
  take(request: TakeRequest): Promise<TakeOutcome>;
}
