/** At most `limit` takes in any window of `window_ms`. */
export interface TakeRequest {
  readonly v: 1;
  /** At least 1. */
  readonly limit: number;
  /** At least 1,000. */
  readonly window_ms: number;
}

export interface TakeOutcome {
  readonly is_allowed: boolean;
  readonly remaining: number;
  /** Until another take can succeed; 0 when one can now. */
  readonly retry_after_ms: number;
  /** Until nothing of the window is used up. */
  readonly reset_ms: number;
}

/** An isolate asks for permits that it will count down by itself. */
export interface LeaseRequest extends TakeRequest {
  readonly want: number;
  /** Requests it let through before asking: counted whether or not the limit allows them. */
  readonly spent: number;
  /** Permits of earlier leases that ended unused, by the slice they were counted in; at most 16. */
  readonly unused: readonly { readonly slice: number; readonly count: number }[];
}

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
