/** Messages to the object of an embed token. Plain data in JSON; `v` is the version of the message. */

/** Counts one run. */
export interface TakePermitRequest {
  readonly v: 1;
  /** The token's cap; null without one. */
  readonly max: number | null;
  /** When the token ends: the object deletes itself afterwards. */
  readonly token_ends_at_ms: number;
}

export interface UsePermitRequest extends TakePermitRequest {
  /** `prm_…` of `take`; null takes a unit for this submit alone. */
  readonly permit: string | null;
}

export type TakeOutcome =
  | { readonly kind: "taken"; readonly permit: string | null; readonly used: number }
  | { readonly kind: "exhausted"; readonly used: number }
  /** Too many permits are open; one of them lapses after this time. */
  | { readonly kind: "crowded"; readonly used: number; readonly retry_after_ms: number };

/** `held`: the permit is this submit's until `settle`, which must name `hold`. */
export type UseOutcome =
  | { readonly kind: "held"; readonly hold: string; readonly used: number }
  | Exclude<TakeOutcome, { readonly kind: "taken" }>
  /** The permit is unknown, used or lapsed. */
  | { readonly kind: "refused"; readonly used: number };

export interface SettlePermitRequest {
  readonly v: 1;
  readonly hold: string;
  /** False: the submit committed no run. A named permit can be used again, and a unit is given back. */
  readonly is_used: boolean;
}

export interface RevokeRequest {
  readonly v: 1;
  readonly until_ms: number;
}

export interface EmbedTokenState {
  readonly used: number;
  /** 0 if it was never revoked. */
  readonly revoked_until_ms: number;
}

/** The object of one embed token, `idFromName(ws_id + ":" + jti)`. */
export interface EmbedTokenObjectApi {
  take(request: TakePermitRequest): Promise<TakeOutcome>;
  hold(request: UsePermitRequest): Promise<UseOutcome>;
  settle(request: SettlePermitRequest): Promise<EmbedTokenState>;
  /** The later of two revocations' ends counts. */
  revoke(request: RevokeRequest): Promise<EmbedTokenState>;
  /** Reads; stores nothing. */
  standing(request: { readonly v: 1 }): Promise<EmbedTokenState>;
}
