/**
 * Advances a run as far as it can go without waiting: takes the next piece of work, does it, and commits rows and state
 * together. A crash between two commits loses only the current piece; repeating it gives the same rows.
 */
import { deltaOf } from "../events/delta-of.ts";
import type { Layout } from "../layout/layout.ts";
import { isElementwise, isEnumerator, submittedNode } from "../plan/node-kind.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import { NO_OUTPUTS, type CellWrite } from "../step/cells.ts";
import { type EvaluateContext, evaluateElements } from "../step/evaluate-elements.ts";
import type { NodeProgress, RunEffect, RunEvent } from "../step/events.ts";
import { Fold, onceReader, openFold } from "../step/fold-aggregate.ts";
import { nextWork, SLICE_WORK_MAX, type Work } from "../step/next-work.ts";
import type { RunState } from "../step/run-state.ts";
import { iterationsMax, type StepContext, step } from "../step/step.ts";
import { readOutputs } from "../values/cell-outputs.ts";
import { pageOf, sweepAxis, type SweepDriver } from "./axis-sweep.ts";
import { CellReader } from "./cell-reader.ts";
import { encodeCells } from "./encode-cells.ts";
import type { Commit, ReportedTask, RunRows } from "./run-rows.ts";
import type { RunHost } from "./run-host.ts";
import { settledCell } from "./settled-cell.ts";
import { tally } from "./tally.ts";

/** Inputs of one element above this make an inline node a task (ARCHITECTURE.md). */
const INLINE_BYTES_MAX = 4 * 1024 * 1024;

