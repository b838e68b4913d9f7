import type { TaskReport } from "../../src/contracts/runs/task.ts";
import { withDeadline } from "../../src/lib/with-deadline.ts";

/**
 * Tasks that finish within this time of one another are reported together: each report costs the run object a call, a
 * commit and a scheduling pass, which is more than a quick task itself.
 */
const GATHER_MS = 100;

/**
 * The delay after the latest report whose files wait to be stored together, which saves more than the wait costs;
 * and the longest delay after the first of these reports.
 */
const GATHER_FILES_MS = 1_000;
const GATHER_FILES_MAX_MS = 5_000;
/**
 * From this duration on, a task with such a file counts as slow: the other tasks of the chunk share the thread with it.
 */
const SLOW_FILES_MS = 5_000;

/** A task that took this long is reported almost at once, because repeating it after a loss would cost more. */
const SLOW_TASK_MS = 150;
const GATHER_SLOW_MS = 4;

/** A call carries at most 32 MiB; a text has at most two bytes per character. */
const BATCH_CHARACTERS_MAX = 8 * 1024 * 1024;

/** A report without a response in this time is sent again: a repeat has a stale fence and changes nothing. */
const RESPONSE_MAX_MS = 10_000;

/** From this attempt on, reports are sent one at a time, so that a rejected one does not hold up the rest. */
const TRIES_TOGETHER = 4;

/** After this many attempts a report is dropped; its lease then ends and the task is repeated. */
const TRIES_MAX = 10;

const BACKOFF_MS = [25, 50, 100, 200, 400, 800, 1_600] as const;

export interface ReportBatchOptions {
  send(reports: readonly TaskReport[]): Promise<{ readonly cancel: boolean }>;
  /** Called once for every accepted report. */
  onReported(report: TaskReport): void;
  /** Called when the run object keeps rejecting this report: stop extending its lease. */
  onDropped(report: TaskReport): void;
  onCancel(): void;
  onUnreachable(error: unknown, attempt: number): void;
}

/** Collects reports, sends one call at a time, and retries until a report is accepted or dropped. */
export class ReportBatch {
  readonly #options: ReportBatchOptions;
  #pending: TaskReport[] = [];
  #timer: { readonly handle: ReturnType<typeof setTimeout>; readonly firesMs: number } | null =
    null;
  #sending: Promise<void> | undefined;
  /** When what is pending is to be sent; Infinity when nothing is. */
  #dueMs = Infinity;
  /** Since when files wait for others, where nothing else is due before. */
  #gatheringSinceMs: number | undefined;
  #isGivenUp = false;

  constructor(options: ReportBatchOptions) {
    this.#options = options;
  }

  /** `hasFiles`: files wait to be stored with the reports of others. */
  add(report: TaskReport, hasFiles = false): void {
    if (this.#isGivenUp) {
      return;
    }
    this.#pending.push(report);
    const dueMs = this.#dueWith(report, hasFiles, Date.now());
    if (dueMs !== this.#dueMs) {
      this.#dueMs = dueMs;
      this.#arm();
    }
  }

  /** When to send what is pending, now that this report has come. */
  #dueWith(report: TaskReport, hasFiles: boolean, nowMs: number): number {
    if (report.duration_ms >= (hasFiles ? SLOW_FILES_MS : SLOW_TASK_MS)) {
      this.#gatheringSinceMs = undefined;
      return Math.min(this.#dueMs, nowMs + GATHER_SLOW_MS);
    }
    const isFirst = this.#dueMs === Infinity;
    if (hasFiles && (isFirst || this.#gatheringSinceMs !== undefined)) {
      this.#gatheringSinceMs ??= nowMs;
      return Math.min(nowMs + GATHER_FILES_MS, this.#gatheringSinceMs + GATHER_FILES_MAX_MS);
    }
    return isFirst ? nowMs + GATHER_MS : this.#dueMs;
  }

  /**
   * What comes while a call is under way waits for its end. Each report with a file is due later than the one before: a
   * timer that fires too early is set again then, which costs less than a new timer for each.
   */
  #arm(): void {
    if (this.#sending !== undefined || this.#dueMs === Infinity) {
      this.#disarm();
      return;
    }
    const firesMs = this.#dueMs;
    if (this.#timer !== null && this.#timer.firesMs <= firesMs) {
      return;
    }
    this.#disarm();
    const handle = setTimeout(
      () => {
        this.#timer = null;
        if (this.#dueMs > firesMs) {
          this.#arm();
        } else {
          this.#start();
        }
      },
      Math.max(0, firesMs - Date.now()),
    );
    this.#timer = { handle, firesMs };
  }

  #disarm(): void {
    clearTimeout(this.#timer?.handle);
    this.#timer = null;
  }

  /** Sends the remaining reports without waiting for more, and resolves when all are accepted or dropped. */
  async drain(): Promise<void> {
    while (this.#pending.length > 0 || this.#sending !== undefined) {
      this.#start();
      await this.#sending;
    }
  }

  /** Removes a task whose lease was lost. */
  forget(taskId: number): void {
    this.#pending = this.#pending.filter((report) => report.task_id !== taskId);
  }

  /** Removes everything: the leases have ended, so the run object reassigns the tasks. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#pending = [];
    this.#dueMs = Infinity;
    this.#disarm();
  }

  #start(): void {
    this.#disarm();
    this.#dueMs = Infinity;
    this.#gatheringSinceMs = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      this.#arm();
    });
  }

  /** Sends what is pending now; what comes meanwhile is gathered. */
  async #send(): Promise<void> {
    const due = new Set(this.#pending);
    for (let attempt = 0; ;) {
      const left = this.#pending.filter((report) => due.has(report));
      if (left.length === 0) {
        return;
      }
      const batch = attempt < TRIES_TOGETHER ? nextBatch(left) : left.slice(0, 1);
      try {
        const response = await withDeadline(this.#options.send(batch), RESPONSE_MAX_MS);
        attempt = 0;
        const sent = new Set(batch);
        this.#pending = this.#pending.filter((report) => !sent.has(report));
        for (const report of batch) {
          this.#options.onReported(report);
        }
        if (response.cancel) {
          this.#options.onCancel();
        }
      } catch (error) {
        this.#options.onUnreachable(error, attempt);
        const delayMs = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length - 1)] ?? 1_600;
        attempt++;
        const [refused] = batch;
        if (attempt >= TRIES_MAX && refused !== undefined) {
          this.forget(refused.task_id);
          this.#options.onDropped(refused);
          attempt = TRIES_TOGETHER;
        }
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }
}

/** As many of the first as one call carries. */
function nextBatch(reports: readonly TaskReport[]): readonly TaskReport[] {
  let characters = 0;
  const end = reports.findIndex((report, index) => {
    characters += reportCharacters(report);
    return index > 0 && characters > BATCH_CHARACTERS_MAX;
  });
  return end === -1 ? reports : reports.slice(0, end);
}

function reportCharacters({ outcome }: TaskReport): number {
  switch (outcome.kind) {
    case "ok":
      return outcome.outputs.reduce((sum, output) => sum + output.value.length, 0);
    case "failed":
      return outcome.message.length;
    case "waiting":
      return outcome.token.length;
    case "given_back":
      return 0;
  }
}
