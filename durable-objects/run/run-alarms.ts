import { LOST_AFTER_MS, ObjectAlarm } from "../shared/object-alarm.ts";
import { DamagedRunError } from "./damaged-run.ts";
import type { TaskStore } from "./tasks/task-store.ts";

/** Watchdog interval of a live run, independent of everything else. */
const WATCHDOG_MS = 15_000;
/** In the local service a killed process loses hints and timers, so the watchdog runs more often. */
const LOCAL_WATCHDOG_MS = 1_000;
/** Interval of checks of a run that cannot be read, because newer code may be able to. */
const DAMAGED_RETRY_MS = 3_600_000;

/** The one alarm of a run: set for every run that has not ended, or not reported its end. */
export class RunAlarms {
  readonly #alarm: ObjectAlarm;
  readonly #tasks: TaskStore;
  readonly #watchdogMs: number;
  #isGuard = false;
  /** End of the run's time limit; null while it is unknown. */
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
   * Whether an alarm ensures that the run ends. Until then, the start that the workspace stores does: runs that end
   * within their start need no alarm at all.
   */
  get isGuard(): boolean {
    return this.#isGuard;
  }

  /**
   * Arms for the next due time, at most one watchdog interval away and not before `soonestMs`. Never moves the alarm
   * later.
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
   * Whether the alarm may be lost: it is long overdue, the clock has stepped back from it, or this object has just
   * woken and cannot know. The caller then advances the run, which arms it.
   */
  isDoubtful(nowMs: number): boolean {
    const armed = this.#alarm.armedMs;
    return armed === null || armed < nowMs - LOST_AFTER_MS || armed > nowMs + this.#watchdogMs;
  }

  /** Runs the alarm's work. Never throws. */
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
