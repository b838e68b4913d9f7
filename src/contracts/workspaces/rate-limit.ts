/** At most `limit` takes within any window of `window_ms`. */
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
  /** Time until another take can succeed; 0 if one can succeed now. */
  readonly retry_after_ms: number;
  /** Time until no take is left in the window. */
  readonly reset_ms: number;
}

/** Request of an isolate for permits that it counts down itself. */
export interface LeaseRequest extends TakeRequest {
  readonly want: number;
  /** Requests that the isolate let through before this call; counted even above the limit. */
  readonly spent: number;
  /**
   * Unused permits of earlier leases, by the slice in which they were counted; at most 16 entries.
   */
  readonly unused: readonly { readonly slice: number; readonly count: number }[];
}

export interface LeaseOutcome extends Omit<TakeOutcome, "is_allowed"> {
  /** At most `want`. */
  readonly granted: number;
  /** The slice in which the granted permits are counted, needed to return unused ones. */
  readonly slice: number;
}

/** RPC interface of a rate limiter object. */
export interface RateLimiterApi {
  take(request: TakeRequest): Promise<TakeOutcome>;
  lease(request: LeaseRequest): Promise<LeaseOutcome>;
}
