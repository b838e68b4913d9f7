/**
 * The one alarm of an object. It never fires late and is never lost:
 *
 * - It is never set to the current millisecond: the platform loses an alarm that is set while the alarm of the same
 *   millisecond runs; one millisecond later is safe.
 * - A time that has just passed is about to fire. Setting it again would postpone it, under steady traffic forever. A
 *   time long past will not fire any more and is set again.
 * - Errors of its handler are logged and it is retried: the platform drops an alarm after six failures.
 *
 * An instance that has just woken does not know the time that an earlier instance set, and its first `arm` replaces it.
 * So the first call must pass the earliest due time, or an earlier one.
 */
import { describeCause } from "../../src/lib/errors/describe-cause.ts";
import { createLogger } from "../../src/platform/logger.ts";

/** An alarm this late will not fire any more. */
export const LOST_AFTER_MS = 10_000;

interface AlarmOptions {
  /** Names the object in the log, `zip_export`. */
  readonly object: string;
  /** Log event for a failed handler. */
  readonly failedEvent: string;
  /** Additional fields of that event. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Delay before a failed handler is retried. */
  readonly retryMs: number;
}

export class ObjectAlarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm" | "deleteAlarm" | "getAlarm">;
  readonly #options: AlarmOptions;
  /** The time that the alarm is set to, as far as this instance knows. */
  #armedMs: number | null = null;

  constructor(
    storage: Pick<DurableObjectStorage, "setAlarm" | "deleteAlarm" | "getAlarm">,
    options: AlarmOptions,
  ) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Null if this instance has not set it since it woke, or since it fired. */
  get armedMs(): number | null {
    return this.#armedMs;
  }

  /** Ensures that the alarm fires at `atMs` or earlier. Never moves it later. */
  arm(atMs: number, nowMs = Date.now()): void {
    const due = Math.max(atMs, nowMs + 1);
    const armed = this.#armedMs;
    if (armed === null || armed > due || armed <= nowMs - LOST_AFTER_MS) {
      this.#set(due);
    }
  }

  /** Moves the alarm to `atMs`, also to a later time: earlier work is no longer due. */
  moveTo(atMs: number): void {
    this.#set(Math.max(atMs, Date.now() + 1));
  }

  /** Sets the alarm to `atMs` unless it is set, possibly by an earlier instance. */
  async armWhereNone(atMs: number): Promise<void> {
    this.#armedMs ??= await this.#storage.getAlarm();
    this.arm(Math.max(atMs, this.#armedMs ?? 0));
  }

  disarm(): void {
    this.#armedMs = null;
    void this.#storage.deleteAlarm();
  }

  /** The alarm has fired and is no longer set. */
  fired(): void {
    this.#armedMs = null;
  }

  /**
   * Runs the alarm's work, for `alarm()` of the object. Never throws. `retryMs` returns the delay before a retry for an
   * error, if it differs.
   */
  async fire(
    work: () => Promise<void> | void,
    retryMs: (error: unknown) => number = () => this.#options.retryMs,
  ): Promise<void> {
    this.fired();
    try {
      await work();
    } catch (error) {
      const { object, failedEvent, fields } = this.#options;
      createLogger({ service: "edgeloom", object }).error(failedEvent, {
        ...fields,
        cause: describeCause(error),
      });
      // Due work must not make it fire again at once.
      this.moveTo(Date.now() + retryMs(error));
    }
  }

  #set(atMs: number): void {
    this.#armedMs = atMs;
    void this.#storage.setAlarm(atMs);
  }
}
