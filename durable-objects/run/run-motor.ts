/**
 * Keeps a run moving: drives it, carries out what the engine asks for, hands tasks out, tells the
 * workspace when it ends. Whatever it loses in a crash the rows still say, and the alarm comes back.
 */
import { isTerminal } from "../../src/contracts/run.ts";
import type { RunEffect } from "../../src/engine/step/events.ts";
import type { Logger } from "../../src/platform/logger.ts";
import type { LiveRun } from "./live-run.ts";
import type { RunAlarms } from "./run-alarms.ts";
import type { RunEffects } from "./run-effects.ts";
import { chargedMilliCredits, runFailure } from "./run-facts-view.ts";
import type { RunStore } from "./run-store.ts";
import type { RunTasks } from "./run-tasks.ts";
import type { TaskStore } from "./task-store.ts";

/** Pieces of work between two looks at everything else. */
const SLICES_MAX = 50;

/** Failures in a row, with a watchdog's time between them, after which a run is ended as failed. */
const FAULTS_MAX = 10;

export interface MotorParts {
  readonly store: RunStore;
  readonly tasks: TaskStore;
  readonly runTasks: RunTasks;
  readonly alarms: RunAlarms;
  readonly effects: RunEffects;
  readonly log: Logger;
  readonly nowMs: () => number;
}

export class RunMotor {
  readonly #parts: MotorParts;
  readonly #run: LiveRun;
  #isTurning = false;
  #mustTurnAgain = false;

  constructor(parts: MotorParts, run: LiveRun) {
    this.#parts = parts;
    this.#run = run;
  }

