import { NOTHING_STORED, type StoredReferences } from "../../contracts/references.ts";
import { isAggregator, isEnumerator } from "./node-kind.ts";
import type { Plan, PlanNode, Source } from "./plan.ts";

/** For an element: a value at each, at none, or unknown until the run. */
export type Presence = "always" | "never" | "maybe";

/**
 * Determines which nodes certainly run if nothing fails: the effect of absent inputs is known at submit, the effect of
 * branches is not [E10, E13]. Nodes are settled in topological order.
 */
export class NodePresence {
  readonly #plan: Plan;
  readonly #isGiven: (input: PlanNode) => boolean;
  readonly #presences: Presence[] = [];
  readonly #seen = new Map<number, (port: string) => Presence>();

  constructor(plan: Plan, isGiven: (input: PlanNode) => boolean) {
    this.#plan = plan;
    this.#isGiven = isGiven;
  }

  of(index: number): Presence {
    return this.#presences[index] ?? "maybe";
  }

  settle(node: PlanNode): void {
    this.#presences[node.index] = this.#presence(node);
  }

  /** The elements of an enumerator were created, so the values of their ports are known. */
  saw(index: number, presence: (port: string) => Presence): void {
    this.#seen.set(index, presence);
  }

  #presence(node: PlanNode): Presence {
    if (node.type.role === "input") {
      return this.#isGiven(node) ? "always" : "never";
    }
    if (isAggregator(node)) {
      return this.#aggregate(node);
    }
    const sources = node.inputs.flatMap((input) => input.sources);
    if (node.type.role === "merge") {
      return anyOf(sources.map((source) => this.#port(source)));
    }
    return allOf(
      node.inputs
        .filter((input) => input.required)
        .map((input) => {
          const ports = input.sources.map((source) => this.#port(source));
          const needed = input.isList ? Math.max(1, input.minCount) : 1;
          return ports.filter((port) => port === "always").length >= needed
            ? "always"
            : ports.filter((port) => port !== "never").length >= needed
              ? "maybe"
              : "never";
        }),
    );
  }

  /** Returns a result unless an axis that it closes is absent as a whole. */
  #aggregate(node: PlanNode): Presence {
    const { scopes, axes } = this.#plan;
    const open = scopes[node.outputScope]?.axes ?? [];
    const closed = (scopes[node.scope]?.axes ?? []).filter((axis) => !open.includes(axis));
    const once = node.inputs.filter((input) => input.once === true && input.required);
    return allOf([
      ...closed.map((axis) => {
        const { node: enumerator = -1, parentScope = 0 } = axes[axis] ?? {};
        const nodePresence = this.of(enumerator);
        return nodePresence === "never" && parentScope !== 0 ? "maybe" : nodePresence;
      }),
      ...once.flatMap((input) => input.sources.map((source) => this.#port(source))),
    ]);
  }

  #port({ node: index, port }: Source): Presence {
    const node = this.#plan.nodes[index];
    const nodePresence = this.of(index);
    if (node === undefined || nodePresence === "never") {
      return nodePresence;
    }
    const seen = this.#seen.get(index);
    if (isEnumerator(node) && seen !== undefined) {
      return seen(port);
    }
    // The items of an enumerator exist at each of its elements, whether or not it runs everywhere.
    const own = isEnumerator(node) ? "always" : nodePresence;
    return isOptional(node, port) ? "maybe" : own;
  }
}

/** The resources that the node's parameters refer to, by path. */
function storedOf({ references }: PlanNode): StoredReferences {
  return references === undefined
    ? NOTHING_STORED
    : new Map(references.map((reference) => [reference.path, reference]));
}

function isOptional(node: PlanNode, port: string): boolean {
  const dynamic = node.type.dynamicPorts?.resolve(node.params, storedOf(node)).outputs ?? [];
  return [...node.type.outputs, ...dynamic].some(
    ({ name, optional }) => name === port && optional === true,
  );
}

function allOf(parts: readonly Presence[]): Presence {
  return parts.includes("never") ? "never" : parts.includes("maybe") ? "maybe" : "always";
}

function anyOf(parts: readonly Presence[]): Presence {
  return parts.includes("always") ? "always" : parts.includes("maybe") ? "maybe" : "never";
}
