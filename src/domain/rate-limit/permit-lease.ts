import type { LeaseOutcome, LeaseRequest } from "../../contracts/workspaces/rate-limit.ts";
import { LEASE_MS, LEASE_TRANSIT_MS, permitsMax } from "./lease-policy.ts";

/**
 * Traffic is counted in periods of half a lease: the current and the previous one determine how
 * many permits an isolate may hold.
 */
const PERIOD_MS = LEASE_MS / 2;

/** Maximum time for which a refusal is kept: the plan may have been raised in the meantime. */
const REFUSAL_MAX_MS = 1_000;

/**
 * After this time without a reply, a request to the object was lost together with the caller's
 * request.
 */
const QUESTION_MAX_MS = 1_000;

/**
 * Unused permits that are returned with the next request to the object; further ones are lost to
 * the caller.
 */
const UNUSED_MAX = 16;

interface Batch {
  readonly slice: number;
  readonly askedMs: number;
  readonly receivedMs: number;
  count: number;
}

/** A lease's decision for one request: allowed, refused, or ask the object. */
export type Verdict = "granted" | "refused" | "ask";

/** The data sent with a request to the object that is needed to process its reply. */
export interface Question {
  readonly request: Pick<LeaseRequest, "want" | "spent" | "unused">;
  readonly askedMs: number;
  readonly isRefill: boolean;
}

/** State of a caller in one window, for the headers. Advisory. */
export interface Standing {
  readonly policy: string;
  readonly limit: number;
  readonly remaining: number;
  /**
   * Time until no permit of the window is in use or, after a refusal, until a request can succeed.
   */
  readonly resetMs: number;
}

/**
 * One isolate's share of a window: the permits that it holds, and its last information about the
 * rest. Pure: the caller passes the time, asks the object, and passes the reply in. If the clock
 * steps back, it drops permits and refusals and asks again.
 */
