import { ObjectAlarm } from "../shared/object-alarm.ts";

/** A hint without a claim by then counts as lost and is sent again. */
const HINT_MS = 5_000;
const LOCAL_HINT_MS = 1_000;
/**
 * In the local service, a killed process leaves leases of an earlier start: leased deliveries are checked at this
 * interval.
 */
const LOCAL_WATCHDOG_MS = 1_000;
/** Retry interval of notifications to other objects. */
const SYNC_MS = 2_000;
/** Old rows are deleted hourly, not one by one. */
const PURGE_EVERY_MS = 3_600_000;

/** The one alarm of an endpoint: set as long as anything is open. */
export class EndpointAlarms {
  readonly #alarm: ObjectAlarm;
  readonly #hintMs: number;
  readonly #watchdogMs: number;
  #hintedMs = 0;

  constructor(storage: DurableObjectStorage, isLocal: boolean) {
    this.#alarm = new ObjectAlarm(storage, {
      object: "webhook_endpoint",
      failedEvent: "webhook.alarm_failed",
      retryMs: SYNC_MS,
    });
    this.#hintMs = isLocal ? LOCAL_HINT_MS : HINT_MS;
    this.#watchdogMs = isLocal ? LOCAL_WATCHDOG_MS : Number.POSITIVE_INFINITY;
  }

  /** A hint has been sent: no other is due until it has had time to be claimed. */
  hinted(nowMs: number): void {
    this.#hintedMs = nowMs;
  }

  /** Arms for the earliest due work. Never moves the alarm later. */
  arm(
    nowMs: number,
    dues: {
      readonly workMs: number | null;
      readonly isInFlight: boolean;
      readonly purgeMs: number | null;
      readonly isSynced: boolean;
    },
  ): void {
    const workMs = dues.workMs ?? Number.POSITIVE_INFINITY;
    const times = [
      // Work that is due has its hint already: check again when the hint had its time.
      workMs <= nowMs ? Math.max(this.#hintedMs + this.#hintMs, nowMs) : workMs,
      dues.purgeMs === null
        ? Number.POSITIVE_INFINITY
        : Math.max(dues.purgeMs, nowMs + PURGE_EVERY_MS),
      dues.isInFlight ? nowMs + this.#watchdogMs : Number.POSITIVE_INFINITY,
      dues.isSynced ? Number.POSITIVE_INFINITY : nowMs + SYNC_MS,
    ];
    const due = Math.min(...times);
    if (due !== Number.POSITIVE_INFINITY) {
      this.#alarm.arm(due, nowMs);
    }
  }

  fired(): void {
    this.#alarm.fired();
  }

  /** Runs the alarm's work. Never throws. */
  fire(work: () => Promise<void>): Promise<void> {
    return this.#alarm.fire(work);
  }
}
