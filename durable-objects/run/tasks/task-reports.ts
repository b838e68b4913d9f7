/** What executors report of tasks: results, failures to retry, waits, and tasks that they give back. */
import { type TaskReport, WAIT_TOKEN_MAX_CHARS } from "../../../src/contracts/runs/task.ts";
import type { ReportedTask } from "../../../src/engine/drive/run-rows.ts";
import { isAmount } from "../../../src/engine/step/charge.ts";
import { giveBackDelayMs, givenBackTooOften } from "../../../src/engine/step/give-back.ts";
import { ATTEMPTS_MAX, retryDelayMs } from "../../../src/engine/step/retry-delay.ts";
import { queuedWaitMs, waitMs } from "../../../src/engine/step/wait-bounds.ts";
import { effectMade } from "../../../src/platform/effect-log.ts";
import { fileAttempt } from "./describe-tasks.ts";
import type { GivenUp } from "../given-up.ts";
import { isStopping, type LiveRun } from "../live-run.ts";
import type { LiveTexts } from "../views/live-texts.ts";
import { addMediaWork } from "./media-work.ts";
import { addPictureColors } from "./picture-colors.ts";
import { addModelCalls } from "./model-calls.ts";
import type { RunStore } from "../state/run-store.ts";
import { hasHeldFiles, withCheckedFiles } from "./reported-files.ts";
import { HELD_FACT } from "../state/run-schema.ts";
import type { OrphanedFiles } from "./orphaned-files.ts";
import type { TaskRow, TaskWait } from "./task-entry.ts";
import { isResult, settledOutcome, TOKEN_TOO_LONG, waitedTooLong } from "./task-outcomes.ts";
import type { TaskOutcomeRow, TaskStore } from "./task-store.ts";
import { countRetry } from "./node-retries.ts";

/** Reports are answered with the commit that processes them, or after this time at the latest. */
const REPORT_HELD_MAX_MS = 1_000;

interface Parts {
  readonly store: RunStore;
  readonly tasks: TaskStore;
  readonly orphans: OrphanedFiles;
  readonly texts: LiveTexts;
  readonly givenUp: GivenUp;
}

