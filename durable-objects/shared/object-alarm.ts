/**
 * The one alarm of an object. It never fires late and is never lost:
 *
 * - It is never set for this very millisecond: an alarm that is set while the alarm of the same millisecond
 *   runs is lost by the platform; a millisecond later is not.
 * - A time that has just passed is about to fire. Setting it anew would put it off, and under steady
 *   traffic forever. One that is long past is not coming any more and is set again.
 * - What its handler throws is logged, and it is tried again: after six failures the platform gives an
 *   alarm up.
 *
 * An instance that has just woken does not know what an earlier one has set: the first `arm` replaces it.
 * So what is passed then must be the earliest of all that is due, or sooner.
 */
import { describeCause } from "../../src/lib/describe-cause.ts";
import { createLogger } from "../../src/platform/logger.ts";

/** An alarm this late is not coming any more. */
export const LOST_AFTER_MS = 10_000;

interface AlarmOptions {
  /** Names the object in the log, `zip_export`. */
  readonly object: string;
  /** The line of the log that says that the handler failed. */
  readonly failedEvent: string;
  /** What else that line carries. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** When a handler that failed is tried again. */
  readonly retryMs: number;
}

export class ObjectAlarm {
  readonly #storage: Pick<DurableObjectStorage, "setAlarm" | "deleteAlarm" | "getAlarm">;
  readonly #options: AlarmOptions;
  /** What the alarm is set to, as far as this instance knows. */
  #armedMs: number | null = null;

  constructor(
    storage: Pick<DurableObjectStorage, "setAlarm" | "deleteAlarm" | "getAlarm">,
    options: AlarmOptions,
  ) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Null where this instance has not set it since it woke, or since it fired. */
  get armedMs(): number | null {
    return this.#armedMs;
  }

  /** Sees to it that the alarm fires at `atMs` or sooner. Never moves it later. */
  arm(atMs: number, nowMs = Date.now()): void {
    const due = Math.max(atMs, nowMs + 1);
    const armed = this.#armedMs;
    if (armed === null || armed > due || armed <= nowMs - LOST_AFTER_MS) {
      this.#set(due);
    }
  }

  /** Moves the alarm to `atMs`, later too: nothing that was due before is due any more. */
  moveTo(atMs: number): void {
    this.#set(Math.max(atMs, Date.now() + 1));
  }

  /** Sets the alarm for `atMs` where none is set, by an earlier instance either. */
  async armWhereNone(atMs: number): Promise<void> {
    this.#armedMs ??= await this.#storage.getAlarm();
    this.arm(Math.max(atMs, this.#armedMs ?? 0));
  }

  disarm(): void {
    this.#armedMs = null;
    void this.#storage.deleteAlarm();
  }

  /** The alarm has fired: whatever was armed is gone. */
  fired(): void {
    this.#armedMs = null;
  }

  /**
   * Runs what is to be done when the alarm fires, for `alarm()` of the object. Never throws. `retryMs`
   * says, of what was thrown, when to try again, where that differs.
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
      // What is due must not make it fire again at once.
      this.moveTo(Date.now() + retryMs(error));
    }
  }

  #set(atMs: number): void {
    this.#armedMs = atMs;
    void this.#storage.setAlarm(atMs);
  }
}
