/** The difference of two definitions: what nodes do and where their values come from. */
import type { DefinitionDifference } from "../../../contracts/runs/comparison.ts";
import type { ComparableRun } from "../../../contracts/runs/run-comparison-api.ts";
import { canonicalJson } from "../../../engine/values/canonical-json.ts";
import { jsonPatch, type PatchOperation } from "../../../lib/diff/json-patch.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../../lib/json/exact-json.ts";

interface Node {
  readonly id: string;
  /** `{type, parameters, cache}`. */
  readonly shown: JsonValue;
  readonly text: string;
  /** Of `{type, parameters}`, with what the run's interface has set. */
  readonly workText: string;
}

export interface Connection {
  readonly from: { readonly node: string; readonly port: string };
  readonly to: { readonly node: string; readonly port: string };
}

interface ReadDefinition {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly connections: ReadonlyMap<string, Connection>;
  /** The connections into each node, in their order for each port. */
  readonly incoming: ReadonlyMap<string, string>;
}

export interface ComparedDefinitions {
  readonly difference: Omit<DefinitionDifference, "nodes"> & {
    readonly nodes: readonly {
      readonly node_id: string;
      readonly change: "added" | "removed" | "changed";
      readonly patch?: readonly PatchOperation[] | null;
    }[];
  };
  /** Nodes of `b`, then those only in `a`. */
  readonly order: readonly string[];
  /**
   * Nodes of both whose type, parameters or incoming connections differ. What an interface sets on parameters counts, and a
   * `cache` does not: it does not change what a node does.
   */
  readonly changed: ReadonlySet<string>;
}

type Defined = Pick<ComparableRun, "definition_json" | "parameters">;

/** Compares the definitions of two runs, which were valid when the runs started. */
export function compareDefinitions(aRun: Defined, bRun: Defined): ComparedDefinitions {
  const a = read(aRun);
  const b = read(bRun);
  const nodes: ComparedDefinitions["difference"]["nodes"][number][] = [];
  const changed = new Set<string>();
  let isSame = true;
  for (const [id, node] of b.nodes) {
    const before = a.nodes.get(id);
    if (before === undefined) {
      nodes.push({ node_id: id, change: "added" });
    } else if (before.text !== node.text) {
      const patch = jsonPatch(before.shown, node.shown);
      nodes.push({ node_id: id, change: "changed", patch });
    }
    if (before !== undefined && before.workText !== node.workText) {
      changed.add(id);
    }
    if (before !== undefined && a.incoming.get(id) !== b.incoming.get(id)) {
      changed.add(id);
      isSame = false;
    }
  }
  const removed = [...a.nodes.keys()].filter((id) => !b.nodes.has(id));
  nodes.push(...removed.map((id) => ({ node_id: id, change: "removed" as const })));
  const only = (one: ReadDefinition, other: ReadDefinition) =>
    [...one.connections].filter(([text]) => !other.connections.has(text)).map(([, it]) => it);
  const connections = { added: only(b, a), removed: only(a, b) };
  return {
    difference: {
      is_same: isSame && nodes.length + connections.added.length + connections.removed.length === 0,
      nodes,
      connections,
    },
    order: [...b.nodes.keys(), ...removed],
    changed,
  };
}

const NOTHING: JsonValue = {};

function read({ definition_json: json, parameters }: Defined): ReadDefinition {
  const definition = json === "" ? NOTHING : parseJson(json);
  const nodes = new Map<string, Node>();
  for (const node of listIn(definition, "nodes")) {
    const id = textIn(node, "id");
    const work = {
      type: textIn(node, "type"),
      parameters: memberOf(node, "parameters") ?? {},
    };
    const cache = memberOf(node, "cache");
    const shown: JsonValue = cache === undefined ? work : { ...work, cache };
    const set = parameters
      .filter(({ node_id }) => node_id === id)
      .map(({ parameter, value_json }) => [parameter, parseJson(value_json)]);
    const done = {
      ...work,
      parameters: { ...(work.parameters as object), ...Object.fromEntries(set) },
    };
    nodes.set(id, { id, shown, text: canonicalJson(shown), workText: canonicalJson(done) });
  }
  const connections = new Map<string, Connection>();
  const incoming = new Map<string, string[]>();
  for (const connection of listIn(definition, "connections")) {
    const [from, to] = [memberOf(connection, "from"), memberOf(connection, "to")].map((end) => ({
      node: textIn(end, "node"),
      port: textIn(end, "port"),
    }));
    if (from === undefined || to === undefined) {
      continue;
    }
    const text = JSON.stringify([from.node, from.port, to.node, to.port]);
    connections.set(text, { from, to });
    incoming.set(to.node, [...(incoming.get(to.node) ?? []), text]);
  }
  return {
    nodes,
    connections,
    incoming: new Map([...incoming].map(([id, list]) => [id, ordered(list)])),
  };
}

/** The order of the connections of one port counts, that of ports does not. */
function ordered(connections: readonly string[]): string {
  const portOf = (text: string) => (JSON.parse(text) as string[])[3] ?? "";
  return connections
    .map((text, at) => ({ text, port: portOf(text), at }))
    .toSorted((a, b) => (a.port === b.port ? a.at - b.at : a.port < b.port ? -1 : 1))
    .map(({ text }) => text)
    .join();
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, key)
    ? value[key]
    : undefined;
}

function listIn(value: JsonValue, key: string): readonly JsonValue[] {
  const list = memberOf(value, key);
  return Array.isArray(list) ? (list as readonly JsonValue[]) : [];
}

function textIn(value: JsonValue | undefined, key: string): string {
  const text = memberOf(value, key);
  return typeof text === "string" ? text : "";
}
