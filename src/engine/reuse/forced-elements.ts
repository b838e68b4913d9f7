import type { Layout } from "../layout/layout.ts";
import { isAggregator, isEnumerator } from "../plan/node-kind.ts";
import type { Plan, PlanNode } from "../plan/plan.ts";

/** Work that a retry does again although its result exists. */
export interface Rerun {
  /** Id of the node. */
  readonly node: string;
  /** Its elements by their indices; absent: all of them. */
  readonly indices?: readonly (readonly number[])[];
}

/**
 * [E38] The elements that a retry works out again whatever they receive: those of `rerun`, and all that depend on them.
 * Asked only for elements of resolved scopes. `lacking`: more elements of a node to begin from, such as those without a
 * result.
 */
export class ForcedElements {
  readonly #plan: Plan;
  readonly #layout: Layout;
  readonly #rerun: Rerun | undefined;
  readonly #lacking: (node: PlanNode) => Iterable<number>;
  /** Nodes that may have forced elements. */
  readonly #reached = new Set<number>();
  /** By node: 1 for each forced element. */
  readonly #marks = new Map<number, Uint8Array>();

  constructor(
    plan: Plan,
    layout: Layout,
    rerun: Rerun | undefined,
    lacking?: (node: PlanNode) => Iterable<number>,
  ) {
    this.#plan = plan;
    this.#layout = layout;
    this.#rerun = rerun;
    this.#lacking = lacking ?? (() => []);
    for (const node of plan.nodes) {
      if (
        lacking !== undefined ||
        node.id === rerun?.node ||
        node.inputs.some(({ sources }) => sources.some((source) => this.#reached.has(source.node)))
      ) {
        this.#reached.add(node.index);
      }
    }
  }

  /** `element`: of the node's scope; of its output scope for an aggregator. */
  has(node: PlanNode, element: number): boolean {
    return this.#reached.has(node.index) && this.#marksOf(node)[element] === 1;
  }

  /** The number of a node's forced elements. */
  count(node: PlanNode): number {
    return this.#reached.has(node.index)
      ? this.#marksOf(node).reduce((sum, mark) => sum + mark, 0)
      : 0;
  }

  /** All elements of a node are forced, whatever it reads. */
  markAll(node: PlanNode): void {
    this.#marks.set(node.index, new Uint8Array(this.#layout.count(elementScope(node))).fill(1));
  }

  #marksOf(node: PlanNode): Uint8Array {
    let marks = this.#marks.get(node.index);
    if (marks === undefined) {
      marks = this.#dependent(node);
      this.#marks.set(node.index, marks);
      if (node.id === this.#rerun?.node) {
        this.#markListed(node, marks);
      }
      for (const element of this.#lacking(node)) {
        marks[element] = 1;
      }
    }
    return marks;
  }

  #markListed(node: PlanNode, marks: Uint8Array): void {
    const indices = this.#rerun?.indices;
    if (indices === undefined) {
      marks.fill(1);
    }
    for (const listed of indices ?? []) {
      const element = this.#layout.elementAt(elementScope(node), listed);
      if (element !== undefined) {
        marks[element] = 1;
      }
    }
  }

  #dependent(node: PlanNode): Uint8Array {
    const scope = elementScope(node);
    const marks = new Uint8Array(this.#layout.count(scope));
    for (const input of node.inputs) {
      const readScope = input.once === true ? node.outputScope : node.scope;
      for (const source of input.sources) {
        const feeder = this.#plan.nodes[source.node];
        if (feeder !== undefined && this.#reached.has(feeder.index)) {
          this.#spread(feeder, source.scope, readScope, scope, marks);
        }
      }
    }
    return marks;
  }

  /** Marks the elements of `scope` that read a forced element of `feeder`, at the elements of `readScope` below them. */
  #spread(
    feeder: PlanNode,
    sourceScope: number,
    readScope: number,
    scope: number,
    marks: Uint8Array,
  ): void {
    const of = this.#marksOf(feeder);
    if (!of.includes(1)) {
      return;
    }
    const read = this.#layout.project(readScope, sourceScope);
    // An enumerator's items belong to the element that opened them.
    const opener = isEnumerator(feeder)
      ? this.#layout.project(sourceScope, feeder.scope)
      : undefined;
    for (let element = 0; element < marks.length; element++) {
      const { from, to } = this.#layout.rangeOver(readScope, scope, element);
      for (let at = from; at < to && marks[element] === 0; at++) {
        const item = read[at] ?? 0;
        marks[element] = of[opener === undefined ? item : (opener[item] ?? 0)] ?? 0;
      }
    }
  }
}

/** The scope that numbers the elements of a node. */
export function elementScope(node: PlanNode): number {
  return isAggregator(node) ? node.outputScope : node.scope;
}
