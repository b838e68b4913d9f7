/**
 * Keeps a run moving: drives it, executes the engine's effects, hands out tasks, and has its status and end reported.
 * Work lost in a crash is still recorded in the rows, and the alarm resumes it.
 */
import { isTerminal } from "../../src/contracts/runs/run.ts";
import type { CloseRequest } from "../../src/contracts/workspaces/admission.ts";
import { DEFAULT_WORKER } from "../../src/contracts/runs/task-workers.ts";
import { workerOf } from "../../src/nodes/define-tools.ts";
import type { RunEffect, RunEvent } from "../../src/engine/step/events.ts";
import { type LiveRun, type RunMachine, StaleDriverError } from "./live-run.ts";
import { RunMoney } from "./run-money.ts";
import { type ReportParts, RunReports } from "./tasks/run-reports.ts";
import type { RunTasks } from "./tasks/run-tasks.ts";
import { taskQuota } from "./tasks/task-quota.ts";
import type { TaskStore } from "./tasks/task-store.ts";
import { MustBeStoredError } from "./state/must-be-stored.ts";
import { describeCause } from "../../src/lib/errors/describe-cause.ts";

/** Pieces of work between two checks of everything else. */
const SLICES_MAX = 50;

/**
 * A leased task is told immediately that its run is cancelled. A task that does not respond within this time is
 * dropped, so that a lost worker cannot delay the cancel for the rest of its lease.
 */
const CANCEL_GRACE_MS = 5_000;

/** Longest wait of ready tasks for a full chunk, from the last hand-out. */
const REFILL_MS = 250;

/** An executor confirms given-up calls within this time, or they are handed over again. */
const GIVEN_UP_REPEAT_MS = 5_000;

/** Consecutive failures, one watchdog interval apart, after which a run ends as failed. */
const FAULTS_MAX = 10;

export interface LoopParts extends ReportParts {
  readonly tasks: TaskStore;
  readonly runTasks: RunTasks;
  /** Identifies this start of the service in leases. */
  readonly bootId: string;
  /** An advance failed midway: memory may be ahead of the rows and must be rebuilt from them. */
  readonly onBroken: () => void;
}

export class RunLoop {
  readonly #parts: LoopParts;
  readonly #run: LiveRun;
  #isAdvancing = false;
  #mustAdvanceAgain = false;
  #isBroken = false;

  #handedOutAtMs = 0;
  #handedOverAtMs = 0;
  #willRefill = false;

  readonly #money: RunMoney;
  readonly #reports: RunReports;

