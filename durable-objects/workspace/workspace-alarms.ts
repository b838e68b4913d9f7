import { ObjectAlarm } from "../shared/object-alarm.ts";
import type { PendingStarts } from "./pending-starts.ts";
import type { UndeliveredStarts } from "./undelivered-starts.ts";
import type { WorkspaceEffects } from "./workspace-effects.ts";

/** Starts repeated in one pass of the alarm. */
const STARTS_AT_ONCE = 20;
const RETRY_MAX_MS = 60_000;

/** When the workspace wakes by itself, and the work that it then does. */
export class WorkspaceAlarms {
  readonly #alarm: ObjectAlarm;
  readonly #starts: UndeliveredStarts;
  readonly #pending: PendingStarts;
  readonly #effects: WorkspaceEffects;
  readonly #retryMs: number;
  /** False until this instance has set the alarm: the time that an earlier instance set is unknown. */
  #hasArmed = false;

  constructor(
    storage: DurableObjectStorage,
    starts: UndeliveredStarts,
    pending: PendingStarts,
    effects: WorkspaceEffects,
    isLocal: boolean,
  ) {
    this.#starts = starts;
    this.#pending = pending;
    this.#effects = effects;
    this.#retryMs = isLocal ? 1000 : 2000;
    this.#alarm = new ObjectAlarm(storage, {
      object: "workspace",
      failedEvent: "workspace.alarm_failed",
      retryMs: this.#retryMs,
    });
  }

  /** How long a start or a promotion may take before it is sent again. */
  get retryMs(): number {
    return this.#retryMs;
  }

  /** Ensures that the alarm fires at `atMs` or earlier. */
  arm(atMs: number): void {
    // The first alarm of an instance replaces the unknown one: its handler then finds all due work.
    this.#alarm.arm(this.#hasArmed ? atMs : Math.min(atMs, Date.now() + this.#retryMs));
    this.#hasArmed = true;
  }

  /** Repeats starts and promotions that were not acknowledged, and does the other work of the alarm. Never throws. */
  fire(rest: () => Promise<void>): Promise<void> {
    this.#hasArmed = true;
    return this.#alarm.fire(async () => {
      try {
        await this.#repeatStarts();
      } finally {
        await rest();
      }
    });
  }

  async #repeatStarts(): Promise<void> {
    const nowMs = Date.now();
    const pending = this.#pending.underWayFor(this.#retryMs, nowMs, STARTS_AT_ONCE);
    const due = [
      ...pending.map((runId) => ({ run_id: runId, attempts: 0 })),
      ...this.#starts.due(nowMs, nowMs + RETRY_MAX_MS, STARTS_AT_ONCE - pending.length),
    ];
    for (const { run_id, attempts } of due) {
      this.#starts.postpone(
        run_id,
        nowMs + Math.min(RETRY_MAX_MS, this.#retryMs * 2 ** Math.min(attempts, 10)),
      );
      this.#pending.repeated(run_id);
    }
    await Promise.all(due.map(async ({ run_id }) => await this.#effects.sendStart(run_id)));
    const next = this.#next(await this.#effects.deliverPromotions());
    if (next !== Number.POSITIVE_INFINITY) {
      this.arm(next);
    }
  }

  /** Infinity if nothing waits. */
  #next(promotionsDelivered: boolean): number {
    const nowMs = Date.now();
    const oldestAgeMs = this.#pending.oldestAgeMs(nowMs);
    const dueMs = this.#starts.nextDueMs();
    let next = Math.min(
      // Limited to the longest pause, because the clock may have been set back since.
      dueMs === null ? Number.POSITIVE_INFINITY : Math.min(dueMs, nowMs + RETRY_MAX_MS),
      oldestAgeMs === undefined ? Number.POSITIVE_INFINITY : nowMs + this.#retryMs - oldestAgeMs,
    );
    if (!promotionsDelivered) {
      next = Math.min(next, nowMs + this.#retryMs);
    }
    return next;
  }
}
