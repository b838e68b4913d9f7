/**
 * Runs a definition through the engine over rows in memory, in a hostile world determined by a seed: the process dies
 * between any two commits, and reports are late, repeated, out of order or lost.
 */
import { scheduler } from "node:timers/promises";
import type { Definition } from "../../src/contracts/workflows/definition.ts";
import { isTerminal } from "../../src/contracts/runs/run.ts";
import { compile } from "../../src/engine/compile/compile.ts";
import type { CellRow, ReportedTask } from "../../src/engine/drive/run-rows.ts";
import type { LookUps } from "../../src/engine/drive/asked-elements.ts";
import type { EqualsOptions } from "../../src/engine/drive/equal-elements.ts";
import { RunDriver } from "../../src/engine/drive/run-driver.ts";
import type { RunHost } from "../../src/engine/drive/run-host.ts";
import type { RunMemory } from "../../src/engine/drive/work-memory.ts";
import type { Rerun } from "../../src/engine/reuse/forced-elements.ts";
import type { SourceRun } from "../../src/engine/reuse/source-run.ts";
import { restoreLayout } from "../../src/engine/drive/restore-layout.ts";
import { isAggregator, isEnumerator } from "../../src/engine/plan/node-kind.ts";
import type { Plan, PlanNode } from "../../src/engine/plan/plan.ts";
import { SUBMITTED_PORT, submittedNode } from "../../src/engine/plan/node-kind.ts";
import type { RunEffect } from "../../src/engine/step/events.ts";
import type { CellFailure } from "../../src/engine/step/cells.ts";
import {
  columnsOf,
  onceReader,
  readColumns,
  withoutFailing,
} from "../../src/engine/step/fold-aggregate.ts";
import { gatherInputs, fitInputs } from "../../src/engine/step/gather-inputs.ts";
import { isFailure } from "../../src/engine/step/evaluate-elements.ts";
import { CellReader } from "../../src/engine/drive/cell-reader.ts";
import { newRunState } from "../../src/engine/step/run-state.ts";
import { giveBackDelayMs, givenBackTooOften } from "../../src/engine/step/give-back.ts";
import { ATTEMPTS_MAX } from "../../src/engine/step/retry-delay.ts";
import { encodeValue } from "../../src/engine/values.ts";
import { joinOutputs } from "../../src/engine/values/cell-outputs.ts";
import { datasetReaders } from "../../src/domain/datasets/dataset-readers.ts";
import { compileSchema } from "../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import { MemoryBudget } from "../../src/lib/memory/memory-budget.ts";
import { MemoryGate } from "../../src/lib/memory/memory-gate.ts";
import { NodeError } from "../../src/lib/errors/node-error.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { NodeInputs, RunValue } from "../../src/nodes/define-ports.ts";
import {
  fakeClaim,
  fakeGiveBacks,
  gatheredInputs,
  nextFakeToken,
  runFakeTask,
} from "./fake-task-node.ts";
import type { ReadElements } from "../support/executor/read-elements.ts";
import { engineOutcome } from "./engine-outcome.ts";
import { MemoryRows, type MemoryTask } from "./memory-rows.ts";
import { LostCall, type MoneyWorld, SimulatedMoney } from "./simulated-money.ts";
import type { Interpretation } from "./reference-result.ts";
import { SeededRandom } from "./seeded-random.ts";

