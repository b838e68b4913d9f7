import type {
  RevokeRequest,
  SettlePermitRequest,
  TakeOutcome,
  TakePermitRequest,
  UseOutcome,
  UsePermitRequest,
} from "../../contracts/embeds/embed-token-object-api.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const PERMIT_MS = LIMITS.embed_permit.value;
const OPEN_MAX = LIMITS.embed_open_permits.value;
/** Lapsed permits removed in one call, which bounds the rows that a call deletes. */
const LAPSED_AT_ONCE = 64;

/** `open`: may be submitted. `held`: a submit has it. `unit`: taken by a submit that named no permit. */
export type PermitState = "open" | "held" | "unit";

export interface PermitRecord {
  readonly state: PermitState;
  readonly lapses_at_ms: number;
}

type Taking = Pick<TakePermitRequest, "max" | "token_ends_at_ms">;

/** Rows that a call changed; null removes a row. */
export type PermitChanges = ReadonlyMap<string, PermitRecord | null>;

/** The part of a token's state that is one row. */
export interface TokenTotals {
  readonly used: number;
  /** 0 if the token was never revoked. */
  readonly revoked_until_ms: number;
  /** 0 until the first check or submit. */
  readonly token_ends_at_ms: number;
}

const NOTHING: TokenTotals = { used: 0, revoked_until_ms: 0, token_ends_at_ms: 0 };

/**
 * The state of one embed token: its revocation, the units that were taken, and the permits that are not
 * settled yet (docs/contract/embeds.md#caps). Pure and synchronous, so that no two calls interleave; the object stores
 * the totals and the changes of each call before it returns.
 *
 * A unit is counted when it is taken, and given back only if the submit that took it reports that no run was committed.
 * A crash between the two therefore leaves it counted: at most `max` runs start, ever.
 */
export class TokenLedger {
  #used: number;
  #revokedUntilMs: number;
  #tokenEndsAtMs: number;
  readonly #permits: Map<string, PermitRecord>;
  #changes = new Map<string, PermitRecord | null>();

  /** `permits` in the order in which they lapse. */
  constructor(
    totals: TokenTotals = NOTHING,
    permits: Iterable<readonly [string, PermitRecord]> = [],
  ) {
    this.#used = totals.used;
    this.#revokedUntilMs = totals.revoked_until_ms;
    this.#tokenEndsAtMs = totals.token_ends_at_ms;
    this.#permits = new Map(permits);
  }

  get totals(): TokenTotals {
    return {
      used: this.#used,
      revoked_until_ms: this.#revokedUntilMs,
      token_ends_at_ms: this.#tokenEndsAtMs,
    };
  }

  /** From this time on, nothing of the token matters: it has ended, and no revocation lasts. */
  get endsAtMs(): number {
    return Math.max(this.#tokenEndsAtMs, this.#revokedUntilMs);
  }

  /** Returns the changes since the last call. */
  takeChanges(): PermitChanges {
    const changes = this.#changes;
    this.#changes = new Map();
    return changes;
  }

  /** Counts one run; with a cap, its permit is `id`. */
  take({ max, token_ends_at_ms }: Taking, id: string, nowMs: number): TakeOutcome {
    this.#begin(token_ends_at_ms, nowMs);
    if (max === null) {
      this.#used++;
      return { kind: "taken", permit: null, used: this.#used };
    }
    const refusal = this.#refusal(max, nowMs);
    if (refusal !== undefined) {
      return refusal;
    }
    this.#used++;
    this.#put(id, { state: "open", lapses_at_ms: nowMs + PERMIT_MS });
    return { kind: "taken", permit: id, used: this.#used };
  }

  /** Gives a submit its permit, or a unit under `id` if it names none. */
  hold(
    { max, permit, token_ends_at_ms }: Taking & Pick<UsePermitRequest, "permit">,
    id: string,
    nowMs: number,
  ): UseOutcome {
    this.#begin(token_ends_at_ms, nowMs);
    if (permit !== null) {
      const record = this.#permits.get(permit);
      if (record?.state !== "open" || record.lapses_at_ms <= nowMs) {
        return { kind: "refused", used: this.#used };
      }
      this.#put(permit, { ...record, state: "held" });
      return { kind: "held", hold: permit, used: this.#used };
    }
    const refusal = this.#refusal(max, nowMs);
    if (refusal !== undefined) {
      return refusal;
    }
    this.#used++;
    this.#put(id, { state: "unit", lapses_at_ms: nowMs + PERMIT_MS });
    return { kind: "held", hold: id, used: this.#used };
  }

  /** The end of a submit. Repeats, and ends of permits that have lapsed, change nothing. */
  settle({ hold, is_used }: Pick<SettlePermitRequest, "hold" | "is_used">, nowMs: number): void {
    const record = this.#permits.get(hold);
    if (record === undefined || record.state === "open" || record.lapses_at_ms <= nowMs) {
      return;
    }
    if (!is_used && record.state === "held") {
      this.#put(hold, { ...record, state: "open" });
      return;
    }
    if (!is_used) {
      this.#used--;
    }
    this.#remove(hold);
  }

  /** The later of two revocations' ends counts; one that is over changes nothing. */
  revoke({ until_ms }: Pick<RevokeRequest, "until_ms">, nowMs: number): void {
    if (until_ms > nowMs) {
      this.#revokedUntilMs = Math.max(this.#revokedUntilMs, until_ms);
    }
  }

  #refusal(
    max: number | null,
    nowMs: number,
  ): Extract<TakeOutcome, { kind: "exhausted" | "crowded" }> | undefined {
    if (max !== null && this.#used >= max) {
      return { kind: "exhausted", used: this.#used };
    }
    if (this.#permits.size < OPEN_MAX) {
      return undefined;
    }
    const [oldest] = this.#permits.values();
    const untilMs = Math.max(1, (oldest?.lapses_at_ms ?? nowMs) - nowMs);
    return { kind: "crowded", used: this.#used, retry_after_ms: untilMs };
  }

  /** A changed record keeps its place, so the order remains that in which permits lapse. */
  #put(id: string, record: PermitRecord): void {
    this.#permits.set(id, record);
    this.#changes.set(id, record);
  }

  #remove(id: string): void {
    this.#permits.delete(id);
    this.#changes.set(id, null);
  }

  /** Notes when the token ends, and forgets permits that have lapsed. */
  #begin(tokenEndsAtMs: number, nowMs: number): void {
    this.#tokenEndsAtMs = Math.max(this.#tokenEndsAtMs, tokenEndsAtMs);
    let left = LAPSED_AT_ONCE;
    for (const [id, { lapses_at_ms }] of this.#permits) {
      if (lapses_at_ms > nowMs || left === 0) {
        return;
      }
      left--;
      this.#remove(id);
    }
  }
}
