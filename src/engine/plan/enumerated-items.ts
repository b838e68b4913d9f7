/** The items of enumerators whose values are known before the run, evaluated as the run will, within a budget. */
import { type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import {
  type NodeInputs,
  NodeInputs as Inputs,
  type NodeOutputs,
} from "../../nodes/define-ports.ts";
import type { Layout } from "../layout/layout.ts";
import { ABSENT, BLOCKED, type Cell } from "../step/cells.ts";
import { fitInputs, gatherInputs } from "../step/gather-inputs.ts";
import { isEnumerator } from "./node-kind.ts";
import type { Presence } from "./node-presence.ts";
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

/** The items that an enumerator opens at one element of its scope, as in the run. */
export interface Opened {
  readonly status: "ok" | "blocked" | "absent";
  readonly count: number;
}

/** What an enumerator opens at all elements of its scope. */
export interface OpenedItems {
  readonly opened: readonly Opened[];
  readonly total: number;
  /** Which ports have values; undefined unless every item was created and not only counted. */
  readonly presence: ((port: string) => Presence) | undefined;
}

class OutOfBudget extends Error {}

export class EnumeratedItems {
  readonly #request: CountRequest;
  readonly #plan: Plan;
  readonly #layout: Layout;
  /** Enumerators whose elements another enumerator reads. */
  readonly #read: ReadonlySet<number>;
  /** Their elements by number; undefined for a blocked one. */
  readonly #elements = new Map<number, (NodeOutputs | undefined)[]>();
  readonly #values = new Map<number, Cell>();
  #budget = ELEMENTS_MAX;

  /** `layout` must have resolved the scope of a node before `open`. */
  constructor(plan: Plan, request: CountRequest, layout: Layout) {
    this.#plan = plan;
    this.#request = request;
    this.#layout = layout;
    this.#read = new Set(
      plan.nodes
        .filter(isEnumerator)
        .flatMap((node) => node.inputs.flatMap(({ sources }) => sources.map(({ node: at }) => at))),
    );
  }

  /** Whether another enumerator reads the elements of this node. */
  areRead(node: PlanNode): boolean {
    return this.#read.has(node.index);
  }

  /**
   * Opens an enumerator at the `parents` elements of its scope; undefined if its items exceed the budget and cannot be
   * counted otherwise.
   */
  open(node: PlanNode, parents: number): OpenedItems | undefined {
    const elements: (NodeOutputs | undefined)[] | undefined = this.areRead(node) ? [] : undefined;
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
      if (!(error instanceof OutOfBudget)) {
        throw error;
      }
      const counted = this.#countAlone(node, parents);
      return counted === undefined
        ? undefined
        : {
            opened: counted,
            total: counted.reduce((sum, { count }) => sum + count, 0),
            presence: undefined,
          };
    }
    if (elements !== undefined) {
      this.#elements.set(node.index, elements);
    }
    return {
      opened,
      total,
      presence: seen.isComplete ? (port) => seen.presence(port) : undefined,
    };
  }

  /** Counts without creating items: for enumerators whose elements nothing needs. */
  #countAlone(node: PlanNode, parents: number): Opened[] | undefined {
    const { type } = node;
    const isCounted =
      (type.role === "input" || type.role === "enumerator") &&
      type.countItems !== undefined &&
      !this.areRead(node);
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
    const isCountEnough = (!this.areRead(node) && !wantsPresence) || before > iterationsMax;
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
    const fitted = fitInputs(gathered.values, (value) => value as JsonValue, gathered.places);
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