export class TaskReports {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Accepts reports whose fence still holds. */
  take(run: LiveRun, reports: readonly TaskReport[], nowMs: number, random: () => number): Taken {
    const taken = this.#parts.store.transaction((): Taken => {
      const first = firstReports(reports);
      this.#countWork(first);
      const leased = this.#leasedOf(first);
      const retried = this.#retry(run, first, leased, nowMs, random);
      const waits = this.#wait(run, first, leased, nowMs);
      const givenBack = this.#giveBack(run, first, leased, nowMs, random);
      const settled: TaskOutcomeRow[] = [];
      for (const report of first) {
        const { task_id, fence, outcome, duration_ms, charge, digests, reused } = report;
        const ended = waits.ended.get(task_id) ?? givenBack.ended.get(task_id);
        const durationMs = wholeMs(duration_ms);
        if (ended !== undefined) {
          settled.push({ id: task_id, fence, outcome: ended, durationMs });
        } else if (isResult(outcome) && !retried.has(task_id)) {
          settled.push({
            id: task_id,
            fence,
            outcome: this.#filed(
              run,
              settledOutcome(outcome, charge, digests, reused, report.is_pure),
            ),
            durationMs,
          });
        }
      }
      const taken = this.#parts.tasks.report(settled);
      const accepted = settled.filter(({ id, outcome }) => taken.has(id) && isKept(outcome));
      for (const { task_id, fence, outcome, stores_files: hasFiles } of first) {
        const attempt = fileAttempt(leased.get(task_id) ?? { fence, wait: null });
        // A failure at the first attempt rarely leaves a file; its report says so if it does.
        const isClean = outcome.kind === "ok" || (fence === 1 && hasFiles !== true);
        const last = attempt - (isClean ? 1 : 0);
        if (taken.has(task_id)) {
          this.#parts.texts.drop(task_id);
        }
        if (last > 0 && taken.has(task_id)) {
          this.#parts.orphans.note(task_id, last);
        }
      }
      return {
        canGoOn: retried.size + waits.taken + givenBack.taken + taken.size > 0,
        accepted: accepted.map(({ id }) => id),
      };
    });
    if (taken.canGoOn) {
      effectMade("report");
    }
    return taken;
  }

  /** The outcome with its files, if they are valid. */
  #filed(run: LiveRun, outcome: ReportedTask["outcome"]): ReportedTask["outcome"] {
    const checked = withCheckedFiles(outcome, run.metadata.workspace_id);
    if (hasHeldFiles(checked) && this.#parts.store.getMetadata(HELD_FACT) === undefined) {
      // Written with the outcome: before that, no worker can be given the file.
      this.#parts.store.noteMetadata(HELD_FACT, 1);
    }
    return checked;
  }

  /** Reported tasks whose fence still holds their lease, except for those that succeed at their first lease. */
  #leasedOf(reports: readonly TaskReport[]): ReadonlyMap<number, TaskRow> {
    const asked = reports.filter(
      ({ fence, outcome }) =>
        fence > 1 || !isResult(outcome) || (outcome.kind === "failed" && outcome.retryable),
    );
    return asked.length === 0 ? new Map() : this.#parts.tasks.leasedOf(asked);
  }

  /**
   * [E26] Suspends tasks for the requested time, within the limits; tasks of a stopping run end unsettled. Returns the
   * number of accepted waits, and the outcomes of tasks that may not wait.
   */
  #wait(
    run: LiveRun,
    reports: readonly TaskReport[],
    leased: ReadonlyMap<number, TaskRow>,
    nowMs: number,
  ): TakenReports {
    const plan = run.machine?.plan;
    const ended = new Map<number, ReportedTask["outcome"]>();
    let taken = 0;
    for (const { task_id, fence, outcome, duration_ms } of reports) {
      const task = leased.get(task_id);
      if (outcome.kind !== "waiting" || task?.fence !== fence) {
        continue;
      }
      const { token } = outcome;
      const sinceMs = Math.min(task.wait?.sinceMs ?? nowMs - wholeMs(duration_ms), nowMs);
      const limitMs = plan?.nodes[task.node]?.timeLimitMs ?? 0;
      const delayMs =
        outcome.is_queued === true
          ? queuedWaitMs(outcome.resume_after_ms)
          : waitMs(outcome.resume_after_ms, { sinceMs, nowMs, limitMs });
      if (isStopping(run)) {
        this.#dropLeased(task);
        this.#parts.givenUp.noteTasks(
          run,
          [{ ...task, wait: { token, sinceMs, waits: 0 } }],
          nowMs,
        );
        taken++;
      } else if (typeof token !== "string" || token.length > WAIT_TOKEN_MAX_CHARS) {
        ended.set(task_id, TOKEN_TOO_LONG);
      } else if (delayMs === null) {
        ended.set(task_id, waitedTooLong(plan?.nodes[task.node]));
        this.#parts.givenUp.noteTasks(
          run,
          [{ ...task, wait: { token, sinceMs, waits: 0 } }],
          nowMs,
        );
      } else {
        const waits = (task.wait?.waits ?? 0) + 1;
        const wait: TaskWait =
          outcome.is_queued === true
            ? { token, sinceMs, waits, queuedAtMs: nowMs }
            : { token, sinceMs, waits };
        this.#parts.tasks.waits.waitFor(task.id, wait, delayMs, wholeMs(duration_ms), nowMs);
        taken++;
      }
    }
    return { taken, ended };
  }

  /**
   * [E30] Offers tasks that executors gave back again, after a pause; tasks of a stopping run end unsettled. Returns
   * the number of accepted ones, and the outcomes of those that were given back too often.
   */
  #giveBack(
    run: LiveRun,
    reports: readonly TaskReport[],
    leased: ReadonlyMap<number, TaskRow>,
    nowMs: number,
    random: () => number,
  ): TakenReports {
    const ended = new Map<number, ReportedTask["outcome"]>();
    let taken = 0;
    for (const { task_id, fence, outcome, duration_ms } of reports) {
      const task = leased.get(task_id);
      if (outcome.kind !== "given_back" || task?.fence !== fence) {
        continue;
      }
      const delayMs = giveBackDelayMs(task.givenBack + 1, random());
      if (isStopping(run)) {
        this.#dropLeased(task);
        this.#parts.givenUp.noteTasks(run, [task], nowMs);
        taken++;
      } else if (delayMs === null) {
        ended.set(task_id, { kind: "failed", failure: givenBackTooOften(outcome.reason) });
        this.#parts.givenUp.noteTasks(run, [task], nowMs);
      } else {
        this.#parts.tasks.waits.giveBack(task_id, delayMs, wholeMs(duration_ms), nowMs);
        taken++;
      }
    }
    return { taken, ended };
  }

  /** Drops a task that a stop left unsettled; its attempts may have stored files. */
  #dropLeased(task: TaskRow): void {
    this.#parts.orphans.note(task.id, fileAttempt(task));
    this.#parts.tasks.dropLeased([task.id]);
  }

  /** Schedules retries of transient failures, which a stopping run drops unsettled; returns which tasks these were. */
  #retry(
    run: LiveRun,
    reports: readonly TaskReport[],
    leased: ReadonlyMap<number, TaskRow>,
    nowMs: number,
    random: () => number,
  ): Set<number> {
    const retried = new Set<number>();
    const failed = reports.filter(({ outcome }) => outcome.kind === "failed" && outcome.retryable);
    for (const { task_id, fence, outcome, duration_ms } of failed) {
      const task = leased.get(task_id);
      if (task?.fence === fence && task.attempt < ATTEMPTS_MAX && outcome.kind === "failed") {
        const wait = keptWait(task, outcome, nowMs - wholeMs(duration_ms));
        if (isStopping(run)) {
          // With the last leased task the run ends, and what the attempt has begun elsewhere must end too.
          this.#dropLeased(task);
          this.#parts.givenUp.noteTasks(run, [{ ...task, wait }], nowMs);
        } else {
          const delay = retryDelayMs(task.attempt, random(), outcome.retry_after_ms);
          this.#parts.tasks.waits.retryAfter(task_id, delay, wholeMs(duration_ms), nowMs, { wait });
          countRetry(this.#parts.store, task.node);
        }
        retried.add(task_id);
      }
    }
    return retried;
  }

  /** What tasks asked of models, and their work on video and pictures, for the trace. A report whose lease was lost is not counted. */
  #countWork(reports: readonly TaskReport[]): void {
    for (const report of reports) {
      const { task_id, fence, models, media, picture_colors: colors } = report;
      const isCounted = models !== undefined || media !== undefined || colors !== undefined;
      const task = isCounted ? this.#parts.tasks.leased(task_id, fence) : undefined;
      if (task !== undefined) {
        addModelCalls(this.#parts.store, task.node, report);
        addMediaWork(this.#parts.store, task.node, report);
        addPictureColors(this.#parts.store, task.node, report);
      }
    }
  }

  /** Resolves when no crash can undo these reports; a repeat of one waits for the same. */
  async untilStored(reports: readonly TaskReport[]): Promise<void> {
    const ids = reports.map(({ task_id }) => task_id);
    await this.#parts.tasks.untilStored(ids, REPORT_HELD_MAX_MS);
  }
}

/** Whether the element will be settled as ok: a claim that is not an amount fails it [E25]. */
function isKept(outcome: ReportedTask["outcome"]): boolean {
  return outcome.kind === "ok" && (outcome.charge === undefined || isAmount(outcome.charge));
}

/** One lease accepts one report, also within one call. */
function firstReports(reports: readonly TaskReport[]): readonly TaskReport[] {
  const seen = new Set<string>();
  return reports.filter(({ task_id, fence }) => {
    const lease = `${task_id}.${fence}`;
    return !seen.has(lease) && seen.add(lease);
  });
}

/** [E26] What the next attempt of a failed task begins with; a token that is too long is not kept. */
function keptWait(
  { wait }: TaskRow,
  { token }: Extract<TaskReport["outcome"], { kind: "failed" }>,
  startedMs: number,
): TaskWait | null {
  return typeof token === "string" && token.length <= WAIT_TOKEN_MAX_CHARS
    ? { sinceMs: startedMs, waits: 0, ...wait, token }
    : wait;
}

export interface Taken {
  /** Something has changed, so the run can continue. */
  readonly canGoOn: boolean;
  /** Tasks whose result counts, by these reports. */
  readonly accepted: readonly number[];
}

/** Reports that settle nothing: the number accepted, and the outcomes of tasks that may not continue. */
interface TakenReports {
  readonly taken: number;
  readonly ended: ReadonlyMap<number, ReportedTask["outcome"]>;
}

/** A runner's clock may step back, and its figure is for display only. */
function wholeMs(given: number): number {
  return Number.isFinite(given) ? Math.max(0, Math.round(given)) : 0;
}
