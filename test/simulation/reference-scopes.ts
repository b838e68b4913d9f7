import type { ReferenceNode } from "./reference-nodes.ts";

/** Axes are named by the id of the enumerator that opens them. */
export interface ReferenceScopes {
  /** Kahn's order: repeatedly the node lowest in `nodes[]` whose sources are all placed. */
  readonly topological: readonly string[];
  /** The one total order of axes. */
  readonly axes: readonly string[];
  /** The join of a node's sources, in axis order: the scope that it runs over. */
  readonly joined: ReadonlyMap<string, readonly string[]>;
  /** The scope of a node's outputs, in axis order. */
  readonly given: ReadonlyMap<string, readonly string[]>;
}

/** Scopes, joins and the order of axes according to docs/contract/iteration.md#axes. Throws Error on a cycle. */
export function computeReferenceScopes(nodes: ReadonlyMap<string, ReferenceNode>): ReferenceScopes {
  const topological = sortTopologically(nodes);
  const positions = [...nodes.keys()];
  const placed: string[] = [];
  for (;;) {
    const open = positions.filter((id) => nodes.get(id)!.opensAxis && !placed.includes(id));
    // An axis not placed yet comes after every placed one, which is sufficient for `innermost`.
    const order = [...placed, ...open];
    const scopes = scopesUnder(order, topological, nodes);
    if (open.length === 0) {
      return { topological, axes: order, ...scopes };
    }
    const next = open.find((id) => scopes.joined.get(id)!.every((axis) => placed.includes(axis)));
    placed.push(next!);
  }
}

function scopesUnder(
  order: readonly string[],
  topological: readonly string[],
  nodes: ReadonlyMap<string, ReferenceNode>,
): Pick<ReferenceScopes, "joined" | "given"> {
  const joined = new Map<string, readonly string[]>();
  const given = new Map<string, readonly string[]>();
  for (const id of topological) {
    const { spec, params, opensAxis } = nodes.get(id)!;
    const sources = sourcesOf(nodes.get(id)!);
    const join = order.filter((axis) =>
      sources.some((source) => given.get(source)!.includes(axis)),
    );
    joined.set(id, join);
    if (opensAxis) {
      given.set(
        id,
        order.filter((axis) => axis === id || join.includes(axis)),
      );
    } else if (spec.role === "aggregator") {
      given.set(id, spec.collapse(params) === "all" ? [] : join.slice(0, -1));
    } else {
      given.set(id, join);
    }
  }
  return { joined, given };
}

function sortTopologically(nodes: ReadonlyMap<string, ReferenceNode>): string[] {
  const placed: string[] = [];
  while (placed.length < nodes.size) {
    const next = [...nodes.values()].find(
      (node) =>
        !placed.includes(node.id) && sourcesOf(node).every((source) => placed.includes(source)),
    );
    if (next === undefined) {
      throw new Error("the definition has a cycle");
    }
    placed.push(next.id);
  }
  return placed;
}

function sourcesOf(node: ReferenceNode): string[] {
  return [...node.feeds.values()].flat().map((source) => source.node);
}
