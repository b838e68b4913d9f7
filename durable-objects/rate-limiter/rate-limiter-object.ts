import { DurableObject } from "cloudflare:workers";
import type {
  LeaseOutcome,
  LeaseRequest,
  RateLimiterApi,
  TakeOutcome,
  TakeRequest,
} from "../../src/contracts/workspaces/rate-limit.ts";
import { SlidingWindow } from "../../src/domain/rate-limit/sliding-window.ts";
import type { Env } from "../../src/platform/env.ts";
import { isEnvUsable } from "../../src/platform/check-env.ts";
import { ObjectAlarm } from "../shared/object-alarm.ts";
import { parseEntries } from "../shared/entries.ts";
import { LIMITER_ENTRIES } from "./limiter-entries.ts";
import { WindowStore } from "./window-store.ts";

/** Retry after a failure to delete an empty window. */
const RETRY_MS = 60_000;

/**
 * One counter, named after what it limits (`token:203.0.113.7`, `organization:org_…`). Stored in SQL, because an object
 * is evicted within seconds while its window lasts minutes. Deletes itself once its window is empty.
 */
export class RateLimiterObject extends DurableObject<Env> implements RateLimiterApi {
  readonly #store = new WindowStore(this.ctx.storage);
  readonly #alarm = new ObjectAlarm(this.ctx.storage, {
    object: "rate_limiter",
    failedEvent: "rate_limiter.alarm_failed",
    retryMs: RETRY_MS,
  });
  #window: SlidingWindow | undefined;
  #offsetMs = 0;

  async take(rule: TakeRequest): Promise<TakeOutcome> {
    const { granted, ...standing } = await this.#respond({
      ...rule,
      want: 1,
      spent: 0,
      unused: [],
    });
    return {
      is_allowed: granted > 0,
      remaining: standing.remaining,
      retry_after_ms: standing.retry_after_ms,
      reset_ms: standing.reset_ms,
    };
  }

  lease(request: LeaseRequest): Promise<LeaseOutcome> {
    return this.#respond(request);
  }

  override alarm(): Promise<void> {
    return this.#alarm.fire(async () => {
      const nowMs = Date.now();
      this.#window ??= this.#store.load();
      const untilEmpty = this.#window?.untilEmpty(nowMs) ?? 0;
      if (untilEmpty > 0) {
        this.#alarm.arm(nowMs + untilEmpty + 1);
        return;
      }
      this.#window = undefined;
      this.#store.forget();
      await this.ctx.storage.deleteAll();
    });
  }

  async #respond(request: LeaseRequest): Promise<LeaseOutcome> {
    const { limit, want, spent, unused } = request;
    const nowMs = Date.now();
    const window = this.#windowOf(request.window_ms);
    for (const { slice, count } of unused) {
      window.giveBack(slice, count);
    }
    window.record(spent, nowMs);
    const granted = window.take(limit, nowMs, want);
    const newest = window.slices.at(-1);
    if (granted + spent > 0 || unused.length > 0 || window.offsetMs !== this.#offsetMs) {
      // A refusal only drops expired slices, which needs no write.
      this.#offsetMs = window.offsetMs;
      this.#store.save(window);
    }
    if (granted + spent > 0) {
      await this.#alarm.armWhereNone(nowMs + window.untilEmpty(nowMs) + 1);
    }
    return {
      granted,
      slice: newest?.at ?? 0,
      remaining: Math.max(0, limit - window.used()),
      retry_after_ms: window.untilFree(limit, nowMs),
      reset_ms: window.untilEmpty(nowMs),
    };
  }

  /** Returns the window in memory, loaded from SQL after an eviction. A different window length starts a new window. */
  #windowOf(windowMs: number): SlidingWindow {
    if (this.#window === undefined) {
      this.#window = this.#store.load();
      this.#offsetMs = this.#window?.offsetMs ?? 0;
    }
    if (this.#window?.windowMs !== windowMs) {
      this.#window = new SlidingWindow(windowMs);
    }
    return this.#window;
  }
}

parseEntries(RateLimiterObject, isEnvUsable, LIMITER_ENTRIES);