export interface EngineRequest {
  readonly definition: Definition;
  readonly findNodeType: (type: string) => NodeType | undefined;
  readonly inputs: ReadonlyMap<string, JsonValue>;
  readonly iterationLimit?: number;
  /** The source of faults; undefined means a world without faults. */
  readonly seed?: number;
  readonly money?: MoneyWorld;
  /** Memory for the work; absent: as much as it asks for. */
  readonly memory?: RunMemory;
  /** Declared work of each slice; absent: the usual maximum. */
  readonly sliceWorkMax?: () => number;
  /** The step before which the caller cancels. */
  readonly cancelAt?: number;
  /** The ended run that this one is a retry of. */
  readonly source?: EngineOutcome;
  readonly rerun?: Rerun;
  readonly isCacheableAlways?: (type: string) => boolean;
  /** How the run takes results from its own elements. */
  readonly equals?: EqualsOptions;
  /** How it takes results of other runs. */
  readonly lookUps?: LookUps;
  /** Reports do not say that results depend on what was received alone. */
  readonly isImpure?: boolean;
  /** Of the tasks that the source was refused, the world no longer refuses some. */
  readonly isHealed?: boolean;
}

export interface EngineOutcome extends Interpretation {
  readonly plan: Plan;
  readonly rows: MemoryRows;
  readonly crashes: number;
  readonly tasksRun: number;
  /** The element of each attempt of a task. */
  readonly executed: readonly { readonly node: number; readonly element: number }[];
  readonly chargedMilliCredits: number;
  /** Code with which the root stopped, null if it did not. */
  readonly stoppedBy: string | null;
}

/** Steps after which a live run counts as stuck. */
const STEPS_MAX = 20_000;

export async function runEngine(request: EngineRequest): Promise<EngineOutcome> {
  const { plan, issues } = compile(request.definition, request.findNodeType);
  if (plan === undefined) {
    throw new Error(`does not compile: ${JSON.stringify(issues)}`);
  }
  const rows = new MemoryRows(newRunState(plan));
  rows.commit({ state: rows.state, cells: submittedCells(plan, request.inputs) });
  const random = request.seed === undefined ? undefined : new SeededRandom(request.seed);
  const sim = new Simulation(request, plan, rows, random);
  await sim.run();
  // What a WeakRef was made for, here each cell reader, lives until the event loop turns, and a run alone never lets it turn:
  // 19,000 retries in a row took all memory of their thread.
  await scheduler.yield();
  return {
    ...engineOutcome(plan, rows),
    plan,
    rows,
    crashes: sim.crashes,
    tasksRun: sim.tasksRun,
    executed: sim.executed,
    chargedMilliCredits: await sim.money.close(),
    stoppedBy: rows.state.stopped?.code ?? null,
  };
}

class Crash extends Error {}

class Simulation {
  crashes = 0;
  tasksRun = 0;
  readonly executed: { readonly node: number; readonly element: number }[] = [];
  readonly #request: EngineRequest;
  readonly #plan: Plan;
  readonly #rows: MemoryRows;
  readonly #random: SeededRandom | undefined;
  readonly money: SimulatedMoney;
  #driver: RunDriver;
  /** Elements by node of which a task was made, in a commit or in one that a crash prevented. */
  readonly #made = new Map<number, Set<number>>();
  /** Tasks left with the runner when the run stopped. */
  #isCancelled = false;

  constructor(
    request: EngineRequest,
    plan: Plan,
    rows: MemoryRows,
    random: SeededRandom | undefined,
  ) {
    this.#request = request;
    this.#plan = plan;
    this.#rows = rows;
    this.#random = random;
    this.money = new SimulatedMoney(plan, request.money ?? {}, random);
    this.#driver = this.#wake();
  }

