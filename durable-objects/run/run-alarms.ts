import type { TaskStore } from "./task-store.ts";

/** A run that should be moving is looked at again after this, whatever else happens. */
const WATCHDOG_MS = 15_000;
/** Locally a killed process loses hints and timers, so the watchdog comes round sooner. */
const LOCAL_WATCHDOG_MS = 1_000;
/** An alarm this late is not coming any more. */
const LOST_AFTER_MS = 10_000;

/** The one alarm of a run: every run that has not ended, or not told so, has it in its future. */
export class RunAlarms {
  readonly #storage: DurableObjectStorage;
  readonly #tasks: TaskStore;
  readonly #watchdogMs: number;
  #armedMs: number | null = null;
  #isGuard = false;
  /** When the run's own time is over; null while that is not known. */
  deadlineMs: () => number | null = () => null;

  constructor(storage: DurableObjectStorage, tasks: TaskStore, isLocal: boolean) {
    this.#storage = storage;
    this.#tasks = tasks;
    this.#watchdogMs = isLocal ? LOCAL_WATCHDOG_MS : WATCHDOG_MS;
  }

  /**
   * Whether an alarm will see the run to its end. Until it has one, the start that the workspace
   * keeps does: runs that end within their start need no alarm at all.
   */
  get isGuard(): boolean {
    return this.#isGuard;
  }

  /**
   * Arms for the next thing due, at most a watchdog's time away and not before `soonestMs`. Never moves
   * the alarm later.
   */
  arm(nowMs: number, soonestMs = 0): void {
    const due = Math.min(
      this.#tasks.nextDueMs() ?? Infinity,
      this.deadlineMs() ?? Infinity,
      nowMs + this.#watchdogMs,
    );
    this.#isGuard = true;
    // Arming at the running alarm's own millisecond is lost by the platform; a millisecond later is not.
    const at = Math.max(due, soonestMs, nowMs + 1);
    if (this.#armedMs === null || this.#armedMs <= nowMs || at < this.#armedMs) {
      this.#armedMs = at;
      void this.#storage.setAlarm(at);
    }
  }

  /** The run could not even be woken: what is due in it must not make the alarm fire again at once. */
  armLater(nowMs: number, afterMs = 0): void {
    this.#isGuard = true;
    this.#armedMs = nowMs + Math.max(this.#watchdogMs, afterMs);
    void this.#storage.setAlarm(this.#armedMs);
  }

  /**
   * Whether the alarm may never come: it is long overdue, the clock has stepped back from it, or this
   * object has just woken and cannot know. Who finds it so gives the run a turn, which arms it.
   */
  isDoubtful(nowMs: number): boolean {
    const armed = this.#armedMs;
    return armed === null || armed < nowMs - LOST_AFTER_MS || armed > nowMs + this.#watchdogMs;
  }

  /** The alarm has fired: whatever was armed is gone. */
  fired(): void {
    this.#isGuard = true;
    this.#armedMs = null;
  }

  disarm(): void {
    if (!this.#isGuard) {
      return;
    }
    this.#isGuard = false;
    this.#armedMs = null;
    void this.#storage.deleteAlarm();
  }
}
