import { createLogger } from "../../src/platform/logger.ts";
import type { PendingStarts } from "./pending-starts.ts";
import type { WorkspaceEffects } from "./workspace-effects.ts";
import type { WorkspaceStore } from "./workspace-store.ts";
import { describeCause } from "../../src/lib/describe-cause.ts";

/** Starts repeated in one pass of the alarm. */
const STARTS_AT_ONCE = 20;
const RETRY_MAX_MS = 60_000;

/** An alarm this late is not coming any more. */
const LOST_AFTER_MS = 10_000;

/** When the workspace wakes by itself, and what it does then. */
export class WorkspaceAlarms {
  readonly #storage: DurableObjectStorage;
  readonly #store: WorkspaceStore;
  readonly #pending: PendingStarts;
  readonly #effects: WorkspaceEffects;
  readonly #retryMs: number;
  /** What the alarm is set to, as far as this instance knows. */
  #armedAtMs: number | undefined;

  constructor(
    storage: DurableObjectStorage,
    store: WorkspaceStore,
    pending: PendingStarts,
    effects: WorkspaceEffects,
    isLocal: boolean,
  ) {
    this.#storage = storage;
    this.#store = store;
    this.#pending = pending;
    this.#effects = effects;
    this.#retryMs = isLocal ? 1000 : 2000;
  }

  /** How long a start or a promotion may take before it is sent again. */
  get retryMs(): number {
    return this.#retryMs;
  }

  /** Sees to it that the alarm goes off at `atMs` or sooner. */
  arm(atMs: number): void {
    // Never at this very moment: an alarm set from inside the alarm for its own millisecond is lost.
    const due = Math.max(atMs, Date.now() + 1);
    // An armed time that has just passed is about to fire: setting it anew would put it off, and under
    // steady traffic for ever. One long past has been lost.
    const armed = this.#armedAtMs;
    if (armed !== undefined && armed <= due && armed > Date.now() - LOST_AFTER_MS) {
      return;
    }
    this.#armedAtMs = due;
    void this.#storage.setAlarm(due);
  }

  /** Never throws: the platform gives up on an alarm that fails six times. */
  async fire(): Promise<void> {
    this.#armedAtMs = undefined;
    let nextMs = Date.now() + this.#retryMs;
    try {
      const nowMs = Date.now();
      const pending = this.#pending.underWayFor(this.#retryMs, nowMs, STARTS_AT_ONCE);
      const due = [
        ...pending.map((runId) => ({ run_id: runId, attempts: 0 })),
        ...this.#store.dueStarts(nowMs, nowMs + RETRY_MAX_MS, STARTS_AT_ONCE - pending.length),
      ];
      for (const { run_id, attempts } of due) {
        this.#store.postponeStart(
          run_id,
          nowMs + Math.min(RETRY_MAX_MS, this.#retryMs * 2 ** Math.min(attempts, 10)),
        );
        this.#pending.repeated(run_id);
      }
      await Promise.all(due.map(async ({ run_id }) => await this.#effects.sendStart(run_id)));
      const delivered = await this.#effects.deliverPromotions();
      nextMs = this.#next(delivered);
    } catch (error) {
      createLogger({ service: "edgeloom", object: "workspace" }).error("workspace.alarm_failed", {
        reason: describeCause(error),
      });
    }
    if (nextMs !== Number.POSITIVE_INFINITY) {
      this.arm(nextMs);
    }
  }

  /** Infinity when nothing waits. */
  #next(promotionsDelivered: boolean): number {
    const nowMs = Date.now();
    const oldestAgeMs = this.#pending.oldestAgeMs(nowMs);
    const dueMs = this.#store.nextDueMs();
    let next = Math.min(
      // Never further ahead than a pause may be: the clock may have been set back since it was noted.
      dueMs === null ? Number.POSITIVE_INFINITY : Math.min(dueMs, nowMs + RETRY_MAX_MS),
      oldestAgeMs === undefined ? Number.POSITIVE_INFINITY : nowMs + this.#retryMs - oldestAgeMs,
    );
    if (!promotionsDelivered) {
      next = Math.min(next, nowMs + this.#retryMs);
    }
    return next;
  }
}
