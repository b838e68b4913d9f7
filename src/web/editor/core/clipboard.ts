/** Copied nodes as text of the clipboard, and their paste. */
import {
  isJsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
} from "../../../lib/json/exact-json.ts";
import { isJsonTextDeeperThan } from "../../../lib/json/json-text-depth.ts";
import {
  freeNodeId,
  type Graph,
  type GraphNode,
  newWire,
  type Point,
  readNode,
  readWire,
  writeNode,
  writeWire,
} from "./graph.ts";

/** Value of the member `svc` of copied nodes. */
export const CLIPBOARD_FORMAT = "graph/v1";
/** Longest text that is parsed, in UTF-16 units. */
export const PASTE_CHARS_MAX = 8 * 1024 * 1024;
/** Most nodes of a paste. More than a definition may have: the service then refuses to save it. */
export const PASTE_NODES_MAX = 2_000;
const PASTE_WIRES_MAX = 10_000;
const PASTE_DEPTH_MAX = 100;

/** The selected nodes and the wires among them, as JSON text. */
export function copyNodes(graph: Graph, ids: ReadonlySet<string>): string {
  return stringifyJson({
    svc: CLIPBOARD_FORMAT,
    nodes: graph.nodes.filter(({ id }) => ids.has(id)).map(writeNode),
    connections: graph.wires
      .filter(({ from, to }) => ids.has(from.node) && ids.has(to.node))
      .map(writeWire),
  });
}

export type Paste =
  | { readonly graph: Graph; readonly pasted: readonly string[] }
  | { readonly problem: "not_nodes" | "too_large" };

/**
 * Adds copied nodes under new ids, with the wires among them. `at` is the place of their upper left corner; without it
 * they lie 40 px beside the originals.
 */
export function pasteNodes(graph: Graph, text: string, at?: Point): Paste {
  if (text.length > PASTE_CHARS_MAX || isJsonTextDeeperThan(text, PASTE_DEPTH_MAX)) {
    return { problem: "too_large" };
  }
  const copied = readCopied(text);
  if (copied === undefined) {
    return { problem: "not_nodes" };
  }
  if (copied.nodes.length > PASTE_NODES_MAX || copied.connections.length > PASTE_WIRES_MAX) {
    return { problem: "too_large" };
  }
  const nodes = copied.nodes.map(readNode).filter((node) => node !== undefined);
  if (nodes.length === 0) {
    return { problem: "not_nodes" };
  }
  // Also the copied ids: a pasted node never has the id of its original, in another editor either.
  const taken = new Set([...graph.nodes, ...nodes].map(({ id }) => id));
  const ids = new Map<string, string>();
  const shift = shiftOf(nodes, at);
  const pasted = nodes.map((node): GraphNode => {
    const id = freeNodeId(taken, node.type);
    taken.add(id);
    if (!ids.has(node.id)) {
      ids.set(node.id, id);
    }
    const { x, y } = node.position ?? { x: 0, y: 0 };
    return { ...node, id, position: { x: x + shift.x, y: y + shift.y } };
  });
  const wires = copied.connections.flatMap((entry) => {
    const wire = readWire(entry);
    const [from, to] = [ids.get(wire?.from.node ?? ""), ids.get(wire?.to.node ?? "")];
    return wire === undefined || from === undefined || to === undefined
      ? []
      : [newWire({ node: from, port: wire.from.port }, { node: to, port: wire.to.port })];
  });
  return {
    graph: { ...graph, nodes: [...graph.nodes, ...pasted], wires: [...graph.wires, ...wires] },
    pasted: pasted.map(({ id }) => id),
  };
}

function readCopied(
  text: string,
):
  | { readonly nodes: readonly JsonValue[]; readonly connections: readonly JsonValue[] }
  | undefined {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value) || value["svc"] !== CLIPBOARD_FORMAT || !Array.isArray(value["nodes"])) {
    return undefined;
  }
  const { nodes, connections } = value;
  return {
    // A readonly array is not narrowed by `Array.isArray`.
    nodes: nodes as readonly JsonValue[],
    connections: Array.isArray(connections) ? (connections as readonly JsonValue[]) : [],
  };
}

const OFFSET: Point = { x: 40, y: 40 };

function shiftOf(nodes: readonly GraphNode[], at: Point | undefined): Point {
  if (at === undefined) {
    return OFFSET;
  }
  let [x, y] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { position } of nodes) {
    x = Math.min(x, position?.x ?? 0);
    y = Math.min(y, position?.y ?? 0);
  }
  return { x: Math.round(at.x - x), y: Math.round(at.y - y) };
}
