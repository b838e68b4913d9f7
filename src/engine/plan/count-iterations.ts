/**
 * Iterations that a submit knows before its run starts: how often each node will run, and whether it certainly does
 * (docs/contract/credits.md#plans-known-at-submit). Pure; only enumerators are evaluated, within a budget.
 */
import { type JsonValue, parseJson } from "../../lib/exact-json.ts";
import {
  type NodeInputs,
  NodeInputs as Inputs,
  type NodeOutputs,
} from "../../nodes/define-ports.ts";
import { Layout } from "../layout/layout.ts";
import { ABSENT, BLOCKED, type Cell } from "../step/cells.ts";
import { fitInputs, gatherInputs } from "../step/gather-inputs.ts";
import { NodePresence, type Presence } from "./node-presence.ts";
import { isAggregator, isEnumerator } from "./node-kind.ts";
import { isKnownAtSubmit } from "./known-at-submit.ts";
import type { Plan, PlanNode } from "./plan.ts";

/** Elements that one count may create; axes beyond it are determined during the run. */
const ELEMENTS_MAX = 200_000;

export interface CountRequest {
  /** Submitted values as JSON text, including defaults, by input node; a missing one is absent. */
  readonly submitted: ReadonlyMap<string, string>;
  /** Inputs that are stored files: their items are known only during the run. */
  readonly filed: ReadonlySet<string>;
  /**
   * Counted rows of files, for an estimate; a submit does not count them. For the id of an enumerator, the rows of its
   * dataset that become elements, if not all do.
   */
  readonly fileRows?: ReadonlyMap<string, number>;
  /** Limit of iterations per node; Infinity for an estimate, which also counts beyond the limit. */
  readonly iterationsMax: number;
  /** Nodes whose parameters this submit overrides: their items are known only during the run. */
  readonly overridden: ReadonlySet<string>;
  /** Creates every element, to determine which ports have values. Costs as much as the enumerators. */
  readonly wantsPresence: boolean;
}

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

/** The items that an enumerator opens at one element of its scope, as in the run. */
interface Opened {
  readonly status: "ok" | "blocked" | "absent";
  readonly count: number;
}

class OutOfBudget extends Error {}

class Counter {
  readonly #plan: Plan;
  readonly #request: CountRequest;
  readonly #layout: Layout;
  readonly #presences: NodePresence;
  /** Enumerators whose elements another enumerator reads. */
  readonly #read: ReadonlySet<number>;
  /** Their elements by number; undefined for a blocked one. */
  readonly #elements = new Map<number, (NodeOutputs | undefined)[]>();
  readonly #values = new Map<number, Cell>();
  #budget = ELEMENTS_MAX;