  async run(): Promise<void> {
    for (let stepNumber = 0; stepNumber < STEPS_MAX; stepNumber++) {
      try {
        this.#maybeCrash(0.05);
        if (stepNumber === this.#request.cancelAt) {
          this.#cancel();
        }
        if (this.#driver.state.status === "pending") {
          await this.#carryOut(this.#driver.begin().effects);
        }
        const slices = this.#random === undefined ? 50 : 1 + this.#random.int(0, 2);
        const { effects } = await this.#driver.drive(slices);
        await this.#carryOut(effects);
        for (const node of this.money.reserving) {
          await this.#carryOut(await this.money.reserve(node));
        }
        if (isTerminal(this.#driver.state.status)) {
          return;
        }
        const isStopping = this.#isStopping();
        if (isStopping && this.#rows.tasks.size === 0) {
          this.#driver.apply({ type: "drained" });
          continue;
        }
        await this.money.tell(isStopping, [...this.#rows.tasks.values()]);
        this.money.commit();
        this.#runSomeTasks();
      } catch (error) {
        if (error instanceof LostCall) {
          continue;
        }
        if (!(error instanceof Crash)) {
          throw error;
        }
        this.crashes++;
        this.#driver = this.#wake();
      }
    }
    throw new Error(`stuck: ${JSON.stringify(this.#rows.state)}`);
  }

  /** Like an object that wakes: everything from rows. */
  #wake(): RunDriver {
    const layout = restoreLayout(this.#plan, this.#rows.state, this.#rows);
    const { source, iterationLimit: limit } = this.#request;
    const driver = new RunDriver(
      {
        plan: this.#plan,
        layout,
        limits: limit === undefined ? {} : { max_iterations_per_node: limit },
        prepaid: this.money.prepaid,
      },
      this.#crashingRows(),
      this.#world(),
      this.#rows.state,
      source && {
        open: () => Promise.resolve(sourceRun(source)),
        isCacheableAlways: this.#request.isCacheableAlways ?? (() => false),
        ...(this.#request.rerun !== undefined && { rerun: this.#request.rerun }),
      },
      this.#request.equals,
      this.#request.lookUps,
    );
    this.money.wake(driver);
    return driver;
  }

  #isStopping(): boolean {
    const { status, stopped } = this.#driver.state;
    return status === "cancelling" || stopped !== null;
  }

  #cancel(): void {
    this.#driver.apply({ type: "cancel-requested" });
    this.#isCancelled = this.#driver.state.status === "cancelling";
    this.#dropWaiting();
  }

  /** Some tasks are with the runner already and continue, the others never start. */
  #dropWaiting(): void {
    for (const task of this.#rows.tasks.values()) {
      const isWithRunner = isForWorkers(task) && this.#random?.chance(0.5) === false;
      if (task.outcome === null && !isWithRunner) {
        this.#rows.dropTask(task.id);
      }
    }
  }

  /** A commit may be the last action of a process, or the first that it did not make. */
  #crashingRows() {
    const rows = this.#rows;
    return {
      cellsBetween: rows.cellsBetween.bind(rows),
      cellsAt: rows.cellsAt.bind(rows),
      wholeCellsAt: rows.wholeCellsAt.bind(rows),
      equalTasks: rows.equalTasks.bind(rows),
      askedTasks: rows.askedTasks.bind(rows),
      axisRows: rows.axisRows.bind(rows),
      reportedTasks: rows.reportedTasks.bind(rows),
      commit: (commit: Parameters<MemoryRows["commit"]>[0]) => {
        this.#maybeCrash(0.05);
        this.#checkTasks(commit.tasks ?? []);
        rows.commit(commit);
        this.money.commit();
        this.#maybeCrash(0.05);
      },
    };
  }

