/** The run's side of the runner protocol: leases out, heartbeats, lost workers. Decides about times and fences. */
import {
  type Claim,
  type ClaimRequest,
  type ElementPage,
  type ElementsRequest,
  type EmitResponse,
  type EmittedText,
} from "../../../src/contracts/runs/task.ts";
import { isAggregator } from "../../../src/engine/plan/node-kind.ts";
import { ATTEMPTS_MAX, retryDelayMs } from "../../../src/engine/step/retry-delay.ts";
import { effectMade } from "../../../src/platform/effect-log.ts";
import { neighboursOf } from "../active-tenants.ts";
import { cacheFor, describeTasks, fileAttempt, referencesFor } from "./describe-tasks.ts";
import { GivenUp } from "../given-up.ts";
import { elementPage } from "../blocks/element-pages.ts";
import { isStopping, type LiveRun } from "../live-run.ts";
import { LiveTexts } from "../views/live-texts.ts";
import type { RunStore } from "../state/run-store.ts";
import { CACHED_FACT, HELD_FACT } from "../state/run-schema.ts";
import type { OrphanedFiles } from "./orphaned-files.ts";
import { WORKER_LOST } from "./task-outcomes.ts";
import { LEASE_MS, type TaskStore } from "./task-store.ts";
import { countRetry } from "./node-retries.ts";
import { TaskReports } from "./task-reports.ts";

const HEARTBEAT_MS = 5_000;

export class RunTasks {
  readonly #store: RunStore;
  readonly #tasks: TaskStore;
  readonly #bootId: string;
  readonly #orphans: OrphanedFiles;
  readonly texts = new LiveTexts();
  readonly givenUp: GivenUp;
  readonly reports: TaskReports;

  constructor(store: RunStore, tasks: TaskStore, bootId: string, orphans: OrphanedFiles) {
    this.#store = store;
    this.#tasks = tasks;
    this.#bootId = bootId;
    this.#orphans = orphans;
    this.givenUp = new GivenUp(store);
    const { texts, givenUp } = this;
    this.reports = new TaskReports({ store, tasks, orphans, texts, givenUp });
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
    const cached = cacheFor(run, machine.plan, rows);
    if (cached.cache !== undefined && this.#store.getMetadata(CACHED_FACT) === undefined) {
      // Before its executor can write an entry.
      this.#store.putMetadata(CACHED_FACT, 1);
    }
    return {
      ...claim,
      tasks: describeTasks({ run, plan: machine.plan, store: this.#store, seed, nowMs }, rows),
      ...referencesFor(machine.plan, rows),
      ...cached,
      ...neighboursOf(metadata.workspace_id),
    };
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
      this.givenUp.noteTasks(run, lost, nowMs);
      this.#tasks.dropLeased(lost.map((task) => task.id));
      return;
    }
    this.#tasks.reclaimAfterRestart(this.#bootId);
    for (const task of lost) {
      if (task.boot !== this.#bootId) {
        countRetry(this.#store, task.node);
      } else if (task.attempt < ATTEMPTS_MAX) {
        this.#tasks.waits.retryAfter(task.id, retryDelayMs(task.attempt, random(), null), 0, nowMs);
        countRetry(this.#store, task.node);
      } else {
        this.#orphans.note(task.id, fileAttempt(task));
        const { id, fence } = task;
        this.texts.drop(id);
        this.#tasks.report([{ id, fence, outcome: WORKER_LOST, durationMs: 0 }]);
        this.givenUp.noteTasks(run, [task], nowMs);
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
      this.givenUp.noteTasks(run, dropped, nowMs);
    });
  }

  /** Drops every task; files of their attempts are deleted with the run's end. */
  dropAll(): void {
    for (const { id, fence } of this.#tasks.dropAll()) {
      this.#orphans.note(id, fence);
    }
  }
}