  constructor(plan: Plan, request: CountRequest) {
    this.#plan = plan;
    this.#request = request;
    this.#layout = new Layout(plan);
    this.#presences = new NodePresence(
      plan,
      (node) => request.submitted.has(node.id) || request.filed.has(node.id),
    );
    this.#read = new Set(
      plan.nodes
        .filter(isEnumerator)
        .flatMap((node) => node.inputs.flatMap(({ sources }) => sources.map(({ node: at }) => at))),
    );
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
    if (node.scope !== 0 || this.#read.has(node.index) || this.#request.overridden.has(node.id)) {
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
    if (!isKnown) {
      return 0;
    }
    const parents = this.#layout.count(node.scope);
    if (!Number.isFinite(parents)) {
      return 0;
    }
    const elements: (NodeOutputs | undefined)[] | undefined = this.#read.has(node.index)
      ? []
      : undefined;
    const seen = new PortsSeen();
    const opened: Opened[] = [];
    let total = 0;
    try {
      for (let parent = 0; parent < parents; parent++) {
        const one = this.#openAt(node, parent, total, elements, seen);
        opened.push(one);
        total += one.count;
      }
    } catch (error) {
      const counted = error instanceof OutOfBudget ? this.#countAlone(node, parents) : undefined;
      if (counted === undefined) {
        if (error instanceof OutOfBudget) {
          return 0;
        }
        throw error;
      }
      opened.splice(0, opened.length, ...counted);
      total = counted.reduce((sum, { count }) => sum + count, 0);
    }
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
    if (elements !== undefined) {
      this.#elements.set(node.index, elements);
    }
    if (seen.isComplete && parentsWith("blocked").size === 0) {
      this.#presences.saw(node.index, (port) => seen.presence(port));
    }
    return total;
  }

  /** Counts without creating items: for enumerators whose elements nothing needs. */
  #countAlone(node: PlanNode, parents: number): Opened[] | undefined {
    const { type } = node;
    const isCounted =
      (type.role === "input" || type.role === "enumerator") &&
      type.countItems !== undefined &&
      !this.#read.has(node.index);
    return isCounted
      ? Array.from({ length: parents }, (_, parent): Opened => {
          const inputs = this.#inputs(node, parent);
          if (inputs === "absent") {
            return { status: "absent", count: 0 };
          }
          try {
            return inputs === "blocked"
              ? { status: "blocked", count: 1 }
              : { status: "ok", count: type.countItems?.(inputs, node.params) ?? 0 };
          } catch {
            return { status: "blocked", count: 1 };
          }
        })
      : undefined;
  }

  #openAt(
    node: PlanNode,
    parent: number,
    before: number,
    elements: (NodeOutputs | undefined)[] | undefined,
    seen: PortsSeen,
  ): Opened {
    const inputs = this.#inputs(node, parent);
    if (inputs === "absent") {
      return { status: "absent", count: 0 };
    }
    const made: NodeOutputs[] = [];
    const count = inputs === "blocked" ? undefined : this.#elementsOf(node, inputs, before, made);
    if (count === undefined) {
      elements?.push(undefined);
      return { status: "blocked", count: 1 };
    }
    elements?.push(...made);
    seen.add(made, count);
    return { status: "ok", count };
  }

  /** Undefined if the enumerator fails there, as it will in the run. */
  #elementsOf(
    node: PlanNode,
    inputs: NodeInputs,
    before: number,
    made: NodeOutputs[],
  ): number | undefined {
    const { type } = node;
    if (type.role !== "input" && type.role !== "enumerator") {
      return undefined;
    }
    const { iterationsMax, wantsPresence } = this.#request;
    // Beyond the limit, items are only counted, so that the refusal contains the number.
    const isCountEnough = (!this.#read.has(node.index) && !wantsPresence) || before > iterationsMax;
    try {
      if (isCountEnough && type.countItems !== undefined) {
        return type.countItems(inputs, node.params);
      }
      for (const outputs of type.enumerate?.(inputs, node.params) ?? []) {
        made.push(outputs);
        if (before + made.length > iterationsMax) {
          return type.countItems?.(inputs, node.params) ?? made.length;
        }
        this.#budget -= 1;
        if (this.#budget < 0) {
          throw new OutOfBudget();
        }
      }
      return made.length;
    } catch (error) {
      if (error instanceof OutOfBudget) {
        throw error;
      }
      return undefined;
    }
  }

  #inputs(node: PlanNode, parent: number): NodeInputs | "absent" | "blocked" {
    if (node.type.role === "input") {
      const text = this.#request.submitted.get(node.id);
      return text === undefined ? "absent" : new Inputs(new Map([["value", parseJson(text)]]));
    }
    const gathered = gatherInputs(node, parent, this.#layout, (source, element) =>
      this.#cell(source, element),
    );
    if (gathered.kind !== "ready") {
      return gathered.kind === "absent" ? "absent" : "blocked";
    }
    const fitted = fitInputs(gathered.values, (value) => value as JsonValue);
    return "code" in fitted ? "blocked" : fitted;
  }

  #cell(index: number, element: number): Cell {
    const elements = this.#elements.get(index);
    if (elements !== undefined) {
      const outputs = elements[element];
      return outputs === undefined ? BLOCKED : { status: "ok", outputs };
    }
    const known = this.#values.get(index) ?? this.#inputCell(index);
    this.#values.set(index, known);
    return known;
  }

  #inputCell(index: number): Cell {
    const node = this.#plan.nodes[index];
    const text = node === undefined ? undefined : this.#request.submitted.get(node.id);
    return text === undefined
      ? ABSENT
      : {
          status: "ok",
          outputs: new Map([[node?.type.outputs[0]?.name ?? "", parseJson(text)]]),
        };
  }
}

/** The ports that had values at the created elements. */
class PortsSeen {
  readonly #times = new Map<string, number>();
  #made = 0;
  #counted = 0;

  add(made: readonly NodeOutputs[], count: number): void {
    for (const outputs of made) {
      for (const port of outputs.keys()) {
        this.#times.set(port, (this.#times.get(port) ?? 0) + 1);
      }
    }
    this.#made += made.length;
    this.#counted += count;
  }

  /** Whether every element was created and not only counted. */
  get isComplete(): boolean {
    return this.#made === this.#counted;
  }

  presence(port: string): Presence {
    const times = this.#times.get(port) ?? 0;
    return times === this.#made ? "always" : times === 0 ? "never" : "maybe";
  }
}