  #maybeCrash(chance: number): void {
    if (this.#random !== undefined && this.crashes < 200 && this.#random.chance(chance)) {
      throw new Crash();
    }
  }

  /** No element of a paid node starts before its plan is reserved, and none after a cancel. */
  #checkTasks(tasks: readonly { readonly node: number; readonly element: number }[]): void {
    for (const { node, element } of tasks) {
      const now = this.#driver.state.nodes[node];
      const made = this.#made.get(node) ?? new Set();
      this.#made.set(node, made.add(element));
      const isPlanned = now?.runs == null || made.size <= now.runs;
      const isPaid = this.money.isPaid(node, now?.runs ?? now?.total ?? 0);
      if (this.#isCancelled || !isPlanned || !isPaid) {
        throw new Error(
          `a task of node ${node} was made ${this.#isCancelled ? "after the cancel" : "unpaid"}`,
        );
      }
    }
  }

  async #carryOut(effects: readonly RunEffect[]): Promise<void> {
    for (const effect of effects) {
      this.#maybeCrash(0.05);
      if (effect.type === "reserve") {
        await this.#carryOut(await this.money.reserve(effect.node));
      } else if (effect.type === "drop-waiting-tasks") {
        this.#dropWaiting();
      }
    }
  }

  /** Runs some of the open tasks, in a random order; a lost report leaves its task open. */
  #runSomeTasks(): void {
    const open = [...this.#rows.tasks.values()].filter(
      (task) => task.outcome === null && isForWorkers(task),
    );
    const order = this.#random === undefined ? open : this.#random.shuffled(open);
    const count = this.#random === undefined ? order.length : 1 + this.#random.int(0, 4);
    for (const task of order.slice(0, count)) {
      if (this.#isStopping() && this.#random?.chance(0.2) === true) {
        // Its worker is lost: the lease ends.
        this.#rows.dropTask(task.id);
        continue;
      }
      const outcome = this.#attempt(task);
      if (this.#random?.chance(0.1) ?? false) {
        // The report is lost: for the run, the attempt was never made.
        task.attempt--;
      } else if (outcome !== null) {
        task.outcome = outcome;
      }
    }
  }

  #attempt(task: MemoryTask): ReportedTask["outcome"] | null {
    this.tasksRun++;
    task.attempt++;
    const node = this.#plan.nodes[task.node]!;
    this.executed.push(task);
    const inputs = this.#inputsOf(node, task.element);
    if (isFailure(inputs)) {
      return { kind: "failed", failure: inputs };
    }
    const params = node.params as Parameters<typeof runFakeTask>[1];
    if (task.givenBack < fakeGiveBacks(inputs, params)) {
      task.attempt--;
      task.givenBack++;
      return giveBackDelayMs(task.givenBack, 0) === null
        ? { kind: "failed", failure: givenBackTooOften("wrong_worker") }
        : null;
    }
    const token = nextFakeToken(inputs, params, task.token);
    if (token !== null) {
      // Resuming is not a new attempt.
      task.attempt--;
      task.token = token;
      return null;
    }
    try {
      const outputs = runFakeTask(inputs, params, task.attempt, this.#request.isHealed);
      return {
        kind: "ok",
        outputs: [...outputs].map(([port, value]) => [port, encodeValue(value)] as const),
        ...(this.#request.isImpure !== true && { isPure: true as const }),
        ...claimed(fakeClaim(inputs, params, true)),
      };
    } catch (error) {
      if (!(error instanceof NodeError)) {
        throw error;
      }
      const { code, message } = error;
      return error.retryable && task.attempt < ATTEMPTS_MAX
        ? null
        : {
            kind: "failed",
            failure: { code, message },
            ...claimed(fakeClaim(inputs, params, false)),
          };
    }
  }

  /** The inputs that determine its fate; for an aggregator's task also the elements that it reads. */
  #inputsOf(node: PlanNode, element: number): NodeInputs | CellFailure {
    const { state } = this.#driver;
    const layout = restoreLayout(this.#plan, state, this.#rows);
    const cells = new CellReader(this.#rows, layout);
    const reader = isAggregator(node) ? onceReader(node) : node;
    cells.load([reader], state, [element]);
    const gathered = gatherInputs(reader, element, layout, cells.read(state));
    if (gathered.kind !== "ready") {
      throw new Error(`task ${node.id}/${element} was made before its inputs: ${gathered.kind}`);
    }
    const inputs = fitInputs(gathered.values, (value) => value as RunValue, gathered.places);
    if (!isAggregator(node) || isFailure(inputs)) {
      return inputs;
    }
    const columns = columnsOf(node);
    const { from, to } = layout.rangeOver(node.scope, node.outputScope, element);
    const elements: ReadElements["elements"][number][] = [];
    let failed = 0;
    for (let at = from; at < to; at++) {
      cells.load([{ ...node, inputs: columns }], state, [at]);
      let read = readColumns({ layout, read: cells.read(state) }, node, columns, at);
      let fitted: NodeInputs | CellFailure | undefined;
      while (typeof read !== "string") {
        fitted = fitInputs(read.values, (value) => value as RunValue);
        if (!isFailure(fitted)) {
          break;
        }
        read = withoutFailing(read) ?? "failed";
      }
      if (typeof read !== "string" && fitted !== undefined && !isFailure(fitted)) {
        elements.push({ inputs: fitted, place: at - from });
      }
      failed += read === "failed" || (read !== "absent" && read.isFailed) ? 1 : 0;
    }
    return gatheredInputs({ elements, failed }, inputs);
  }

  #world(): RunHost {
    const { sliceWorkMax } = this.#request;
    return {
      ...(sliceWorkMax === undefined ? {} : { sliceWorkMax }),
      nodeContext: {
        schemas: { compile: compileSchema },
        // Tables as texts; no generated graph has one in a stored file.
        datasets: datasetReaders(undefined as never, ""),
      },
      memory: this.#request.memory ?? new MemoryGate(new MemoryBudget(Number.MAX_SAFE_INTEGER)),
      loadSpilled: () => Promise.resolve({ values: new Map(), bytes: 0 }),
      readingBytes: () => 0,
      isOwnFile: () => true,
      store: (_node, _element, _port, value) => encodeValue(value),
      awaitNextAttempt: () => Promise.resolve(false),
      pause: () => Promise.resolve(),
      onClaim: (node, element, problem) => {
        if (problem !== "capped") {
          throw new Error(`the claim of ${node.id}/${element} was not taken: ${problem}`);
        }
      },
      onDefect: (node, error) => {
        throw new Error(`defect in ${node.id}`, { cause: error });
      },
    };
  }
}

