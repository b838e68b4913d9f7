/**
 * Keeps a run moving: drives it, carries out what the engine asks for, hands tasks out, tells the
 * workspace when it ends. Whatever it loses in a crash the rows still say, and the alarm comes back.
 */
import { isTerminal } from "../../src/contracts/run.ts";
import { workerOf } from "../../src/nodes/define-tools.ts";
import type { RunEffect, RunEvent } from "../../src/engine/step/events.ts";
import type { Logger } from "../../src/platform/logger.ts";
import { type LiveRun, type RunMachine, StaleDriverError } from "./live-run.ts";
import type { RunAlarms } from "./run-alarms.ts";
import type { RunEffects } from "./run-effects.ts";
import { runFailure } from "./run-metadata-view.ts";
import { chargedMilliCredits, RunMoney } from "./run-money.ts";
import type { RunOutbox } from "./run-outbox.ts";
import type { RunStore } from "./run-store.ts";
import type { RunTasks } from "./run-tasks.ts";
import { taskQuota } from "./task-quota.ts";
import type { TaskStore } from "./task-store.ts";
import { describeCause } from "../../src/lib/describe-cause.ts";
import { effectMade } from "../../src/platform/effect-log.ts";

/** Pieces of work between two looks at everything else. */
const SLICES_MAX = 50;

/**
 * A leased task is told at once that its run is cancelled; one that says nothing for this long is
 * given up, so that a lost worker cannot hold up the cancel for the rest of its lease.
 */
const CANCEL_GRACE_MS = 5_000;

/** Ready tasks wait for a whole chunk of room at most this long after the last hand-out. */
const REFILL_MS = 250;

/** Failures in a row, with a watchdog's time between them, after which a run is ended as failed. */
const FAULTS_MAX = 10;

export interface LoopParts {
  readonly store: RunStore;
  readonly tasks: TaskStore;
  readonly runTasks: RunTasks;
  readonly alarms: RunAlarms;
  readonly effects: RunEffects;
  /** Removes the files of attempts that did not count. */
  readonly sweepFiles: () => Promise<void>;
  /** Names this boot in what is handed out. */
  readonly bootId: string;
  readonly outbox: RunOutbox;
  readonly log: Logger;
  readonly nowMs: () => number;
  /** A turn broke off: what is in memory may be ahead of the rows and must be rebuilt from them. */
  readonly onBroken: () => void;
}

export class RunLoop {
  readonly #parts: LoopParts;
  readonly #run: LiveRun;
  #isAdvancing = false;
  #mustAdvanceAgain = false;
  #isBroken = false;
  #isClosed = false;

  #handedOutAtMs = 0;
  #willRefill = false;

  readonly #money: RunMoney;

