/** The run's side of the runner protocol: leases out, reports in. Decides about times and fences. */
import {
  type Claim,
  type ClaimRequest,
  type ElementPage,
  type ElementsRequest,
  type EmitResponse,
  type EmittedText,
  type TaskReport,
  WAIT_TOKEN_MAX_CHARS,
} from "../../src/contracts/task.ts";
import type { ReportedTask } from "../../src/engine/drive/run-rows.ts";
import { isAggregator } from "../../src/engine/plan/node-kind.ts";
import { giveBackDelayMs, givenBackTooOften } from "../../src/engine/step/give-back.ts";
import { ATTEMPTS_MAX, retryDelayMs } from "../../src/engine/step/retry-delay.ts";
import { queuedWaitMs, waitMs } from "../../src/engine/step/wait-bounds.ts";
import { effectMade } from "../../src/platform/effect-log.ts";
import { neighboursOf } from "./active-tenants.ts";
import { describeTasks, fileAttempt, referencesFor } from "./describe-tasks.ts";
import { GivenUp } from "./given-up.ts";
import { elementPage } from "./element-pages.ts";
import type { LiveRun } from "./live-run.ts";
import { LiveTexts } from "./live-texts.ts";
import { addModelCalls } from "./model-calls.ts";
import type { RunStore } from "./run-store.ts";
import { hasHeldFiles, withCheckedFiles } from "./reported-files.ts";
import { HELD_FACT } from "./run-schema.ts";
import type { OrphanedFiles } from "./orphaned-files.ts";
import type { TaskRow, TaskWait } from "./task-entry.ts";
import {
  isResult,
  settledOutcome,
  TOKEN_TOO_LONG,
  waitedTooLong,
  WORKER_LOST,
} from "./task-outcomes.ts";
import { LEASE_MS, type TaskOutcomeRow, type TaskStore } from "./task-store.ts";

const HEARTBEAT_MS = 5_000;

/** Reports are answered with the commit that processes them, or after this time at the latest. */
const REPORT_HELD_MAX_MS = 1_000;

export class RunTasks {
  readonly #store: RunStore;
  readonly #tasks: TaskStore;
  readonly #bootId: string;
  readonly #orphans: OrphanedFiles;
  readonly texts = new LiveTexts();
  readonly givenUp: GivenUp;

  constructor(store: RunStore, tasks: TaskStore, bootId: string, orphans: OrphanedFiles) {
    this.#store = store;
    this.#tasks = tasks;
    this.#bootId = bootId;
    this.#orphans = orphans;
    this.givenUp = new GivenUp(store);
  }

  /** Leases the queued tasks of a chunk, with everything the runner needs to run them. */
  claim(
    run: LiveRun,
    { chunk, takes_files: takesFiles }: Pick<ClaimRequest, "chunk" | "takes_files">,
    seed: string,
    nowMs: number,
  ): Claim | null {
    const { machine, state, metadata } = run;
    const givenUp = this.givenUp.some();
    const claim = {
      run_id: metadata.run_id,
      workspace_id: metadata.workspace_id,
      correlation_id: metadata.correlation_id,
      lease_ms: LEASE_MS,
      heartbeat_ms: HEARTBEAT_MS,
      takes_files: true,
      ...(givenUp.length === 0 ? {} : { given_up: givenUp }),
    };
    const nothing = givenUp.length === 0 ? null : { ...claim, tasks: [] };
    if (machine === null || state.status !== "running" || state.stopped !== null) {
      return nothing;
    }
    if (takesFiles !== true && this.#store.getMetadata(HELD_FACT) !== undefined) {
      // A worker of older code would not find them; the hint is sent again.
      return nothing;
    }
    const rows = this.#tasks.lease(chunk, this.#bootId, nowMs);
    if (rows.length === 0) {
      return nothing;
    }
    effectMade("lease");
    return {
      ...claim,
      tasks: describeTasks({ run, plan: machine.plan, store: this.#store, seed, nowMs }, rows),
      ...referencesFor(machine.plan, rows),
      ...neighboursOf(metadata.workspace_id),
    };
  }

  /** Accepts reports whose fence still holds; returns true if the run can continue. */
  report(
    run: LiveRun,
    reports: readonly TaskReport[],
    nowMs: number,
    random: () => number,
  ): boolean {
    const hasChanges = this.#store.transaction(() => {
      const first = firstReports(reports);
      this.#countCalls(first);
      const leased = this.#leasedOf(first);
      const retried = this.#retry(first, leased, nowMs, random);
      const waits = this.#wait(run, first, leased, nowMs);
      const givenBack = this.#giveBack(run, first, leased, nowMs, random);
      const settled: TaskOutcomeRow[] = [];
      for (const { task_id, fence, outcome, duration_ms, charge, digests } of first) {
        const ended = waits.ended.get(task_id) ?? givenBack.ended.get(task_id);
        const durationMs = wholeMs(duration_ms);
        if (ended !== undefined) {
          settled.push({ id: task_id, fence, outcome: ended, durationMs });
        } else if (isResult(outcome) && !retried.has(task_id)) {
          settled.push({
            id: task_id,
            fence,
            outcome: this.#filed(run, settledOutcome(outcome, charge, digests)),
            durationMs,
          });
        }
      }
      const taken = this.#tasks.report(settled);
      for (const { task_id, fence, outcome, stores_files: hasFiles } of first) {
        const attempt = fileAttempt(leased.get(task_id) ?? { fence, wait: null });
        // A failure at the first attempt rarely leaves a file; its report says so if it does.
        const isClean = outcome.kind === "ok" || (fence === 1 && hasFiles !== true);
        const last = attempt - (isClean ? 1 : 0);
        if (taken.has(task_id)) {
          this.texts.drop(task_id);
        }
        if (last > 0 && taken.has(task_id)) {
          this.#orphans.note(task_id, last);
        }
      }
      return retried.size + waits.taken + givenBack.taken + taken.size > 0;
    });
    if (hasChanges) {
      effectMade("report");
    }
    return hasChanges;
  }

