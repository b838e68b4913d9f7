import { z } from "zod";

const count = z.int().nonnegative();

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

/** An isolate asks for permits that it will count down by itself. */
export const LeaseRequest = TakeRequest.extend({
  want: count,
  /** Requests it let through before asking: counted whether or not the limit allows them. */
  spent: count,
  /** Permits of earlier leases that ended unused, by the slice they were counted in. */
  unused: z.array(z.strictObject({ slice: z.int(), count })).max(16),
});
export type LeaseRequest = z.infer<typeof LeaseRequest>;

export interface LeaseOutcome extends Omit<TakeOutcome, "is_allowed"> {
  /** At most `want`. */
  readonly granted: number;
  /** Where the granted are counted, to give back what is not used. */
  readonly slice: number;
}

/** RPC surface of a rate limiter object. */
export interface RateLimiterApi {
  take(request: TakeRequest): Promise<TakeOutcome>;
  lease(request: LeaseRequest): Promise<LeaseOutcome>;
}