  /** Turns until nothing is left to do now. Calls while it turns make it look once more. Never throws. */
  async turn(): Promise<void> {
    this.#mustTurnAgain = true;
    if (this.#isTurning) {
      return;
    }
    this.#isTurning = true;
    try {
      while (this.#mustTurnAgain) {
        this.#mustTurnAgain = false;
        await this.#once();
      }
    } catch (error) {
      // The rows are as the last commit left them; the alarm tries again.
      this.#parts.log.error("run.turn_failed", {
        cause: error instanceof Error ? error.stack : String(error),
      });
      this.#parts.alarms.arm(this.#parts.nowMs());
    } finally {
      this.#isTurning = false;
    }
  }

  /** The run may go: its inputs are in place, and a slot is free. Repeats change nothing. */
  begin(): void {
    const { driver } = this.#run;
    if (driver.state.status === "pending") {
      this.#pending.push(...driver.begin().effects);
    }
  }

  /** Asks for cancellation; `turn` carries it out. */
  cancel(): void {
    this.#apply({ type: "cancel-requested" });
  }

  /** The first piece of work, inside the call that starts the run: small runs end in one commit. */
  async firstSlice(): Promise<void> {
    this.#isTurning = true;
    try {
      const { effects } = await this.#run.driver.drive(1);
      this.#pending.push(...effects);
    } catch (error) {
      // The run exists and its alarm is armed: its caller gets the id, the alarm tries again.
      this.#parts.log.error("run.first_slice_failed", { cause: String(error) });
    } finally {
      this.#isTurning = false;
    }
  }

  readonly #pending: RunEffect[] = [];

  async #once(): Promise<void> {
    const { store, tasks, alarms, nowMs } = this.#parts;
    const { driver } = this.#run;
    if (store.getFact("closed") !== undefined) {
      return;
    }
    const { effects, isIdle } = await this.#drive();
    await this.#carryOut([...this.#pending.splice(0), ...effects]);
    if (isTerminal(driver.state.status)) {
      await this.#close();
      return;
    }
    this.#reserveAgain();
    const isStopping = driver.state.status === "cancelling" || driver.state.stopped !== null;
    if (isStopping && tasks.leasedCount === 0) {
      const { effects: last } = driver.apply({ type: "drained" });
      await this.#carryOut(last);
      this.#mustTurnAgain = true;
      return;
    }
    if (!isStopping) {
      await this.#handOut();
    }
    if (store.getFact("acknowledged") === undefined) {
      await this.#acknowledge();
    }
    alarms.arm(nowMs());
    this.#mustTurnAgain ||= !isIdle;
  }

  /** Drives; a run that cannot be moved, try after try, is ended and does not hang for ever. */
  async #drive(): ReturnType<LiveRun["driver"]["drive"]> {
    const { store } = this.#parts;
    const { driver, plan } = this.#run;
    try {
      const driven = await driver.drive(SLICES_MAX);
      if (store.getFact("faults") !== undefined) {
        store.putFact("faults", 0);
      }
      return driven;
    } catch (error) {
      const faults = Number(store.getFact("faults") ?? 0) + 1;
      store.putFact("faults", faults);
      const stuck = plan.nodes.find((node) => driver.state.nodes[node.index]?.phase !== "settled");
      if (faults < FAULTS_MAX || stuck === undefined) {
        throw error;
      }
      this.#parts.log.error("run.abandoned", { node_id: stuck.id, cause: String(error) });
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
          await this.#reserve(effect.node, effect.milliCredits);
          break;
        case "drop-waiting-tasks":
          this.#parts.tasks.dropWaiting();
          this.#mustTurnAgain = true;
          break;
        case "finish":
          this.#mustTurnAgain = true;
          break;
      }
    }
  }

  /** A reservation that a crash cut off is asked for again: the ledger knows it by run and node. */
  #reserveAgain(): void {
    this.#run.driver.state.nodes.forEach((node, index) => {
      const planNode = this.#run.plan.nodes[index];
      if (node.phase === "reserving" && planNode !== undefined) {
        this.#pending.push({
          type: "reserve",
          node: index,
          milliCredits: node.total * planNode.costMilliCredits,
        });
        this.#mustTurnAgain = true;
      }
    });
  }

  async #reserve(node: number, milliCredits: number): Promise<void> {
    const { facts, plan, driver } = this.#run;
    if (driver.state.nodes[node]?.phase !== "reserving") {
      return;
    }
    const nodeId = plan.nodes[node]?.id ?? "";
    const bound = facts.admission_limits.max_admitted_milli_credits;
    const admitted = this.#admittedMilliCredits();
    if (bound !== undefined && admitted + milliCredits > bound) {
      this.#apply({
        type: "plan-refused",
        node,
        code: "ADMISSION_LIMIT_EXCEEDED",
        message: `"${nodeId}" would bring the run's liability to ${admitted + milliCredits} milli-credits; max_admitted_milli_credits is ${bound}.`,
      });
      return;
    }
    const outcome = await this.#parts.effects.reserve(facts, node, nodeId, milliCredits);
    if (outcome.kind === "reserved") {
      this.#parts.store.putFact("admitted", admitted + milliCredits);
      this.#apply({ type: "plan-reserved", node });
    } else {
      this.#apply({
        type: "plan-refused",
        node,
        code: "INSUFFICIENT_CREDITS",
        message: `"${nodeId}" needs ${milliCredits} milli-credits; the workspace has ${outcome.balance_milli_credits}.`,
      });
    }
  }

  #apply(event: Parameters<LiveRun["driver"]["apply"]>[0]): void {
    this.#pending.push(...this.#run.driver.apply(event).effects);
    this.#mustTurnAgain = true;
  }

  #admittedMilliCredits(): number {
    return Number(this.#parts.store.getFact("admitted") ?? this.#run.facts.reserved_milli_credits);
  }

  async #handOut(): Promise<void> {
    const { tasks, effects, nowMs } = this.#parts;
    const chunks = tasks.queueReady(nowMs());
    if (chunks.length > 0) {
      // Written before sent: the alarm re-sends what has not reported back.
      await effects.hint(this.#run.facts, chunks);
    }
  }

  async #acknowledge(): Promise<void> {
    const { store, effects } = this.#parts;
    const startedAt = store.getFact("started_at");
    await effects.acknowledge(this.#run.facts, startedAt === undefined ? null : Number(startedAt));
    store.putFact("acknowledged", 1);
  }

  async #close(): Promise<void> {
    const { store, effects, alarms, log, nowMs } = this.#parts;
    const { state } = this.#run.driver;
    alarms.arm(nowMs());
    const failure =
      state.status === "failed" || state.status === "partial_success"
        ? runFailure(this.#run, state, store)
        : null;
    const startedAt = store.getFact("started_at");
    await effects.close(this.#run.facts, {
      status: state.status,
      progress: state.progress,
      settled_milli_credits: chargedMilliCredits(this.#run, state),
      error_code: failure?.code ?? null,
      error_message: failure?.message ?? null,
      started_at_ms: startedAt === undefined ? null : Number(startedAt),
      completed_at_ms: Number(store.getFact("completed_at")),
    });
    store.putFact("closed", 1);
    alarms.disarm();
    log.info("run.ended", { status: state.status, error_code: failure?.code });
  }
}
