import { LOST_AFTER_MS, ObjectAlarm } from "../shared/object-alarm.ts";
import { DamagedRunError } from "./damaged-run.ts";
import type { TaskStore } from "./task-store.ts";

/** A run that should be moving is looked at again after this, whatever else happens. */
const WATCHDOG_MS = 15_000;
/** Locally a killed process loses hints and timers, so the watchdog comes round sooner. */
const LOCAL_WATCHDOG_MS = 1_000;
/** A run that cannot be read is looked at so often: newer code may know what to do with it. */
const DAMAGED_RETRY_MS = 3_600_000;

/** The one alarm of a run: every run that has not ended, or not told so, has it in its future. */
export class RunAlarms {
  readonly #alarm: ObjectAlarm;
  readonly #tasks: TaskStore;
  readonly #watchdogMs: number;
  #isGuard = false;
  /** When the run's own time is over; null while that is not known. */
  deadlineMs: () => number | null = () => null;

  constructor(
    storage: DurableObjectStorage,
    tasks: TaskStore,
    { isLocal, runId }: { readonly isLocal: boolean; readonly runId: string | undefined },
  ) {
    this.#tasks = tasks;
    this.#watchdogMs = isLocal ? LOCAL_WATCHDOG_MS : WATCHDOG_MS;
    this.#alarm = new ObjectAlarm(storage, {
      object: "run",
      failedEvent: "run.alarm_failed",
      fields: { run_id: runId },
      retryMs: this.#watchdogMs,
    });
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
    this.#alarm.arm(Math.max(due, soonestMs), nowMs);
  }

  /**
   * Whether the alarm may never come: it is long overdue, the clock has stepped back from it, or this
   * object has just woken and cannot know. Who finds it so gives the run a turn, which arms it.
   */
  isDoubtful(nowMs: number): boolean {
    const armed = this.#alarm.armedMs;
    return armed === null || armed < nowMs - LOST_AFTER_MS || armed > nowMs + this.#watchdogMs;
  }

  /** Runs what is to be done when the alarm fires. Never throws. */
  fire(work: () => Promise<void>): Promise<void> {
    this.#isGuard = true;
    return this.#alarm.fire(work, (error) =>
      error instanceof DamagedRunError ? DAMAGED_RETRY_MS : this.#watchdogMs,
    );
  }

  disarm(): void {
    if (this.#isGuard) {
      this.#isGuard = false;
      this.#alarm.disarm();
    }
  }
}