  constructor(parts: LoopParts, run: LiveRun) {
    const { store, effects, nowMs } = parts;
    const { metadata, outline, machine } = run;
    this.#parts = parts;
    this.#run = run;
    parts.alarms.deadlineMs = () => this.#dueMs();
    this.#reports = new RunReports(parts, run);
    this.#money = new RunMoney({
      outline,
      prepaid: machine?.prepaid ?? new Map(),
      reservedAtAdmission: metadata.reserved_milli_credits,
      maxAdmitted: metadata.admission_limits.max_admitted_milli_credits,
      state: () => run.state,
      apply: (event) => {
        this.#apply(event);
      },
      getMetadata: (name) => store.getMetadata(name),
      putMetadata: (name, value) => {
        store.putMetadata(name, value);
      },
      transaction: (work) => {
        store.transaction(work);
      },
      nowMs,
      reserve: (seq, nodeId, milli) => effects.reserve(metadata, seq, nodeId, milli),
      settle: (seq, cumulative) => effects.settle(metadata, seq, cumulative),
      release: (seq, milli) => effects.release(metadata, seq, milli),
    });
  }

  /** Advances the run until nothing is left to do. A call while it is working triggers another check. Never throws. */
  async advance(): Promise<void> {
    this.#mustAdvanceAgain = true;
    if (this.#isAdvancing || this.#isBroken) {
      return;
    }
    this.#isAdvancing = true;
    try {
      while (this.#mustAdvanceAgain && !this.#isBroken) {
        this.#mustAdvanceAgain = false;
        await this.#once();
      }
      if (this.#isBroken) {
        // Another run loop continues from the rows at the next wake.
        this.#parts.alarms.arm(this.#parts.nowMs());
      }
    } catch (error) {
      // The rows are in the state of the last commit; the alarm retries from them.
      this.#break();
      this.#parts.log.error("run.advance_failed", {
        cause: describeCause(error),
      });
      this.#parts.alarms.arm(this.#parts.nowMs());
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** The state in memory may be ahead of the rows: this loop stops working. */
  retire(): void {
    this.#isBroken = true;
  }

  #break(): void {
    if (!this.#isBroken) {
      this.retire();
      this.#parts.onBroken();
    }
  }

  /** Whether an advance is in progress, possibly waiting for a call. */
  get isAdvancing(): boolean {
    return this.#isAdvancing;
  }

  /** Whether all receivers know of the run's end. */
  get isClosed(): boolean {
    return this.#reports.isClosed;
  }

  /** Restarts a run whose alarm was lost, when a caller reads it. */
  async goOn(): Promise<void> {
    const { alarms, nowMs } = this.#parts;
    if (alarms.isDoubtful(nowMs()) && !this.isClosed) {
      await this.advance();
    }
  }

  /** Reports the run's end again if no report is recorded; returns false while it has not ended. */
  async hasReportedEnd(): Promise<boolean> {
    if (isTerminal(this.#run.state.status)) {
      await this.advance();
    }
    return this.isClosed;
  }

  /** Starts the run: its inputs are stored, and it has a slot. Safe to repeat. */
  begin(): void {
    const { machine, state } = this.#run;
    if (machine !== null && state.status === "pending") {
      this.#pending.push(...machine.driver.begin().effects);
    }
  }

  /** Stops handing out work immediately; `advance` settles the work in flight. */
  cancel(): void {
    this.#apply({ type: "cancel-requested" });
    this.#abandonTasks();
  }

  /** Stops a run that has exceeded its time limit (plan limit); returns false if it has not, or has ended. */
  stopIfOverdue(): boolean {
    const { store, nowMs } = this.#parts;
    const dueMs = this.#dueMs();
    if (dueMs === null || nowMs() < dueMs) {
      return false;
    }
    const seconds = Math.round(this.#run.metadata.time_limit_ms / 1000);
    const message = `The run did not finish within its limit of ${seconds} s. Reduce its work, or split it.`;
    store.transaction(() => {
      this.#apply({ type: "timed-out", message });
      this.#abandonTasks();
    });
    return true;
  }

  /** End of the run's time limit; null while it does not apply. */
  #dueMs(): number | null {
    const { status, stopped } = this.#run.state;
    const startedAt = this.#parts.store.getMetadata("started_at");
    return status !== "running" || stopped !== null || startedAt === undefined
      ? null
      : Number(startedAt) + this.#run.metadata.time_limit_ms;
  }

  #abandonTasks(): void {
    const { tasks, runTasks, nowMs, alarms } = this.#parts;
    runTasks.dropWaiting(this.#run, nowMs());
    tasks.endLeasesBy(nowMs() + CANCEL_GRACE_MS);
    alarms.arm(nowMs());
  }

  /** The first pieces of work, inside the call that starts the run and without a pause: small runs end in one commit. */
  async firstSlices(count: number): Promise<void> {
    this.#isAdvancing = true;
    try {
      for (let slice = 0; slice < count && !isTerminal(this.#run.state.status); slice++) {
        const driven = await this.#run.machine?.driver.drive(1);
        this.#pending.push(...(driven?.effects ?? []));
      }
    } catch (error) {
      // The run exists and its alarm is armed: its caller receives the id, and the alarm retries.
      this.#break();
      if (!(error instanceof MustBeStoredError)) {
        this.#parts.log.error("run.first_slice_failed", { cause: describeCause(error) });
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** The end of a run that has ended within its start, for the caller to report; null if the run reports it itself. */
  takeEnd(): CloseRequest | null {
    return this.#isBroken || this.#isAdvancing ? null : this.#reports.takeEnd();
  }

  readonly #pending: RunEffect[] = [];

  async #once(): Promise<void> {
    const { tasks, alarms, nowMs } = this.#parts;
    const run = this.#run;
    await this.#handOverGivenUp();
    if (this.isClosed) {
      return;
    }
    const { machine } = run;
    if (machine === null) {
      // It had ended when this object woke, and needs no plan to report that.
      await this.#reports.close();
      return;
    }
    const { driver } = machine;
    const { effects, isIdle } = await this.#drive(machine);
    await this.#carryOut([...this.#pending.splice(0), ...effects]);
    await this.#handOverGivenUp();
    if (isTerminal(run.state.status)) {
      await this.#reports.close();
      return;
    }
    // A reservation that a crash interrupted is requested again: the ledger identifies it by run and node.
    for (const node of this.#money.reserving()) {
      this.#mustAdvanceAgain = true;
      await this.#money.reserve(node);
    }
    const isStopping = run.state.status === "cancelling" || run.state.stopped !== null;
    if (isStopping && tasks.leasedCount === 0) {
      const { effects: last } = driver.apply({ type: "drained" });
      await this.#carryOut(last);
      this.#mustAdvanceAgain = true;
      return;
    }
    if (isStopping) {
      await this.#giveBack();
    } else {
      await this.#handOut();
    }
    this.#settle();
    await this.#reports.acknowledge();
    alarms.arm(nowMs());
    this.#mustAdvanceAgain ||= !isIdle;
  }

  /** Drives the run; after repeated failures it is ended instead of hanging forever. */
  async #drive({ driver, plan }: RunMachine): ReturnType<RunMachine["driver"]["drive"]> {
    const { store } = this.#parts;
    try {
      const driven = await driver.drive(SLICES_MAX);
      if (store.getMetadata("faults") !== undefined) {
        store.putMetadata("faults", 0);
      }
      return driven;
    } catch (error) {
      if (error instanceof StaleDriverError) {
        throw error;
      }
      const faults = Number(store.getMetadata("faults") ?? 0) + 1;
      store.putMetadata("faults", faults);
      const stuck = plan.nodes.find((node) => driver.state.nodes[node.index]?.phase !== "settled");
      if (faults < FAULTS_MAX || stuck === undefined) {
        throw error;
      }
      this.#parts.log.error("run.abandoned", { node_id: stuck.id, cause: describeCause(error) });
      const message = `The service failed ${faults} times to run "${stuck.id}". Submit the run again.`;
      return {
        ...driver.apply({ type: "abandoned", node: stuck.index, code: "INTERNAL_ERROR", message }),
        isIdle: false,
      };
    }
  }

  async #carryOut(effects: readonly RunEffect[]): Promise<void> {
    for (const effect of effects) {
      switch (effect.type) {
        case "reserve":
          await this.#money.reserve(effect.node);
          break;
        case "drop-waiting-tasks":
          this.#parts.runTasks.dropWaiting(this.#run, this.#parts.nowMs());
          this.#mustAdvanceAgain = true;
          break;
        case "finish":
          this.#mustAdvanceAgain = true;
          break;
      }
    }
  }

  /** For callers that have changed the run and must not fail because of this: the advance in progress repeats it. */
  async tryAcknowledge(): Promise<void> {
    await this.#reports.tryAcknowledge();
  }

  #apply(event: RunEvent): void {
    this.#pending.push(...(this.#run.machine?.driver.apply(event).effects ?? []));
    this.#mustAdvanceAgain = true;
  }

  /** Lost calls are repaired by the next one, or by `close`: a failure of either must not stop the run. */
  async #giveBack(): Promise<void> {
    try {
      const { outline } = this.#run;
      const inFlight = this.#parts.tasks
        .leasedByNode()
        .reduce((sum, { node, n }) => sum + n * (outline.nodes[node]?.costMilliCredits ?? 0), 0);
      await this.#money.release(inFlight);
    } catch (error) {
      this.#parts.log.error("run.release_lost", { cause: describeCause(error) });
    }
  }

  #settle(): void {
    this.#money.settle().catch((error: unknown) => {
      this.#parts.log.error("run.settle_lost", { cause: describeCause(error) });
    });
  }

  /**
   * Has an executor end what given-up calls began elsewhere: with its claim of any chunk it gets their tokens. Repeated
   * by the alarm until they are confirmed. Never throws.
   */
  async #handOverGivenUp(): Promise<void> {
    const { runTasks, effects, alarms, log, nowMs } = this.#parts;
    const elapsedMs = nowMs() - this.#handedOverAtMs;
    if (runTasks.givenUp.isEmpty || (elapsedMs >= 0 && elapsedMs < GIVEN_UP_REPEAT_MS)) {
      return;
    }
    this.#handedOverAtMs = nowMs();
    const lost = runTasks.givenUp.expire(nowMs());
    if (lost > 0) {
      log.error("run.calls_not_given_up", { calls: lost });
      return;
    }
    alarms.arm(nowMs());
    try {
      await effects.hint(this.#run.metadata, [{ chunk: 0, worker: DEFAULT_WORKER }]);
    } catch (error) {
      log.error("run.give_up_lost", { cause: describeCause(error) });
    }
  }

  async #handOut(): Promise<void> {
    const { tasks, effects, nowMs } = this.#parts;
    const quota = taskQuota(this.#run.metadata.max_outstanding_tasks);
    const elapsedMs = nowMs() - this.#handedOutAtMs;
    // A clock that stepped back must not delay tasks by that time.
    const isDue = elapsedMs < 0 || elapsedMs >= REFILL_MS;
    const queued = tasks.queueReady(quota, isDue, nowMs(), (node) =>
      workerOf(this.#run.machine?.plan.nodes[node]?.type.needs),
    );
    if (queued.isHoldingBack && !this.#willRefill) {
      this.#willRefill = true;
      // If it is lost with the object's memory, the alarm repeats it.
      setTimeout(() => {
        this.#willRefill = false;
        void this.advance();
      }, REFILL_MS);
    }
    if (queued.chunks.length > 0) {
      this.#handedOutAtMs = nowMs();
      // Written before it is sent: the alarm sends it again if no response follows.
      await effects.hint(this.#run.metadata, queued.chunks);
    }
  }
}