  /** The outcome with its files, if they are valid. */
  #filed(run: LiveRun, outcome: ReportedTask["outcome"]): ReportedTask["outcome"] {
    const checked = withCheckedFiles(outcome, run.metadata.workspace_id);
    if (hasHeldFiles(checked) && this.#store.getMetadata(HELD_FACT) === undefined) {
      // Written with the outcome: before that, no worker can be given the file.
      this.#store.noteMetadata(HELD_FACT, 1);
    }
    return checked;
  }

  /** Reported tasks whose fence still holds their lease, except for those that succeed at their first lease. */
  #leasedOf(reports: readonly TaskReport[]): ReadonlyMap<number, TaskRow> {
    const asked = reports.filter(
      ({ fence, outcome }) =>
        fence > 1 || !isResult(outcome) || (outcome.kind === "failed" && outcome.retryable),
    );
    return asked.length === 0 ? new Map() : this.#tasks.leasedOf(asked);
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
        this.#giveUp(run, [{ ...task, wait: { token, sinceMs, waits: 0 } }], nowMs);
        taken++;
      } else if (typeof token !== "string" || token.length > WAIT_TOKEN_MAX_CHARS) {
        ended.set(task_id, TOKEN_TOO_LONG);
      } else if (delayMs === null) {
        ended.set(task_id, waitedTooLong(plan?.nodes[task.node]));
        this.#giveUp(run, [{ ...task, wait: { token, sinceMs, waits: 0 } }], nowMs);
      } else {
        const waits = (task.wait?.waits ?? 0) + 1;
        const wait: TaskWait =
          outcome.is_queued === true
            ? { token, sinceMs, waits, queuedAtMs: nowMs }
            : { token, sinceMs, waits };
        this.#tasks.waitFor(task.id, wait, delayMs, wholeMs(duration_ms), nowMs);
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
        this.#giveUp(run, [task], nowMs);
        taken++;
      } else if (delayMs === null) {
        ended.set(task_id, { kind: "failed", failure: givenBackTooOften(outcome.reason) });
        this.#giveUp(run, [task], nowMs);
      } else {
        this.#tasks.giveBack(task_id, delayMs, wholeMs(duration_ms), nowMs);
        taken++;
      }
    }
    return { taken, ended };
  }

  /** Drops a task that a stop left unsettled; its attempts may have stored files. */
  #dropLeased(task: TaskRow): void {
    this.#orphans.note(task.id, fileAttempt(task));
    this.#tasks.dropLeased([task.id]);
  }

  /** [E31] Accepts texts of tasks in progress; ignored for lost leases and for a run that stops. */
  emit(run: LiveRun, texts: readonly EmittedText[]): EmitResponse {
    const isOver = isStopping(run);
    return this.texts.take(texts, ({ task_id, fence }) =>
      isOver ? undefined : this.#tasks.leased(task_id, fence),
    );
  }

  /** [E33] A page of what an aggregator's task reads; null if this fence does not hold its lease. */
  elements(run: LiveRun, { task_id, fence, from }: ElementsRequest): ElementPage | null {
    const task = this.#tasks.leased(task_id, fence);
    const node = run.machine?.plan.nodes[task?.node ?? -1];
    return task === undefined || node === undefined || !isAggregator(node)
      ? null
      : elementPage(run, this.#store, { node, element: task.element, from });
  }

  /** Resolves when no crash can undo these reports; a repeat of one waits for the same. */
  async untilStored(reports: readonly TaskReport[]): Promise<void> {
    const ids = reports.map(({ task_id }) => task_id);
    await this.#tasks.untilStored(ids, REPORT_HELD_MAX_MS);
  }

  /** Schedules retries of transient failures; returns which tasks these were. */
  #retry(
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
        const delay = retryDelayMs(task.attempt, random(), outcome.retry_after_ms);
        this.#tasks.retryAfter(task_id, delay, wholeMs(duration_ms), nowMs, {
          wait: keptWait(task, outcome, nowMs - wholeMs(duration_ms)),
        });
        this.#countRetry(task.node);
        retried.add(task_id);
      }
    }
    return retried;
  }

  /**
   * Returns the given tasks whose lease is lost; the other leases are extended, unless the run is `abandoned`: then
   * they keep the rest of their grace period.
   */
  heartbeat(
    tasks: readonly { task_id: number; fence: number }[],
    isAbandoned: boolean,
    nowMs: number,
  ): number[] {
    const isHeld = (id: number, fence: number) =>
      isAbandoned
        ? this.#tasks.leased(id, fence) !== undefined
        : this.#tasks.extend(id, fence, nowMs);
    return this.#store.transaction(() =>
      tasks.filter(({ task_id, fence }) => !isHeld(task_id, fence)).map(({ task_id }) => task_id),
    );
  }

  /** Ends expired leases: a lost worker is a transient fault. */
  expire(run: LiveRun, nowMs: number, random: () => number): void {
    this.#store.transaction(() => {
      this.#expire(run, nowMs, random);
    });
  }

  #expire(run: LiveRun, nowMs: number, random: () => number): void {
    this.#tasks.pullIn(nowMs);
    const lost = this.#tasks.expired(this.#bootId, nowMs);
    if (isStopping(run)) {
      for (const task of lost) {
        this.#orphans.note(task.id, fileAttempt(task));
      }
      this.#giveUp(run, lost, nowMs);
      this.#tasks.dropLeased(lost.map((task) => task.id));
      return;
    }
    this.#tasks.reclaimAfterRestart(this.#bootId);
    for (const task of lost) {
      if (task.boot !== this.#bootId) {
        this.#countRetry(task.node);
      } else if (task.attempt < ATTEMPTS_MAX) {
        this.#tasks.retryAfter(task.id, retryDelayMs(task.attempt, random(), null), 0, nowMs);
        this.#countRetry(task.node);
      } else {
        this.#orphans.note(task.id, fileAttempt(task));
        const { id, fence } = task;
        this.texts.drop(id);
        this.#tasks.report([{ id, fence, outcome: WORKER_LOST, durationMs: 0 }]);
        this.#giveUp(run, [task], nowMs);
      }
    }
  }

  /** Drops tasks that no worker executes; failed attempts may have left files. */
  dropWaiting(run: LiveRun, nowMs: number): void {
    this.#store.transaction(() => {
      const dropped = this.#tasks.dropWaiting();
      for (const task of dropped) {
        this.#orphans.note(task.id, fileAttempt(task));
      }
      this.#giveUp(run, dropped, nowMs);
    });
  }

  /** Notes the calls of these tasks that may have begun something elsewhere: those that ask models. */
  #giveUp({ machine }: LiveRun, tasks: readonly TaskRow[], nowMs: number): void {
    const calls = tasks.flatMap(({ id, node, wait }) =>
      wait !== null && machine?.plan.nodes[node]?.type.needs?.includes("models") === true
        ? [{ task_id: id, token: wait.token }]
        : [],
    );
    this.givenUp.note(calls, nowMs);
  }

  /** Drops every task; files of their attempts are deleted with the run's end. */
  dropAll(): void {
    for (const { id, fence } of this.#tasks.dropAll()) {
      this.#orphans.note(id, fence);
    }
  }

  /** What tasks asked of models, for the trace. A report whose lease was lost is not counted. */
  #countCalls(reports: readonly TaskReport[]): void {
    for (const report of reports) {
      const { task_id, fence, models } = report;
      const task = models === undefined ? undefined : this.#tasks.leased(task_id, fence);
      if (task !== undefined) {
        addModelCalls(this.#store, task.node, report);
      }
    }
  }

  #countRetry(node: number): void {
    const name = `retries.${node}`;
    this.#store.putMetadata(name, Number(this.#store.getMetadata(name) ?? 0) + 1);
  }
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

/** Reports that settle nothing: the number accepted, and the outcomes of tasks that may not continue. */
interface TakenReports {
  readonly taken: number;
  readonly ended: ReadonlyMap<number, ReportedTask["outcome"]>;
}

function isStopping({ state }: LiveRun): boolean {
  return state.status !== "running" || state.stopped !== null;
}

/** A runner's clock may step back, and its figure is for display only. */
function wholeMs(given: number): number {
  return Number.isFinite(given) ? Math.max(0, Math.round(given)) : 0;
}
