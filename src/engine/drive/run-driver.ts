/**
 * Advances a run as far as it can go without waiting: takes the next piece of work, does it, and commits rows and state
 * together. A crash between two commits loses only the current piece; repeating it gives the same rows.
 */
import { deltaOf } from "../events/delta-of.ts";
import type { Layout } from "../layout/layout.ts";
import { isEnumerator, submittedNode } from "../plan/node-kind.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import { type EvaluateContext, evaluateElements } from "../step/evaluate-elements.ts";
import type { NodeProgress, RunEffect, RunEvent } from "../step/events.ts";
import { nextWork, SLICE_WORK_MAX, type Work } from "../step/next-work.ts";
import type { RunState } from "../step/run-state.ts";
import { iterationsMax, type StepContext, step } from "../step/step.ts";
import type { MemoryLease } from "../../lib/memory/memory-budget.ts";
import type { MemoryWait } from "../../lib/memory/memory-gate.ts";
import type { AggregateDriver } from "./aggregate-driver.ts";
import type { LookUps } from "./asked-elements.ts";
import { aggregateResults } from "./aggregate-results.ts";
import { sweepAxis, type SweepDriver } from "./axis-sweep.ts";
import { CellReader } from "./cell-reader.ts";
import { downstreamOf } from "./downstream.ts";
import { encodeCells } from "./encode-cells.ts";
import type { CellRow, Commit, NewTask, RunRows } from "./run-rows.ts";
import type { RunHost } from "./run-host.ts";
import { endWaits, type SettleDriver, takeAnswers, takeReports } from "./settle-tasks.ts";
import { readingFirst, type SettledCells } from "./settled-cell.ts";
import type { EqualsOptions } from "./equal-elements.ts";
import { matchElements } from "./match-elements.ts";
import type { DriverSource } from "./driver-source.ts";
import { type TakenItems, TakeOver } from "../reuse/take-over.ts";
import { ResultSearch } from "./result-search.ts";
import { charsOf, ELEMENTS_AT_ONCE, type SliceDriver } from "./slice-driver.ts";
import { tally } from "./tally.ts";
import { unreadBytes } from "../values/spilled-memory.ts";
import { MemoryShortage, rowBytes, WorkMemory } from "./work-memory.ts";

/** Inputs of one element above this make an inline node a task (ARCHITECTURE.md). */
const INLINE_BYTES_MAX = 4 * 1024 * 1024;

/** Reports processed at once. */
const REPORTS_MAX = 256;

/** Elements from the result cache that are settled at once: whole blocks of rows. */
const FOUND_MAX = 512;

export interface DriveResult {
  readonly state: RunState;
  /** Effects of every commit, in order. */
  readonly effects: readonly RunEffect[];
}

export class RunDriver {
  readonly #plan: Plan;
  readonly #layout: Layout;
  readonly #rows: RunRows;
  readonly #host: RunHost;
  readonly #step: StepContext;
  readonly #cells: CellReader;
  readonly #outputNodes: ReadonlySet<number>;
  readonly #source: DriverSource | undefined;
  readonly #search: ResultSearch;
  /** Once the source has been opened. */
  #takeOver: TakeOver | undefined;
  #state: RunState;
  #effects: RunEffect[] = [];
  /** State of the current drive. */
  #pauses = 0;
  /** Memory that the last piece of work lacked. */
  #lackingBytes = 0;
  #memoryWait: MemoryWait | undefined;

  constructor(
    step: Omit<StepContext, "hasSource">,
    rows: RunRows,
    host: RunHost,
    state: RunState,
    source?: DriverSource,
    equals?: EqualsOptions,
    lookUps?: LookUps,
  ) {
    this.#step = { ...step, hasSource: source !== undefined };
    this.#source = source;
    this.#plan = step.plan;
    this.#layout = step.layout;
    this.#rows = rows;
    this.#host = host;
    this.#state = state;
    this.#cells = new CellReader(rows, step.layout, host.memory);
    this.#outputNodes = new Set(step.plan.outputs.map((output) => output.node));
    const parts = { ...step, rows, memory: host.memory, isNew: state.status === "pending" };
    this.#search = new ResultSearch(parts, equals, lookUps);
  }

  /** Output ports whose values a task of the node need not create. */
  unreadPorts(node: PlanNode): readonly string[] {
    return this.#search.unreadPorts(node);
  }

