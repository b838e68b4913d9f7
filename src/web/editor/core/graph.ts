/** The document of the editor: an immutable graph, and functions that return a changed copy of it. */
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";

export type JsonObject = { readonly [key: string]: JsonValue };

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly label?: string;
  readonly parameters: JsonObject;
  /** As saved: the editor keeps it, and has no control for it. */
  readonly cache?: JsonValue;
  readonly position?: Point;
}

/** One end of a wire. */
export interface End {
  readonly node: string;
  readonly port: string;
}

/** A connection. `id` exists in the editor only; a saved definition has none. */
export interface Wire {
  readonly id: string;
  readonly from: End;
  readonly to: End;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly wires: readonly Wire[];
  /** As saved: an interface may be invalid until it is edited. */
  readonly interfaces: readonly JsonObject[];
  readonly settings: JsonObject;
}

export const EMPTY_GRAPH: Graph = { nodes: [], wires: [], interfaces: [], settings: {} };

/** Prefix of the ids of wires that this session has given; unique in a page. */
let wiresMade = 0;

export function newWire(from: End, to: End): Wire {
  wiresMade += 1;
  return { id: `w${String(wiresMade)}`, from, to };
}

/**
 * Reads a working definition, which the service stores even if it is invalid. `skipped` counts the entries that the
 * editor cannot show: nodes without an id or with an id that another node has, and connections without two ends.
 */
export function readGraph(definition: JsonValue): { readonly graph: Graph; skipped: number } {
  let skipped = 0;
  const seen = new Set<string>();
  const nodes = listAt(definition, "nodes").flatMap((entry): GraphNode[] => {
    const node = readNode(entry);
    if (node === undefined || seen.has(node.id)) {
      skipped += 1;
      return [];
    }
    seen.add(node.id);
    return [node];
  });
  const wires = listAt(definition, "connections").flatMap((entry): Wire[] => {
    const wire = readWire(entry);
    skipped += wire === undefined ? 1 : 0;
    return wire === undefined ? [] : [wire];
  });
  const settings = isJsonObject(definition) ? definition["settings"] : undefined;
  return {
    graph: {
      nodes,
      wires,
      interfaces: listAt(definition, "interfaces").filter(isJsonObject),
      settings: isJsonObject(settings) ? settings : {},
    },
    skipped,
  };
}

function listAt(value: JsonValue, key: string): readonly JsonValue[] {
  const list = isJsonObject(value) ? value[key] : undefined;
  // A readonly array is not narrowed by `Array.isArray`.
  return Array.isArray(list) ? (list as readonly JsonValue[]) : [];
}

/** Returns undefined for an entry without an id. */
export function readNode(entry: JsonValue): GraphNode | undefined {
  if (!isJsonObject(entry) || typeof entry["id"] !== "string" || entry["id"] === "") {
    return undefined;
  }
  const { id, type, label, parameters, cache } = entry;
  const position = readPoint(entry["position"]);
  return {
    id,
    type: typeof type === "string" ? type : "",
    ...(typeof label === "string" && { label }),
    parameters: isJsonObject(parameters) ? parameters : {},
    ...(cache !== undefined && { cache }),
    ...(position !== undefined && { position }),
  };
}

function readPoint(value: JsonValue | undefined): Point | undefined {
  if (!isJsonObject(value)) {
    return undefined;
  }
  const [x, y] = [Number(value["x"]), Number(value["y"])];
  return Number.isFinite(x) && Number.isFinite(y) ? { x, y } : undefined;
}

/** Returns undefined for an entry without two ends. */
export function readWire(entry: JsonValue): Wire | undefined {
  if (!isJsonObject(entry)) {
    return undefined;
  }
  const from = readEnd(entry["from"]);
  const to = readEnd(entry["to"]);
  return from === undefined || to === undefined ? undefined : newWire(from, to);
}

function readEnd(value: JsonValue | undefined): End | undefined {
  if (!isJsonObject(value)) {
    return undefined;
  }
  const { node, port } = value;
  return typeof node === "string" && typeof port === "string" ? { node, port } : undefined;
}

