import type { Definition } from "../../src/contracts/workflows/definition.ts";
import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import type { RandomGraph } from "./random-graph.ts";

/**
 * Whether a smaller graph shows the same failure. A candidate may be invalid (for example with an open required port):
 * it is rejected by returning false or throwing.
 */
export type StillFails = (
  definition: Definition,
  inputs: ReadonlyMap<string, JsonValue>,
) => boolean | Promise<boolean>;

const TRIES_MAX = 5_000; // a bound on time, far above the need of 25 nodes

/** The smallest failing graph that is reachable by removing nodes, connections and items one by one. */
export async function shrink(
  definition: Definition,
  inputs: ReadonlyMap<string, JsonValue>,
  stillFails: StillFails,
): Promise<RandomGraph> {
  let smallest: RandomGraph = { definition, inputs };
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smallerGraphs(smallest)) {
      tries += 1;
      if (tries > TRIES_MAX) {
        return smallest;
      }
      if (await isFailure(candidate, stillFails)) {
        smallest = candidate;
        isSmaller = true;
        break;
      }
    }
  }
  return smallest;
}

async function isFailure(candidate: RandomGraph, stillFails: StillFails): Promise<boolean> {
  try {
    return await stillFails(candidate.definition, candidate.inputs);
  } catch {
    return false;
  }
}

/** Every graph one step smaller, the largest steps first. */
function* smallerGraphs({ definition, inputs }: RandomGraph): Generator<RandomGraph> {
  for (const { id } of definition.nodes) {
    yield without(definition, inputs, withDescendants(definition, id));
  }
  for (const { id } of definition.nodes) {
    yield without(definition, inputs, new Set([id]));
    // Close the gap: connect the node's source to its readers.
    for (const into of definition.connections.filter((each) => each.to.node === id)) {
      const connections = definition.connections.map((each) =>
        each.from.node === id ? { from: into.from, to: each.to } : each,
      );
      yield without({ ...definition, connections }, inputs, new Set([id]));
    }
  }
  for (const dropped of definition.connections) {
    const connections = definition.connections.filter((each) => each !== dropped);
    yield { definition: { ...definition, connections }, inputs };
  }
  for (const [id, value] of inputs) {
    yield { definition, inputs: new Map([...inputs].filter(([each]) => each !== id)) };
    for (const smaller of smallerValues(value)) {
      yield { definition, inputs: new Map([...inputs, [id, smaller]]) };
    }
  }
}

function without(
  definition: Definition,
  inputs: ReadonlyMap<string, JsonValue>,
  gone: ReadonlySet<string>,
): RandomGraph {
  return {
    definition: {
      ...definition,
      nodes: definition.nodes.filter((node) => !gone.has(node.id)),
      connections: definition.connections.filter(
        ({ from, to }) => !gone.has(from.node) && !gone.has(to.node),
      ),
    },
    inputs: new Map([...inputs].filter(([id]) => !gone.has(id))),
  };
}

function withDescendants(definition: Definition, id: string): ReadonlySet<string> {
  const reached = new Set([id]);
  for (const node of reached) {
    for (const { from, to } of definition.connections) {
      if (from.node === node) {
        reached.add(to.node); // iterating a set includes items added meanwhile
      }
    }
  }
  return reached;
}

/** The same value without one item or key, at any depth. */
function* smallerValues(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    for (const [at, item] of items.entries()) {
      yield items.filter((_, each) => each !== at);
      for (const smaller of smallerValues(item)) {
        yield items.with(at, smaller);
      }
    }
  } else if (
    typeof value === "object" &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  ) {
    for (const [key, item] of Object.entries(value as { readonly [key: string]: JsonValue })) {
      const rest = Object.entries(value).filter(([each]) => each !== key);
      yield Object.fromEntries(rest) as JsonValue;
      for (const smaller of smallerValues(item)) {
        yield Object.fromEntries([...rest, [key, smaller]]) as JsonValue;
      }
    }
  }
}
