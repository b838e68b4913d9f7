/**
 * The run as a pure state machine: takes an event, returns the next state and effects. No I/O, no clock, no randomness;
 * the layout is read, and grows only by the tables that events contain.
 */
import type { AdmissionLimits } from "../../contracts/runs/run.ts";
import type { Layout } from "../layout/layout.ts";
import { MATERIALIZED_MAX } from "../layout/layout.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";
import { isAggregator, isElementwise, isEnumerator } from "../plan/node-kind.ts";
import type { NodeProgress, RunEffect, RunEvent } from "./events.ts";
import { finalStatus } from "./final-status.ts";
import { chargedBy, type NodeState, type RunState, settledCount } from "./run-state.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

/** Upper limit of iterations per node, whatever the submit allows (docs/contract/executions.md#submit). */
export const ITERATIONS_MAX = LIMITS.iterations.value;

/** Code of a run that exceeded its plan's time limit. */
export const RUN_TIMEOUT = "RUN_TIMEOUT";

export interface StepContext {
  readonly plan: Plan;
  readonly layout: Layout;
  readonly limits: AdmissionLimits;
  /** Iterations by node whose worst-case cost was already reserved at admission. */
  readonly prepaid: ReadonlyMap<number, number>;
  /** The run takes elements over from a source [E39]. */
  readonly hasSource?: boolean;
}

export interface Stepped {
  readonly state: RunState;
  readonly effects: readonly RunEffect[];
}

export function step(ctx: StepContext, state: RunState, event: RunEvent): Stepped {
  const run = new Transition(ctx, state);
  switch (event.type) {
    case "submitted":
      if (state.status === "pending") {
        run.status = "running";
      }
      break;
    case "progressed":
      for (const progress of event.nodes) {
        run.count(progress);
      }
      break;
    case "matched":
      run.match(event.node, event.runs, event.cursor);
      break;
    case "axis-resolved":
      ctx.layout.resolveAxis(event.axis, event.table);
      break;
    case "axis-too-long":
      run.refuseCount(event.node, event.count);
      break;
    case "plan-reserved":
      run.set(event.node, { phase: "open" });
      break;
    case "plan-refused":
    case "abandoned":
      run.stop(event.node, event.code, event.message);
      break;
    case "timed-out":
      run.timeOut(event.message);
      break;
    case "cancel-requested":
      if (run.status === "pending" || run.status === "running") {
        run.status = "cancelling";
        run.effects.push({ type: "drop-waiting-tasks" });
      }
      break;
    case "drained":
      run.finishStopped();
      break;
  }
  run.advance();
  return { state: run.toState(), effects: run.effects };
}

class Transition {
  status: RunState["status"];
  readonly effects: RunEffect[] = [];
  readonly #ctx: StepContext;
  readonly #nodes: NodeState[];
  readonly #before: RunState;
  #stopped: RunState["stopped"];

  constructor(ctx: StepContext, state: RunState) {
    this.#ctx = ctx;
    this.#before = state;
    this.#nodes = [...state.nodes];
    this.#stopped = state.stopped;
    this.status = state.status;
  }

  set(node: number, change: Partial<NodeState>): void {
    const now = this.#nodes[node];
    if (now !== undefined) {
      this.#nodes[node] = { ...now, ...change };
    }
  }