/** The definition to save, without the ids of wires. */
export function writeGraph(graph: Graph): JsonObject {
  return {
    nodes: graph.nodes.map(writeNode),
    connections: graph.wires.map(writeWire),
    interfaces: graph.interfaces,
    ...(Object.keys(graph.settings).length > 0 && { settings: graph.settings }),
  };
}

export function writeNode({ id, type, label, parameters, cache, position }: GraphNode): JsonObject {
  return {
    id,
    type,
    ...(label !== undefined && { label }),
    parameters,
    ...(cache !== undefined && { cache }),
    ...(position !== undefined && { position: { x: position.x, y: position.y } }),
  };
}

export function writeWire({ from, to }: Wire): JsonObject {
  return { from: { ...from }, to: { ...to } };
}

/** Returns an id that no node has: the last part of the type, with a number from the second node on. */
export function freeNodeId(taken: ReadonlySet<string>, type: string): string {
  const base = type.slice(type.lastIndexOf("/") + 1) || "node";
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base}_${String(n)}`;
    if (!taken.has(id)) {
      return id;
    }
  }
}

export function findNode(graph: Graph, id: string): GraphNode | undefined {
  return graph.nodes.find((node) => node.id === id);
}

export function addNode(graph: Graph, node: GraphNode): Graph {
  return { ...graph, nodes: [...graph.nodes, node] };
}

export function changeNode(
  graph: Graph,
  id: string,
  change: (node: GraphNode) => GraphNode,
): Graph {
  return { ...graph, nodes: graph.nodes.map((node) => (node.id === id ? change(node) : node)) };
}

/** Sets a parameter; undefined removes it, so that the default of its type counts. */
export function setParameter(
  graph: Graph,
  id: string,
  name: string,
  value: JsonValue | undefined,
): Graph {
  return changeNode(graph, id, (node) => {
    const parameters: Record<string, JsonValue> = { ...node.parameters };
    if (value === undefined) {
      delete parameters[name];
    } else {
      parameters[name] = value;
    }
    return { ...node, parameters };
  });
}

/** Sets the label; an empty label is removed. */
export function setLabel(graph: Graph, id: string, label: string): Graph {
  return changeNode(graph, id, ({ label: _before, ...node }) =>
    label === "" ? node : { ...node, label },
  );
}

export function moveNodes(graph: Graph, positions: ReadonlyMap<string, Point>): Graph {
  return {
    ...graph,
    nodes: graph.nodes.map((node) => {
      const position = positions.get(node.id);
      return position === undefined ? node : { ...node, position };
    }),
  };
}

export function addWire(graph: Graph, from: End, to: End): Graph {
  return { ...graph, wires: [...graph.wires, newWire(from, to)] };
}

export function removeWires(graph: Graph, ids: ReadonlySet<string>): Graph {
  return { ...graph, wires: graph.wires.filter(({ id }) => !ids.has(id)) };
}

/** Removes nodes with their wires, and with the fields and outputs of interfaces that are bound to them. */
export function removeNodes(graph: Graph, ids: ReadonlySet<string>): Graph {
  return {
    ...graph,
    nodes: graph.nodes.filter(({ id }) => !ids.has(id)),
    wires: graph.wires.filter(({ from, to }) => !ids.has(from.node) && !ids.has(to.node)),
    interfaces: graph.interfaces.map((entry) => withoutNodes(entry, ids)),
  };
}

function withoutNodes(entry: JsonObject, ids: ReadonlySet<string>): JsonObject {
  const isKept = (member: JsonValue | undefined): boolean =>
    !isJsonObject(member) || typeof member["node"] !== "string" || !ids.has(member["node"]);
  return {
    ...entry,
    fields: listAt(entry, "fields").filter(
      (field) => !isJsonObject(field) || isKept(field["bind"]),
    ),
    outputs: listAt(entry, "outputs").filter(isKept),
  };
}

/** The node's label, else the name of its type, else its id. */
export function titleOf(node: GraphNode, typeName: string | undefined): string {
  return node.label?.trim() || typeName || node.id;
}