/** Whether a task waits neither for an equal element nor for an answer of the cache. */
function isForWorkers({ equalTo, received }: MemoryTask): boolean {
  return equalTo === undefined && received === undefined;
}

function claimed(milli: number | undefined): Pick<ReportedTask["outcome"], "charge"> {
  return milli === undefined ? {} : { charge: { milli_credits: milli, usage: null } };
}

function submittedCells(plan: Plan, inputs: ReadonlyMap<string, JsonValue>): CellRow[] {
  return plan.inputs.flatMap(({ node: index }): CellRow[] => {
    const node = plan.nodes[index]!;
    if (node.type.role !== "input") {
      return [];
    }
    const submitted = inputs.has(node.id)
      ? inputs.get(node.id)
      : node.type.defaultValue(node.params);
    const parsed = submitted === undefined ? undefined : node.type.parse(submitted, node.params);
    if (parsed !== undefined && "problem" in parsed) {
      throw new Error(`refused at submit: ${parsed.problem}`);
    }
    const fansOut = isEnumerator(node);
    const at = fansOut ? submittedNode(node) : node.index;
    const port = fansOut ? SUBMITTED_PORT : (node.type.outputs[0]?.name ?? "");
    if (parsed === undefined) {
      return fansOut ? [] : [{ node: at, element: 0, status: "absent" as const, body: "" }];
    }
    const body = joinOutputs([[port, encodeValue(parsed.value)]]);
    return [{ node: at, element: 0, status: "ok" as const, body }];
  });
}

/** An ended run as the source of a retry: its rows can be read only a while after they are asked for. */
function sourceRun({ plan, rows }: EngineOutcome): SourceRun {
  return {
    id: "source",
    plan,
    versions: plan.nodes.map(({ type }) => type.version),
    state: rows.state,
    layout: restoreLayout(plan, rows.state, rows),
    rows: {
      cells: async (wanted) =>
        [...wanted].flatMap(([node, elements]) => rows.cellsAt(node, elements)),
    },
    axisRows: (axis) => rows.axisRows(axis),
    notes: new Map(),
  };
}