  count(progress: NodeProgress): void {
    const now = this.#nodes[progress.node];
    if (now === undefined) {
      return;
    }
    this.set(progress.node, {
      ok: now.ok + progress.ok,
      failed: now.failed + progress.failed,
      blocked: now.blocked + progress.blocked,
      absent: now.absent + progress.absent,
      charged:
        chargedBy(now, this.#ctx.plan.nodes[progress.node]?.costMilliCredits ?? 0) +
        progress.charged,
      used: now.used + progress.used,
      reused: now.reused + (progress.reused ?? 0),
      saved: now.saved + (progress.saved ?? 0),
      cursor: progress.cursor ?? now.cursor,
    });
  }

  /** [E39] Reserves the plan once all elements were compared. */
  match(index: number, runs: number, cursor: number): void {
    const now = this.#nodes[index];
    const node = this.#ctx.plan.nodes[index];
    if (now?.phase !== "matching" || node === undefined) {
      return;
    }
    const counted = (now.runs ?? 0) + runs;
    if (cursor < now.total) {
      this.set(index, { runs: counted, cursor });
      return;
    }
    this.set(index, { runs: counted, cursor: 0 });
    this.#reserve(node, counted);
  }

  /** [E17] The root stops: the node gets the code, nothing new starts. */
  stop(node: number, code: string, message: string): void {
    this.set(node, { phase: "settled", whole: { status: "failed", code, message } });
    this.#stopped ??= { node, code, message };
    this.effects.push({ type: "drop-waiting-tasks" });
  }

  /** [E23] Nodes keep their states, because none of them caused it. */
  timeOut(message: string): void {
    if (this.status === "running" && this.#stopped === null) {
      this.#stopped = { node: -1, code: RUN_TIMEOUT, message };
      this.effects.push({ type: "drop-waiting-tasks" });
    }
  }

  /** [E15] Too many elements: none of them starts, the node fails as a whole. */
  refuseCount(index: number, count: number): void {
    const node = this.#ctx.plan.nodes[index];
    if (node === undefined) {
      return;
    }
    const now = this.#nodes[index];
    const counted = Number.isFinite(count) ? `${count}` : `more than ${MATERIALIZED_MAX}`;
    this.#endWhole(
      node,
      now !== undefined && now.total >= 0 ? now.total : count,
      "failed",
      "ITERATION_LIMIT_EXCEEDED",
      `Node "${node.id}" would have ${counted} iterations; at most ${iterationsMax(this.#ctx.limits)} are allowed. Send fewer items, or raise max_iterations_per_node where it is lower than ${ITERATIONS_MAX}.`,
    );
  }

  /** Opens and settles nodes until nothing changes; nodes are in topological order, so one pass is enough. */
  advance(): void {
    if (this.status !== "running" || this.#stopped !== null) {
      return;
    }
    for (const node of this.#ctx.plan.nodes) {
      if (this.#phase(node.index) === "waiting" && this.#isReady(node)) {
        this.#open(node);
      }
      this.#settle(node);
    }
    if (this.#nodes.every((node) => node.phase === "settled")) {
      this.status = finalStatus(this.#ctx.plan, this.#ctx.layout, this.#nodes);
      this.effects.push({ type: "finish" });
    }
  }

  finishStopped(): void {
    if (this.status === "cancelling") {
      this.status = "cancelled";
      this.effects.push({ type: "finish" });
    } else if (this.#stopped !== null && this.status === "running") {
      this.status = finalStatus(this.#ctx.plan, this.#ctx.layout, this.#nodes, true);
      this.effects.push({ type: "finish" });
    }
  }

  toState(): RunState {
    return {
      v: 1,
      status: this.status,
      stopped: this.#stopped,
      nodes: this.#nodes,
      progress: this.#progress(),
    };
  }

  #phase(node: number): NodeState["phase"] {
    return this.#nodes[node]?.phase ?? "waiting";
  }

  /**
   * [E11] Opens a node if its scopes are resolved, its element-wise sources of the same scope are open, and all others
   * are settled.
   */
  #isReady(node: PlanNode): boolean {
    const { plan, layout } = this.#ctx;
    const isMatched = this.#isMatched(node);
    return (
      layout.isResolved(node.scope) &&
      node.inputs.every((input) =>
        input.sources.every((source) => {
          const feeder = plan.nodes[source.node];
          const phase = this.#phase(source.node);
          // [E39] The elements of a plan that is matched are all compared before any of them starts.
          const streams =
            !isMatched &&
            feeder !== undefined &&
            isElementwise(feeder) &&
            isElementwise(node) &&
            source.scope === node.scope;
          // A submitted value exists from the start, under a number below zero.
          return source.node < 0 || phase === "settled" || (streams && phase === "open");
        }),
      )
    );
  }