/** Reports processed at once. */
const REPORTS_MAX = 256;

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
  #state: RunState;
  #effects: RunEffect[] = [];
  /** State of the current drive. */
  #pauses = 0;

  constructor(step: StepContext, rows: RunRows, host: RunHost, state: RunState) {
    this.#step = step;
    this.#plan = step.plan;
    this.#layout = step.layout;
    this.#rows = rows;
    this.#host = host;
    this.#state = state;
    this.#cells = new CellReader(rows, step.layout);
    this.#outputNodes = new Set(step.plan.outputs.map((output) => output.node));
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
    return this.#take();
  }

  /** Does at most `slices` pieces of work, with a pause between two. */
  async drive(slices: number): Promise<DriveResult & { readonly isIdle: boolean }> {
    this.#pauses = 0;
    for (let slice = 0; slice < slices; slice++) {
      if (slice > 0) {
        await this.#pause();
      }
      const workMax = this.#workMax();
      const reported = this.#rows.reportedTasks(Math.min(REPORTS_MAX, workMax));
      if (reported.length > 0) {
        await this.#takeReports(reported);
        continue;
      }
      const work = nextWork(this.#plan, this.#state, workMax);
      if (work === null) {
        return { ...this.#take(), isIdle: true };
      }
      await this.#do(work);
    }
    return { ...this.#take(), isIdle: false };
  }

  #workMax(): number {
    return this.#host.sliceWorkMax?.() ?? SLICE_WORK_MAX;
  }

  #pause(): Promise<void> {
    this.#pauses++;
    return this.#host.pause(this.#pauses);
  }

  async #do(work: Work): Promise<void> {
    switch (work.type) {
      case "elements":
        await this.#doElements(work.nodes, work.from, work.to);
        break;
      case "enumerate":
        await this.#doEnumerate(work.node, work.from);
        break;
      case "aggregate":
        await this.#doAggregate(work.node, work.from);
        break;
    }
  }

  async #doElements(nodes: readonly PlanNode[], from: number, to: number): Promise<void> {
    const elementIndexes = Array.from({ length: to - from }, (_, i) => from + i);
    this.#cells.load(nodes, this.#state, elementIndexes);
    const made = await evaluateElements(this.#context(), nodes, elementIndexes);
    const encoded = await encodeCells(this.#host, this.#plan, made.cells);
    const progress = tally(encoded, new Map(nodes.map((node) => [node.index, to])));
    this.#commit([{ type: "progressed", nodes: progress }], {
      cells: encoded,
      tasks: made.tasks,
    });
  }

  async #doEnumerate(node: PlanNode, from: number): Promise<void> {
    const driver: SweepDriver = {
      plan: this.#plan,
      host: this.#host,
      iterationsMax: iterationsMax(this.#step.limits),
      axisRows: (axis) => this.#rows.axisRows(axis),
      context: () => this.#context(),
      load: (swept, parent) => this.#loadParent(swept, parent),
      workMax: () => this.#workMax(),
      goOn: () => this.#goOn(),
      commit: (events, rows) => this.#commit(events, rows),
    };
    await sweepAxis(driver, node, from, this.#state.nodes[node.index]?.total ?? 0);
  }

  /** Starts a result of an aggregator, or settles it at once. */
  async #openFold(
    node: PlanNode,
    closed: readonly number[],
    element: number,
  ): Promise<Fold | CellWrite> {
    if (this.#layout.hasAbsentAxis(closed, node.outputScope, element)) {
      return { node: node.index, element, status: "absent", outputs: NO_OUTPUTS, failure: null };
    }
    this.#cells.load([onceReader(node)], this.#state, [element]);
    return openFold(this.#context(), node, element);
  }

  async #doAggregate(node: PlanNode, from: number): Promise<void> {
    const { scope, outputScope } = node;
    const total = this.#state.nodes[node.index]?.total ?? 0;
    const outputAxes = this.#plan.scopes[outputScope]?.axes ?? [];
    const closed = (this.#plan.scopes[scope]?.axes ?? []).filter((a) => !outputAxes.includes(a));
    const writes: CellWrite[] = [];
    const tasks: { node: number; element: number }[] = [];
    let skipped = 0;
    let of = 0;
    let budget = this.#workMax();
    let element = from;
    for (; element < total && budget > 0; element++) {
      const fold = await this.#openFold(node, closed, element);
      if (!(fold instanceof Fold)) {
        writes.push(fold);
        budget--;
        continue;
      }
      const range = this.#layout.rangeOver(scope, outputScope, element);
      if (!(await this.#feed(fold, node, range))) {
        return;
      }
      budget -= (range.to - range.from) * node.work;
      // Assembling the values of several pages may take as long as reading one.
      if (budget < 0 && !(await this.#goOn())) {
        return;
      }
      budget--;
      const write = fold.finish(element);
      if (write === "task") {
        tasks.push({ node: node.index, element });
      } else {
        writes.push(write);
      }
      if (write === "task" || write.status === "ok") {
        skipped += fold.skipped.skipped;
        of += fold.skipped.of;
      }
    }
    const encoded = await encodeCells(this.#host, this.#plan, writes);
    this.#commit(
      [{ type: "progressed", nodes: tally(encoded, new Map([[node.index, element]])) }],
      {
        cells: encoded,
        tasks,
        // Later slices may skip elements that this one did not skip, so all are counted.
        ...(skipped > 0 || total > 1 ? { skipped: [{ node: node.index, skipped, of }] } : {}),
      },
    );
  }

  /** Adds the elements of one result to its fold, page by page; false if the run was stopped meanwhile. */
  async #feed(
    fold: Fold,
    node: PlanNode,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<boolean> {
    for (let at = from; at < to;) {
      if (at > from && !(await this.#goOn())) {
        return false;
      }
      const end = Math.min(at + pageOf(node, this.#workMax()), to);
      const elementIndexes = Array.from({ length: end - at }, (_, i) => at + i);
      this.#cells.load([node], this.#state, elementIndexes);
      for (const member of elementIndexes) {
        const adding = fold.add(member);
        if (adding !== undefined) {
          await adding;
        }
      }
      at = end;
    }
    return true;
  }

  /** Pauses; false if the run was stopped meanwhile, which makes the current work useless. */
  async #goOn(): Promise<boolean> {
    await this.#pause();
    return this.#state.status === "running";
  }

  /** Settles reported tasks of one node, and evaluates the elements that waited for them. */
  async #takeReports(reported: readonly ReportedTask[]): Promise<void> {
    const node = this.#plan.nodes[reported[0]?.node ?? 0];
    if (node === undefined) {
      return;
    }
    const mine = reported.filter((task) => task.node === node.index);
    const cells = mine.map((task) => settledCell(node, task, this.#host));
    const elementIndexes = mine.map((task) => task.element).toSorted((a, b) => a - b);
    const waiting = this.#downstream(node);
    this.#cells.load(waiting, this.#state, elementIndexes);
    const settled = new Map(cells.map((cell) => [cell.element, cell]));
    const context = this.#context();
    const read: EvaluateContext["read"] = (source, element) => {
      const own = source === node.index ? settled.get(element) : undefined;
      return own === undefined
        ? context.read(source, element)
        : { status: own.status, outputs: own.status === "ok" ? readOutputs(own.body) : NO_OUTPUTS };
    };
    const isRunning = this.#state.status === "running" && this.#state.stopped === null;
    const made = isRunning
      ? await evaluateElements({ ...context, read }, waiting, elementIndexes, (other, element) =>
          this.#isSwept(other, element),
        )
      : { cells: [], tasks: [] };
    const encoded = [...cells, ...(await encodeCells(this.#host, this.#plan, made.cells))];
    this.#commit([{ type: "progressed", nodes: tally(encoded, new Map()) }], {
      cells: encoded,
      tasks: made.tasks,
      removeTasks: mine,
    });
  }

  /** Open nodes of the same scope that read this one, directly or through other nodes of that scope. */
  #downstream(from: PlanNode): PlanNode[] {
    const reached = new Set([from.index]);
    return this.#plan.nodes.filter((node) => {
      const reads = node.inputs.some((input) =>
        input.sources.some((source) => reached.has(source.node)),
      );
      if (!reads || node.scope !== from.scope || !isElementwise(node)) {
        return false;
      }
      reached.add(node.index);
      return this.#state.nodes[node.index]?.phase === "open";
    });
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

  #context(): EvaluateContext {
    return {
      layout: this.#layout,
      read: this.#cells.read(this.#state),
      loadSpilled: (values) => this.#host.loadSpilled(values),
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
    this.#state = state;
    this.#effects.push(...effects);
  }

  #take(): DriveResult {
    const effects = this.#effects;
    this.#effects = [];
    return { state: this.#state, effects };
  }
}
