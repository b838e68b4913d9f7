/**
 * Iterations that a submit knows before its run starts: how often each node will run, and whether it certainly does
 * (docs/contract/credits.md#plans-known-at-submit). Pure; only enumerators are evaluated, within a budget.
 */
import { Layout } from "../layout/layout.ts";
import { type CountRequest, EnumeratedItems, type Opened } from "./enumerated-items.ts";
import { isKnownAtSubmit } from "./known-at-submit.ts";
import { isAggregator, isEnumerator } from "./node-kind.ts";
import { NodePresence, type Presence } from "./node-presence.ts";
import type { Plan, PlanNode } from "./plan.ts";

export interface CountedNode {
  /** How often the node runs; null if only the run can determine it. */
  readonly runs: number | null;
  /**
   * The number that the iteration limit applies to: for an enumerator also its items, for an aggregator the elements
   * that it reads. Null if only the run can determine it.
   */
  readonly iterations: number | null;
  /** The minimum number of runs, if every unknown fan-out opens one element. */
  readonly runsAtLeast: number;
  /** Whether the node runs at every element, at none, or depending on branches and absent values. */
  readonly presence: Presence;
}

export interface IterationCount {
  /** By index in the plan. */
  readonly nodes: readonly CountedNode[];
  /** The first node that would exceed `iterationsMax`; later nodes were not counted. */
  readonly tooMany: { readonly node: PlanNode; readonly iterations: number } | null;
}

/** Counts the iterations of a run before it is submitted. */
export function countIterations(plan: Plan, request: CountRequest): IterationCount {
  return new Counter(plan, request).count();
}

class Counter {
  readonly #plan: Plan;
  readonly #request: CountRequest;
  readonly #layout: Layout;
  readonly #presences: NodePresence;
  readonly #items: EnumeratedItems;

  constructor(plan: Plan, request: CountRequest) {
    this.#plan = plan;
    this.#request = request;
    this.#layout = new Layout(plan);
    this.#presences = new NodePresence(
      plan,
      (node) => request.submitted.has(node.id) || request.filed.has(node.id),
    );
    this.#items = new EnumeratedItems(plan, request, this.#layout);
  }

  count(): IterationCount {
    const nodes: CountedNode[] = [];
    for (const node of this.#plan.nodes) {
      this.#presences.settle(node);
      const runs = this.#runs(node);
      const iterations = this.#countOf(node.scope) ?? 0;
      const counted: CountedNode = {
        runs,
        iterations: this.#countOf(node.scope),
        runsAtLeast: runs ?? this.#runsAtLeast(node),
        presence: this.#presences.of(node.index),
      };
      nodes.push(counted);
      if (iterations > this.#request.iterationsMax) {
        return { nodes, tooMany: { node, iterations } };
      }
      const opened = isEnumerator(node) ? this.#open(node) : 0;
      nodes[node.index] = { ...counted, iterations: Math.max(iterations, opened) };
      if (opened > this.#request.iterationsMax) {
        return { nodes, tooMany: { node, iterations: opened } };
      }
    }
    return { nodes, tooMany: null };
  }

  #runs(node: PlanNode): number | null {
    return this.#countOf(isAggregator(node) ? node.outputScope : node.scope);
  }

  /** Elements of a scope; null if only the run can determine them. */
  #countOf(scope: number): number | null {
    if (!this.#layout.isResolved(scope)) {
      return null;
    }
    const count = this.#layout.count(scope);
    return Number.isFinite(count) || Number.isFinite(this.#request.iterationsMax)
      ? count
      : this.#product(scope);
  }

  /**
   * For a scope that is too large to lay out: its axes multiply, or one of them nests in all the others. Null for a
   * mixture of both.
   */
  #product(scope: number): number | null {
    const axes = this.#plan.scopes[scope]?.axes ?? [];
    const openedBy = (axis: number) => this.#opened.get(this.#plan.axes[axis]?.node ?? -1) ?? null;
    const last = axes.at(-1) ?? 0;
    const parent = this.#plan.axes[last]?.parentScope ?? 0;
    if (parent === (this.#plan.scopes[scope]?.prefix ?? 0)) {
      return openedBy(last);
    }
    return axes.every((axis) => this.#plan.axes[axis]?.parentScope === 0)
      ? axes.reduce<number | null>((product, axis) => {
          const opened = openedBy(axis);
          return product === null || opened === null ? null : product * opened;
        }, 1)
      : null;
  }

  /** The known axes alone; an axis inside an unknown one counts as one element. */
  #runsAtLeast(node: PlanNode): number {
    const scope = isAggregator(node) ? node.outputScope : node.scope;
    const axes = this.#plan.scopes[scope]?.axes ?? [];
    return axes.reduce((product, axis) => {
      const { node: enumerator = -1, parentScope = 0 } = this.#plan.axes[axis] ?? {};
      return parentScope === 0 && this.#layout.isAxisResolved(axis)
        ? product * (this.#opened.get(enumerator) ?? 1)
        : product;
    }, 1);
  }

  readonly #opened = new Map<number, number>();

  /** Elements that an enumerator makes from a counted file; undefined for any other. */
  #rowsOfFile(node: PlanNode): number | undefined {
    const { type } = node;
    // The content of its elements is unknown, so no enumerator that reads them can be counted.
    if (node.scope !== 0 || this.#items.areRead(node) || this.#request.overridden.has(node.id)) {
      return undefined;
    }
    if (type.role === "input") {
      return this.#request.fileRows?.get(node.id);
    }
    const port = type.role === "enumerator" ? type.rowsOf : undefined;
    const [source] = node.inputs.find((input) => input.port === port)?.sources ?? [];
    const file = source === undefined ? undefined : this.#plan.nodes[source.node];
    const kept = this.#request.fileRows?.get(node.id);
    if (kept !== undefined && file !== undefined && !this.#request.overridden.has(file.id)) {
      return kept;
    }
    return file?.type.role === "input" && !this.#request.overridden.has(file.id)
      ? this.#request.fileRows?.get(file.id)
      : undefined;
  }

  /** Opens an enumerator at every element of its scope; 0 if that is left to the run. */
  #open(node: PlanNode): number {
    const rows = this.#rowsOfFile(node);
    if (rows !== undefined && rows <= this.#request.iterationsMax) {
      this.#opened.set(node.index, rows);
      this.#layout.resolveAxis(node.axis, {
        counts: [rows],
        absentParents: new Set(),
      });
      return rows;
    }
    const isKnown =
      isKnownAtSubmit(this.#plan, node.index, this.#request.filed) &&
      !this.#request.overridden.has(node.id) &&
      this.#layout.isResolved(node.scope);
    const parents = isKnown ? this.#layout.count(node.scope) : Infinity;
    const items = Number.isFinite(parents) ? this.#items.open(node, parents) : undefined;
    if (items === undefined) {
      return 0;
    }
    const { opened, total, presence } = items;
    this.#opened.set(node.index, total);
    if (total > this.#request.iterationsMax) {
      return total;
    }
    const parentsWith = (status: Opened["status"]) =>
      new Set(opened.flatMap((one, parent) => (one.status === status ? [parent] : [])));
    this.#layout.resolveAxis(node.axis, {
      counts: opened.map((one) => one.count),
      absentParents: parentsWith("absent"),
    });
    if (presence !== undefined && parentsWith("blocked").size === 0) {
      this.#presences.saw(node.index, presence);
    }
    return total;
  }
}