  #open(node: PlanNode): void {
    const { layout, limits } = this.#ctx;
    const total = layout.count(isAggregator(node) ? node.outputScope : node.scope);
    const hasBadFeeder = node.inputs.some((input) =>
      input.sources.some((source) => (this.#nodes[source.node]?.whole ?? null) !== null),
    );
    const tooMany = layout.count(node.scope) > MATERIALIZED_MAX;
    if (hasBadFeeder && (!isAggregator(node) || tooMany)) {
      this.#endWhole(node, total, "blocked", "", "");
      return;
    }
    // The limit applies to the elements that an aggregator reads, not to its results
    // (docs/contract/credits.md#plans-known-in-the-run: over all its axes).
    const iterations = layout.count(node.scope);
    if (iterations > iterationsMax(limits)) {
      this.set(node.index, { total });
      this.refuseCount(node.index, iterations);
      return;
    }
    this.set(node.index, { total });
    if (this.#isMatched(node) && total > 0) {
      this.set(node.index, { phase: "matching", runs: 0 });
      return;
    }
    this.#reserve(node, total);
  }

  /** Whether a node's elements are compared with the source before its plan is reserved. */
  #isMatched(node: PlanNode): boolean {
    return this.#ctx.hasSource === true && node.costMilliCredits > 0;
  }

  #reserve(node: PlanNode, elements: number): void {
    const liability = liabilityOf(node, elements, this.#ctx.prepaid);
    if (liability > 0) {
      this.set(node.index, { phase: "reserving" });
      this.effects.push({ type: "reserve", node: node.index, milliCredits: liability });
      return;
    }
    this.set(node.index, { phase: "open" });
  }

  #endWhole(
    node: PlanNode,
    total: number,
    status: "failed" | "blocked",
    code: string,
    message: string,
  ): void {
    this.set(node.index, { phase: "settled", total, whole: { status, code, message } });
    if (isEnumerator(node)) {
      const parents = Number.isFinite(total) ? total : 0;
      this.#ctx.layout.resolveAxis(node.axis, wholeAxis(parents));
    }
  }

  #settle(node: PlanNode): void {
    const now = this.#nodes[node.index];
    if (now?.phase !== "open" || settledCount(now) < now.total) {
      return;
    }
    // An enumerator is settled only with its axis, because its items must be countable.
    if (isEnumerator(node) && !this.#ctx.layout.isAxisResolved(node.axis)) {
      if (now.total > 0) {
        return;
      }
      this.#ctx.layout.resolveAxis(node.axis, wholeAxis(0));
    }
    this.set(node.index, { phase: "settled" });
  }

  #progress(): number {
    if (this.status !== "running" && this.status !== "pending" && this.status !== "cancelling") {
      return 100;
    }
    let planned = 0;
    let settled = 0;
    for (const node of this.#nodes) {
      // A node of unknown size counts as one element.
      const total = node.total < 0 || !Number.isFinite(node.total) ? 1 : Math.max(node.total, 1);
      planned += total;
      settled += node.phase === "settled" ? total : settledCount(node);
    }
    const percent = planned === 0 ? 0 : Math.floor((settled / planned) * 100);
    return Math.max(this.#before.progress, Math.min(percent, 99));
  }
}

/** Milli-credits that a node's plan still has to reserve before its elements may start [E24]. */
export function liabilityOf(
  node: Pick<PlanNode, "index" | "costMilliCredits">,
  total: number,
  prepaid: StepContext["prepaid"],
): number {
  return Math.max(0, total - (prepaid.get(node.index) ?? 0)) * node.costMilliCredits;
}

/** The limit of this run: the submit's, never above the ceiling. */
export function iterationsMax(limits: AdmissionLimits): number {
  return Math.min(limits.max_iterations_per_node ?? ITERATIONS_MAX, ITERATIONS_MAX);
}

/** An enumerator that ended as a whole has one blocked element at each parent [E14]. */
function wholeAxis(parents: number) {
  return {
    counts: Array.from({ length: parents }, () => 1),
    absentParents: new Set<number>(),
  };
}