  get state(): RunState {
    return this.#state;
  }

  /** Starts the run. Its inputs, whose cells exist, count as settled. */
  begin(): DriveResult {
    const nodes = this.#plan.inputs.flatMap(({ node }): NodeProgress[] => {
      const planNode = this.#plan.nodes[node];
      const [cell] = this.#rows.cellsAt(node, [0]);
      if (planNode === undefined || isEnumerator(planNode) || cell === undefined) {
        return [];
      }
      const none = { node, ok: 0, failed: 0, blocked: 0, absent: 0, charged: 0, used: 0 };
      return [{ ...none, cursor: 1, [cell.status]: 1 }];
    });
    this.#commit([{ type: "submitted" }, { type: "progressed", nodes }], {});
    return this.#take();
  }

  /** Applies one event that writes nothing besides the state. */
  apply(event: RunEvent): DriveResult {
    this.#commit([event], {});
    if (!this.#isRunning) {
      // Work that waits for memory is not done any more.
      this.#memoryWait?.leave();
    }
    return this.#take();
  }

  get #isRunning(): boolean {
    return this.#state.status === "running" && this.#state.stopped === null;
  }

  /** Does at most `slices` pieces of work, with a pause between two. */
  async drive(slices: number): Promise<DriveResult & { readonly isIdle: boolean }> {
    this.#pauses = 0;
    if (this.#takeOver === undefined && this.#source !== undefined && this.#isRunning) {
      const { plan, layout } = this.#step;
      const source = await this.#source.open();
      const { rerun, isCacheableAlways } = this.#source;
      this.#takeOver = new TakeOver(plan, layout, source, rerun, isCacheableAlways);
    }
    for (let slice = 0; slice < slices; slice++) {
      if (slice > 0) {
        await this.#pause();
      }
      if (!(await this.#slice())) {
        return { ...this.#take(), isIdle: true };
      }
    }
    return { ...this.#take(), isIdle: false };
  }

  /** Does one piece of work; false if there is none. Without enough memory it is left for the next slice. */
  async #slice(): Promise<boolean> {
    const granted = this.#lackingBytes > 0 ? await this.#awaitMemory() : undefined;
    const memory = new WorkMemory(this.#host.memory, granted);
    this.#search.equals?.begin();
    try {
      const workMax = this.#workMax();
      const reported = this.#rows.reportedTasks(Math.min(REPORTS_MAX, workMax));
      if (reported.length > 0) {
        await takeReports(this.#settleDriver(memory), reported);
        return true;
      }
      const due = this.#isRunning
        ? (this.#search.equals?.next(Math.min(REPORTS_MAX, workMax)) ?? [])
        : [];
      if (due.length > 0) {
        await endWaits(this.#settleDriver(memory), due);
        return true;
      }
      const work = nextWork(this.#plan, this.#state, workMax);
      const { asked } = this.#search;
      if (this.#isRunning && asked?.isDue(work !== null) === true) {
        const now = () => this.#settleDriver(memory);
        await takeAnswers(now, asked, this.#state, Math.min(FOUND_MAX, workMax));
        return true;
      }
      if (work === null) {
        return false;
      }
      await this.#do(memory, work);
      return true;
    } catch (error) {
      if (error instanceof MemoryShortage) {
        this.#lackingBytes = error.bytes;
        return true;
      }
      throw error;
    } finally {
      this.#cells.release();
      this.#takeOver?.release();
      memory.release();
    }
  }

  /** Waits until there is room for what the last piece of work lacked; undefined if the run was stopped meanwhile. */
  async #awaitMemory(): Promise<MemoryLease | undefined> {
    const bytes = this.#lackingBytes;
    this.#lackingBytes = 0;
    if (!this.#isRunning) {
      return undefined;
    }
    const wait = this.#host.memory.wait(bytes);
    this.#memoryWait = wait;
    try {
      return await wait.granted;
    } finally {
      this.#memoryWait = undefined;
    }
  }

  #workMax(): number {
    return this.#host.sliceWorkMax?.() ?? SLICE_WORK_MAX;
  }

  #pause(): Promise<void> {
    this.#pauses++;
    return this.#host.pause(this.#pauses);
  }

  async #do(memory: WorkMemory, work: Work): Promise<void> {
    switch (work.type) {
      case "elements":
        await this.#doElements(memory, work.nodes, work.from, work.to);
        break;
      case "enumerate":
        await this.#doEnumerate(memory, work.node, work.from);
        break;
      case "match":
        await this.#doMatch(memory, work.node, work.from);
        break;
      case "aggregate":
        await this.#doAggregate(memory, work.node, work.from);
        break;
    }
  }

  async #doElements(
    memory: WorkMemory,
    nodes: readonly PlanNode[],
    from: number,
    to: number,
  ): Promise<void> {
    const elementIndexes = Array.from({ length: to - from }, (_, i) => from + i);
    const { cells, tasks, elements } = await this.#evaluate(memory, nodes, elementIndexes);
    const progress = tally(cells, new Map(nodes.map((node) => [node.index, from + elements])));
    this.#commit([{ type: "progressed", nodes: progress }], { cells, tasks });
  }

  /**
   * Evaluates nodes at elements, some at a time, until what they make is so large that it should be committed.
   * `elements` is their number then. `settled` has cells that have no row yet.
   */
  async #evaluate(
    memory: WorkMemory,
    nodes: readonly PlanNode[],
    elementIndexes: readonly number[],
    settled?: SettledCells,
  ): Promise<{ cells: CellRow[]; tasks: NewTask[]; elements: number }> {
    const cells: CellRow[] = [];
    const tasks: NewTask[] = [];
    this.#search.equals?.prepare(nodes, this.#state);
    const isDue = settled && ((node: PlanNode, element: number) => this.#isSwept(node, element));
    let elements = 0;
    let chars = 0;
    while (elements < elementIndexes.length && !memory.isFull) {
      const some = elementIndexes.slice(elements, elements + ELEMENTS_AT_ONCE);
      this.#takeOver?.release();
      await this.#takeOver?.load(nodes, some);
      this.#cells.load(nodes, this.#state, some, settled?.node);
      memory.read(this.#readBytes);
      const context = this.#context(memory, settled);
      const made = await evaluateElements(context, nodes, some, isDue);
      const rows = await encodeCells(this.#host, this.#plan, made.cells);
      cells.push(...rows);
      tasks.push(...made.tasks);
      elements += made.elements;
      chars += charsOf(rows);
      memory.settle(rowBytes(chars));
    }
    return { cells, tasks, elements };
  }

  async #doEnumerate(memory: WorkMemory, node: PlanNode, from: number): Promise<void> {
    const driver: SweepDriver = {
      ...this.#sliceDriver(memory),
      iterationsMax: iterationsMax(this.#step.limits),
      axisRows: (axis) => this.#rows.axisRows(axis),
      load: (swept, parent) => {
        this.#loadParent(swept, parent);
        memory.read(this.#readBytes);
      },
      takeItems: (swept, parent) => this.#takeItems(swept, parent),
    };
    await sweepAxis(driver, node, from, this.#state.nodes[node.index]?.total ?? 0);
  }

  async #doAggregate(memory: WorkMemory, node: PlanNode, from: number): Promise<void> {
    const total = this.#state.nodes[node.index]?.total ?? 0;
    await aggregateResults(this.#aggregateDriver(memory), node, from, total);
  }

  #aggregateDriver(memory: WorkMemory): AggregateDriver {
    return {
      ...this.#sliceDriver(memory),
      layout: this.#layout,
      takeOver: this.#takeOver,
      equalTo: (node, element) => {
        this.#search.equals?.prepare([node], this.#state);
        return this.#search.equals?.findResult(node, element, this.#state);
      },
      load: (reader, elementIndexes) => {
        this.#cells.load([reader], this.#state, elementIndexes);
        memory.read(this.#readBytes);
      },
    };
  }

  /** [E39] Counts the elements of a node that are not taken over. All that feeds them has settled. */
  async #doMatch(memory: WorkMemory, node: PlanNode, from: number): Promise<void> {
    const takeOver = this.#takeOver;
    const total = this.#state.nodes[node.index]?.total ?? 0;
    if (takeOver === undefined) {
      // The source was lost meanwhile: all elements have to be worked out.
      this.#commit([{ type: "matched", node: node.index, runs: total, cursor: total }], {});
      return;
    }
    const to = Math.min(total, from + this.#workMax());
    const cursor = await matchElements(
      {
        ...this.#aggregateDriver(memory),
        takeOver,
        loadParent: (parent) => {
          this.#loadParent(node, parent);
        },
      },
      node,
      from,
      to,
    );
    if (cursor !== null) {
      this.#commit([{ type: "matched", node: node.index, ...cursor }], {});
    }
  }

  #takeItems(node: PlanNode, parent: number): Promise<TakenItems | undefined> | undefined {
    const takeOver = this.#takeOver;
    if (takeOver === undefined) {
      return undefined;
    }
    takeOver.release();
    return takeOver
      .load([node], [parent])
      .then(() => takeOver.takeItems(node, parent, this.#cells.read(this.#state)));
  }

  /** Memory of the cells that the slice reads. */
  get #readBytes(): number {
    return this.#cells.bytes + (this.#takeOver?.bytes ?? 0);
  }

  #sliceDriver(memory: WorkMemory): SliceDriver {
    return {
      plan: this.#plan,
      host: this.#host,
      memory,
      context: () => this.#context(memory),
      workMax: () => this.#workMax(),
      goOn: () => this.#goOn(),
      commit: (events, rows) => this.#commit(events, rows),
    };
  }

  /** Pauses; false if the run was stopped meanwhile, which makes the current work useless. */
  async #goOn(): Promise<boolean> {
    await this.#pause();
    return this.#state.status === "running";
  }

  #settleDriver(memory: WorkMemory): SettleDriver {
    return {
      plan: this.#plan,
      host: this.#host,
      equals: this.#search.equals,
      isRunning: this.#isRunning,
      downstreamOf: (node) => downstreamOf(this.#plan, this.#state, node),
      evaluate: (nodes, elements, settled) => this.#evaluate(memory, nodes, elements, settled),
      commit: (events, rows) => {
        this.#commit(events, rows);
      },
    };
  }

  /** Elements that the sweep has not reached yet are left to it. */
  #isSwept(node: PlanNode, element: number): boolean {
    return element < (this.#state.nodes[node.index]?.cursor ?? 0);
  }

  #loadParent(node: PlanNode, parent: number): void {
    if (node.type.role === "input") {
      this.#cells.load([], this.#state, []);
      this.#cells.loadRow(submittedNode(node), parent);
    } else {
      this.#cells.load([node], this.#state, [parent]);
    }
  }

  #context(memory: WorkMemory, settled?: SettledCells): EvaluateContext {
    const read = this.#cells.read(this.#state);
    const takeOver = this.#takeOver;
    return {
      ...(takeOver !== undefined && {
        takeOver: (node, element, reading) =>
          takeOver.take(node, element, reading) ?? takeOver.takeElsewhere(node, element, reading),
      }),
      reuse: (node, element, reading) => this.#search.of(node, element, reading),
      layout: this.#layout,
      read: settled === undefined ? read : readingFirst(settled, read),
      loadSpilled: async (values) => {
        const unread = values.reduce((sum, value) => sum + unreadBytes(value), 0);
        memory.load(unread);
        const loaded = await this.#host.loadSpilled(values);
        memory.load(Math.min(0, loaded.bytes - unread));
        return loaded.values;
      },
      beforeReading: (file) => {
        memory.load(this.#host.readingBytes(file));
      },
      isFull: () => memory.isFull,
      inlineBytesMax: INLINE_BYTES_MAX,
      nodeContext: this.#host.nodeContext,
      isOwnFile: (file) => this.#host.isOwnFile(file),
      onDefect: (node, error) => {
        this.#host.onDefect(node, error);
      },
    };
  }

  #commit(events: readonly RunEvent[], rows: Omit<Commit, "state" | "delta">): void {
    let state = this.#state;
    const effects: RunEffect[] = [];
    for (const event of events) {
      const stepped = step(this.#step, state, event);
      state = stepped.state;
      effects.push(...stepped.effects);
    }
    const delta = deltaOf(this.#state, state, rows.cells ?? [], this.#outputNodes);
    this.#rows.commit({ state, delta, ...rows });
    this.#search.committed(rows);
    this.#state = state;
    this.#effects.push(...effects);
  }

  #take(): DriveResult {
    const effects = this.#effects;
    this.#effects = [];
    return { state: this.#state, effects };
  }
}