export class PermitLease {
  readonly limit: number;
  readonly windowMs: number;
  readonly #permitsMax: number;
  readonly #batches: Batch[] = [];
  readonly #unused: { slice: number; count: number }[] = [];
  /** Requests let through without a permit and not yet reported. */
  #spent = 0;
  #latestMs = 0;
  #period = 0;
  #seen = 0;
  #seenBefore = 0;
  #refillAskedMs: number | undefined;
  #refusedUntilMs = 0;
  #known:
    | { readonly remaining: number; readonly resetAtMs: number; readonly atMs: number }
    | undefined;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.#permitsMax = permitsMax(limit);
  }

  /** Decides about one request, and counts it if it is allowed. */
  spend(nowMs: number): Verdict {
    this.#moveTo(nowMs);
    this.#see(nowMs);
    this.#dropEnded(nowMs);
    const [oldest] = this.#batches;
    if (oldest !== undefined) {
      oldest.count--;
      if (oldest.count === 0) {
        this.#batches.shift();
      }
      return "granted";
    }
    if (nowMs < this.#refusedUntilMs) {
      return "refused";
    }
    if (this.#maySpendFirst(nowMs)) {
      this.#spent++;
      return "granted";
    }
    return "ask";
  }

  /** After a granted request: the request to send to the object in the background, if due. */
  refill(nowMs: number): Question | undefined {
    const target = this.#target();
    const held = this.#held();
    const isDue = this.#permitsMax > 1 && (this.#spent > 0 || held * 2 <= target);
    if (!isDue || this.#isAsking(nowMs)) {
      return undefined;
    }
    this.#refillAskedMs = nowMs;
    return this.#question(target - held, nowMs, true);
  }

  /**
   * The request to the object for a caller's request that has to wait. Its own permit is part of
   * `want`.
   */
  ask(nowMs: number): Question {
    const isAlone = this.#permitsMax > 1 && !this.#isAsking(nowMs);
    if (isAlone) {
      this.#refillAskedMs = nowMs;
    }
    return this.#question(isAlone ? this.#target() - this.#held() : 1, nowMs, isAlone);
  }

  /** Processes a reply; returns true if the waiting request is allowed. */
  settle(question: Question, response: LeaseOutcome, nowMs: number, isWaiting: boolean): boolean {
    this.#moveTo(nowMs);
    this.#answered(question);
    const own = isWaiting && response.granted > 0 ? 1 : 0;
    if (response.granted > own) {
      const batch = {
        slice: response.slice,
        askedMs: question.askedMs,
        receivedMs: nowMs,
        count: response.granted - own,
      };
      this.#batches.push(batch);
    }
    this.#known = {
      remaining: response.remaining,
      resetAtMs: nowMs + response.reset_ms,
      atMs: nowMs,
    };
    if (response.granted === 0 && question.request.want > 0) {
      this.#refusedUntilMs = nowMs + Math.min(response.retry_after_ms, REFUSAL_MAX_MS);
      this.#known = { ...this.#known, resetAtMs: nowMs + response.retry_after_ms };
    }
    return own === 1;
  }

  /** There was no reply: its report is sent again. */
  fail(question: Question): void {
    this.#answered(question);
    this.#spent += question.request.spent;
  }

  standing(policy: string, nowMs: number): Standing {
    const known = this.#known;
    return {
      policy,
      limit: this.limit,
      remaining: (known?.remaining ?? this.limit) + this.#held(),
      resetMs: known === undefined ? this.windowMs : Math.max(0, known.resetAtMs - nowMs),
    };
  }

  /** Permits held now, including ended ones until the next request. */
  #held(): number {
    let held = 0;
    for (const batch of this.#batches) {
      held += batch.count;
    }
    return held;
  }

  /** The number of requests in the last 125 to 250 ms, and at least the current one. */
  #target(): number {
    return Math.max(1, Math.min(this.#permitsMax, this.#seen + this.#seenBefore));
  }

  #question(want: number, nowMs: number, isRefill: boolean): Question {
    const request = {
      want: Math.max(1, want),
      spent: this.#spent,
      unused: this.#unused.splice(0),
    };
    this.#spent = 0;
    return { request, askedMs: nowMs, isRefill };
  }

  #answered(question: Question): void {
    if (question.isRefill && this.#refillAskedMs === question.askedMs) {
      this.#refillAskedMs = undefined;
    }
  }

  #isAsking(nowMs: number): boolean {
    return this.#refillAskedMs !== undefined && nowMs - this.#refillAskedMs < QUESTION_MAX_MS;
  }

  /**
   * If most of the window is free, a caller does not wait for the first reply: one request passes
   * at once and is reported. It is one for each isolate, because no other may pass until the reply
   * has arrived.
   */
  #maySpendFirst(nowMs: number): boolean {
    const known = this.#known;
    return (
      this.#permitsMax > 1 &&
      known !== undefined &&
      nowMs - known.atMs < this.windowMs &&
      known.remaining * 2 > this.limit &&
      this.#spent === 0 &&
      !this.#isAsking(nowMs)
    );
  }

  #see(nowMs: number): void {
    const period = Math.floor(nowMs / PERIOD_MS);
    if (period !== this.#period) {
      this.#seenBefore = period === this.#period + 1 ? this.#seen : 0;
      this.#seen = 0;
      this.#period = period;
    }
    this.#seen++;
  }

  #dropEnded(nowMs: number): void {
    while (this.#batches[0] !== undefined && !isLive(this.#batches[0], nowMs)) {
      this.#giveUp(this.#batches.shift());
    }
  }

  /** Permits that were not used in time are returned with the next request to the object. */
  #giveUp(batch: Batch | undefined): void {
    if (batch !== undefined && this.#unused.length < UNUSED_MAX) {
      this.#unused.push({ slice: batch.slice, count: batch.count });
    }
  }

  #moveTo(nowMs: number): void {
    if (nowMs < this.#latestMs) {
      this.#batches.splice(0).forEach((batch) => {
        this.#giveUp(batch);
      });
      this.#refillAskedMs = undefined;
      this.#refusedUntilMs = 0;
      this.#known = undefined;
    }
    this.#latestMs = nowMs;
  }
}

function isLive(batch: Batch, nowMs: number): boolean {
  return nowMs - batch.receivedMs < LEASE_MS && nowMs - batch.askedMs < LEASE_TRANSIT_MS;
}