  constructor(parts: LoopParts, run: LiveRun) {
    const { store, effects, nowMs } = parts;
    const { metadata, outline, machine } = run;
    this.#parts = parts;
    this.#run = run;
    parts.alarms.deadlineMs = () => this.#dueMs();
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

  /** Turns until nothing is left to do now. Calls while it turns make it look once more. Never throws. */
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
        // Another motor goes on from the rows once somebody wakes it.
        this.#parts.alarms.arm(this.#parts.nowMs());
      }
    } catch (error) {
      // The rows are as the last commit left them; the alarm tries again from them.
      this.#break();
      this.#parts.log.error("run.advance_failed", {
        cause: describeCause(error),
      });
      this.#parts.alarms.arm(this.#parts.nowMs());
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** What this has in memory may be ahead of the rows: it does nothing more. */
  retire(): void {
    this.#isBroken = true;
  }

  #break(): void {
    if (!this.#isBroken) {
      this.retire();
      this.#parts.onBroken();
    }
  }

  /** Whether a turn is under way, perhaps held by a call that is not answered. */
  get isAdvancing(): boolean {
    return this.#isAdvancing;
  }

  /** Whether everybody has been told of the run's end. One that ended within its start keeps no note of it. */
  get isClosed(): boolean {
    return this.#isClosed || this.#parts.store.getMetadata("closed") !== undefined;
  }

  /** Whoever asks after a run whose alarm was lost gets it going again. */
  async goOn(): Promise<void> {
    const { alarms, nowMs } = this.#parts;
    if (alarms.isDoubtful(nowMs()) && !this.isClosed) {
      await this.advance();
    }
  }

  /** Tells of the run's end again where nothing says that it was told; false while it has not ended. */
  async hasReportedEnd(): Promise<boolean> {
    if (isTerminal(this.#run.state.status)) {
      await this.advance();
    }
    return this.isClosed;
  }

  /** The run may go: its inputs are in place, and a slot is free. Repeats change nothing. */
  begin(): void {
    const { machine, state } = this.#run;
    if (machine !== null && state.status === "pending") {
      this.#pending.push(...machine.driver.begin().effects);
    }
  }

  /** Stops handing out work, now; `turn` sees what is in flight to its end. */
  cancel(): void {
    this.#apply({ type: "cancel-requested" });
    this.#abandonTasks();
  }

  /** Stops a run that has used up its time (plan limit); false when it has not, or has ended. */
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

  /** When the run's time is over; null while that does not matter. */
  #dueMs(): number | null {
    const { status, stopped } = this.#run.state;
    const startedAt = this.#parts.store.getMetadata("started_at");
    return status !== "running" || stopped !== null || startedAt === undefined
      ? null
      : Number(startedAt) + this.#run.metadata.time_limit_ms;
  }

  #abandonTasks(): void {
    const { tasks, runTasks, nowMs, alarms } = this.#parts;
    runTasks.dropWaiting();
    tasks.endLeasesBy(nowMs() + CANCEL_GRACE_MS);
    alarms.arm(nowMs());
  }

  /** The first piece of work, inside the call that starts the run: small runs end in one commit. */
  async firstSlice(): Promise<void> {
    this.#isAdvancing = true;
    try {
      const driven = await this.#run.machine?.driver.drive(1);
      this.#pending.push(...(driven?.effects ?? []));
    } catch (error) {
      // The run exists and its alarm is armed: its caller gets the id, the alarm tries again.
      this.#break();
      this.#parts.log.error("run.first_slice_failed", { cause: describeCause(error) });
    } finally {
      this.#isAdvancing = false;
    }
  }

  readonly #pending: RunEffect[] = [];

  async #once(): Promise<void> {
    const { tasks, alarms, nowMs } = this.#parts;
    const run = this.#run;
    if (this.isClosed) {
      return;
    }
    const { machine } = run;
    if (machine === null) {
      // It had ended when this object woke, and needs no plan to say so.
      await this.#close();
      return;
    }
    const { driver } = machine;
    const { effects, isIdle } = await this.#drive(machine);
    await this.#carryOut([...this.#pending.splice(0), ...effects]);
    if (isTerminal(run.state.status)) {
      await this.#close();
      return;
    }
    // A reservation that a crash cut off is asked for again: the ledger knows it by run and node.
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
    await this.acknowledge();
    alarms.arm(nowMs());
    this.#mustAdvanceAgain ||= !isIdle;
  }

  /** Drives; a run that cannot be moved, try after try, is ended and does not hang for ever. */
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
          this.#parts.runTasks.dropWaiting();
          this.#mustAdvanceAgain = true;
          break;
        case "finish":
          this.#mustAdvanceAgain = true;
          break;
      }
    }
  }

  #apply(event: RunEvent): void {
    this.#pending.push(...(this.#run.machine?.driver.apply(event).effects ?? []));
    this.#mustAdvanceAgain = true;
  }

  /** Lost calls are made good by the next, or by `close`: neither may stop the run. */
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

  async #handOut(): Promise<void> {
    const { tasks, effects, nowMs } = this.#parts;
    const quota = taskQuota(this.#run.metadata.max_outstanding_tasks);
    const elapsedMs = nowMs() - this.#handedOutAtMs;
    // A clock that stepped back must not hold tasks up for as long as it stepped.
    const isDue = elapsedMs < 0 || elapsedMs >= REFILL_MS;
    const queued = tasks.queueReady(quota, isDue, nowMs(), (node) =>
      workerOf(this.#run.machine?.plan.nodes[node]?.type.needs),
    );
    if (queued.isHoldingBack && !this.#willRefill) {
      this.#willRefill = true;
      // Lost with the object's memory, it is made good by the alarm.
      setTimeout(() => {
        this.#willRefill = false;
        void this.advance();
      }, REFILL_MS);
    }
    if (queued.chunks.length > 0) {
      this.#handedOutAtMs = nowMs();
      // Written before sent: the alarm re-sends what has not reported back.
      await effects.hint(this.#run.metadata, queued.chunks);
    }
  }

  /** Tells the workspace how the live run stands, so that lists say what the run says; once for each status. */
  async acknowledge(): Promise<void> {
    const { store, effects, alarms, nowMs } = this.#parts;
    const { status } = this.#run.state;
    if (isTerminal(status) || store.getMetadata("acknowledged") === status) {
      return;
    }
    // Before the workspace hears of it, which from then on does not repeat the start.
    alarms.arm(nowMs());
    const startedAt = store.getMetadata("started_at");
    await effects.acknowledge(this.#run.metadata, {
      startedAtMs: startedAt === undefined ? null : Number(startedAt),
      isCancelling: status === "cancelling",
    });
    store.putMetadata("acknowledged", status);
  }

  /** For who has changed the run and must not fail by this: the turn under way does it again. */
  async tryAcknowledge(): Promise<void> {
    try {
      await this.acknowledge();
    } catch (error) {
      this.#parts.log.error("run.cancel_not_indexed", { cause: describeCause(error) });
    }
  }

  async #close(): Promise<void> {
    const { store, effects, outbox, sweepFiles, alarms, log, nowMs } = this.#parts;
    const { state } = this.#run;
    const isGuarded = alarms.isGuard;
    if (isGuarded) {
      alarms.arm(nowMs());
    }
    const failure =
      state.status === "failed" || state.status === "partial_success"
        ? runFailure(this.#run, store)
        : null;
    const startedAt = store.getMetadata("started_at");
    const listeners = await effects.close(this.#run.metadata, {
      status: state.status,
      progress: state.progress,
      settled_milli_credits: chargedMilliCredits(this.#run, state),
      error_code: failure?.code ?? null,
      error_message: failure?.message ?? null,
      error_node_id: failure?.nodeId ?? null,
      error_indices: failure?.indices ?? null,
      started_at_ms: startedAt === undefined ? null : Number(startedAt),
      completed_at_ms: Number(store.getMetadata("completed_at")),
      is_unguarded: !isGuarded,
    });
    // Not closed before its event is with everybody: the alarm, or the repeated start, comes back until then.
    await outbox.handOver(listeners);
    effectMade("outbox");
    if (store.hasTasks) {
      await sweepFiles();
    }
    if (!isGuarded && listeners.webhook_endpoints.length > 0) {
      await effects.acknowledge(this.#run.metadata, { startedAtMs: null, isCancelling: false });
    }
    this.#isClosed = true;
    if (isGuarded || !store.isNew) {
      store.putMetadata("closed", 1);
      alarms.disarm();
    }
    log.info("run.ended", { status: state.status, error_code: failure?.code });
  }
}
