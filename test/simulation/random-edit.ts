import {
  type Connection,
  Definition,
  type NodeDefinition,
} from "../../src/contracts/workflows/definition.ts";
import { compile } from "../../src/engine/compile/compile.ts";
import { isJsonNumber, type JsonValue } from "../../src/lib/json/exact-json.ts";
import type { RandomGraph } from "./random-graph.ts";
import type { FindNodeType } from "./reference-nodes.ts";
import type { SeededRandom } from "./seeded-random.ts";

interface Draft {
  readonly nodes: readonly NodeDefinition[];
  readonly connections: readonly Connection[];
  readonly inputs: ReadonlyMap<string, JsonValue>;
}

type Edit = (draft: Draft, random: SeededRandom) => Draft;

/** Changes that authors make between a run and its retry, by name. */
export const EDITS: Readonly<Record<string, Edit>> = {
  nothing: (draft) => draft,
  "the seed of a task": (draft, random) => {
    const tasks = draft.nodes.filter(({ type }) => type.startsWith("fake/"));
    return tasks.length === 0
      ? draft
      : changed(draft, random.pick(tasks).id, (node) => ({
          ...node,
          parameters: { ...node.parameters, seed: random.int(1, 1_000_000) },
        }));
  },
  "a label": (draft, random) =>
    changed(draft, random.pick(draft.nodes).id, (node) => ({ ...node, label: `${node.id} again` })),
  "the id of a node": (draft, random) => {
    const { id } = random.pick(draft.nodes);
    const renamed = (at: string) => (at === id ? `${id}_new` : at);
    return {
      nodes: draft.nodes.map((node) => ({ ...node, id: renamed(node.id) })),
      connections: draft.connections.map(({ from, to }) => ({
        from: { ...from, node: renamed(from.node) },
        to: { ...to, node: renamed(to.node) },
      })),
      inputs: new Map([...draft.inputs].map(([key, value]) => [renamed(key), value])),
    };
  },
  "the order of nodes": (draft, random) => ({ ...draft, nodes: random.shuffled(draft.nodes) }),
  "a node less": (draft, random) => {
    const { id } = random.pick(draft.nodes);
    return {
      nodes: draft.nodes.filter((node) => node.id !== id),
      connections: draft.connections.filter(({ from, to }) => from.node !== id && to.node !== id),
      inputs: new Map([...draft.inputs].filter(([key]) => key !== id)),
    };
  },
  "a connection less": (draft, random) => {
    const gone = draft.connections.length === 0 ? -1 : random.below(draft.connections.length);
    return { ...draft, connections: draft.connections.filter((_, index) => index !== gone) };
  },
  "an input": (draft, random) => {
    if (draft.inputs.size === 0) {
      return draft;
    }
    const [key, value] = random.pick([...draft.inputs]);
    return { ...draft, inputs: new Map([...draft.inputs, [key, otherValue(value, random)]]) };
  },
};

/** The graph after an edit that leaves it valid; undefined if that one does not. */
export function randomEdit(
  graph: RandomGraph,
  random: SeededRandom,
  findNodeType: FindNodeType,
): RandomGraph | undefined {
  const edit = EDITS[random.pick(Object.keys(EDITS))]!;
  const { nodes, connections } = graph.definition;
  const draft = edit({ nodes, connections, inputs: graph.inputs }, random);
  const parsed = Definition.safeParse({ nodes: draft.nodes, connections: draft.connections });
  return parsed.success && compile(parsed.data, findNodeType).plan !== undefined
    ? { definition: parsed.data, inputs: draft.inputs }
    : undefined;
}

function changed(
  draft: Draft,
  id: string,
  change: (node: NodeDefinition) => NodeDefinition,
): Draft {
  return { ...draft, nodes: draft.nodes.map((node) => (node.id === id ? change(node) : node)) };
}

function otherValue(value: JsonValue, random: SeededRandom): JsonValue {
  if (Array.isArray(value)) {
    const list = value as readonly JsonValue[];
    const [first] = list;
    return random.pick<JsonValue>([
      list.slice(1),
      list.slice(0, -1),
      first === undefined ? list : [...list, first],
      random.shuffled(list),
      list.map((item, index) => (index === 0 ? otherValue(item, random) : item)),
    ]);
  }
  if (isJsonNumber(value)) {
    return random.int(0, 9);
  }
  return typeof value === "string" ? `${value}x` : value;
}
