/** Edits of `interfaces[]`: functions that return a changed list. Entries stay as saved where they are not edited. */
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import type { Graph, GraphNode, JsonObject } from "./graph.ts";
import { titleOf } from "./graph.ts";
import { type Catalog, type CatalogEntry } from "./ports.ts";

/** What a field may be bound to: an input node, or an exposable parameter of any node. */
export interface Target {
  readonly node: string;
  readonly parameter: string | null;
  readonly label: string;
  /** Types that an interface field may have for it; the first is the one of a new field. */
  readonly type: string;
  readonly category?: string;
  readonly options?: readonly string[];
}

/** Category of the node types that an interface's fields are bound to without a parameter. */
const INPUT = "input";
const OUTPUT = "output";

/** All targets of a graph, in the order of its nodes: inputs, and parameters that the catalog calls exposable. */
export function fieldTargets(catalog: Catalog, graph: Graph): readonly Target[] {
  return graph.nodes.flatMap((node) => {
    const entry = catalog.entries.get(node.type);
    if (entry === undefined) {
      return [];
    }
    const title = titleOf(node, entry.name);
    const whole: Target[] =
      entry.category === INPUT
        ? [{ node: node.id, parameter: null, label: title, type: inputType(entry) }]
        : [];
    const parameters = entry.parameters
      .filter(({ exposable }) => exposable)
      .map((parameter): Target => {
        const options = parameter.value_schema["enum"];
        const isTextEnum =
          Array.isArray(options) && options.every((each) => typeof each === "string");
        return {
          node: node.id,
          parameter: parameter.name,
          label: `${title}: ${parameter.label}`,
          type: fieldType(parameter.type, isTextEnum),
          ...(parameter.category !== undefined && { category: parameter.category }),
          ...(isTextEnum && { options: options as readonly string[] }),
        };
      });
    return [...whole, ...parameters];
  });
}

/** The type of a field for an input node: that of its first output. */
function inputType(entry: CatalogEntry): string {
  const type = entry.outputs[0]?.type ?? "text";
  return type === "any" || type === "dataset" || type === "url" ? "json" : type;
}

function fieldType(type: string, isTextEnum: boolean): string {
  switch (type) {
    case "enum":
      return isTextEnum ? "enum" : "number";
    case "integer":
      return "number";
    default:
      return type;
  }
}

/** Nodes that an output of an interface may name. */
export function outputTargets(catalog: Catalog, graph: Graph): readonly GraphNode[] {
  return graph.nodes.filter(({ type }) => catalog.entries.get(type)?.category === OUTPUT);
}

export function listOf(entry: JsonObject, key: "fields" | "outputs"): readonly JsonObject[] {
  const list = entry[key];
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isJsonObject) : [];
}

/** Adds an interface with all inputs and outputs of the graph. The service gives it an id when it is saved. */
export function addInterface(catalog: Catalog, graph: Graph, name: string): Graph {
  const inputs = fieldTargets(catalog, graph).filter(({ parameter }) => parameter === null);
  let entry: JsonObject = {
    name,
    is_default: graph.interfaces.length === 0,
    fields: [],
    outputs: [],
  };
  for (const target of inputs) {
    entry = addField(entry, target);
  }
  for (const node of outputTargets(catalog, graph)) {
    entry = addOutput(entry, node, catalog);
  }
  return { ...graph, interfaces: [...graph.interfaces, entry] };
}

export function changeInterface(
  graph: Graph,
  index: number,
  change: (entry: JsonObject) => JsonObject,
): Graph {
  return {
    ...graph,
    interfaces: graph.interfaces.map((entry, at) => (at === index ? change(entry) : entry)),
  };
}

export function removeInterface(graph: Graph, index: number): Graph {
  return { ...graph, interfaces: graph.interfaces.filter((_, at) => at !== index) };
}

/** Makes one interface the recommended one, and the others not; null recommends none. */
export function recommend(graph: Graph, index: number | null): Graph {
  return {
    ...graph,
    interfaces: graph.interfaces.map((entry, at) =>
      (entry["is_default"] === true) === (at === index)
        ? entry
        : { ...entry, is_default: at === index },
    ),
  };
}

export function addField(entry: JsonObject, target: Target): JsonObject {
  const fields = listOf(entry, "fields");
  const field: JsonObject = {
    key: freeKey(fields, target.parameter ?? target.label),
    label: target.label,
    type: target.type,
    required: target.parameter === null,
    bind: { node: target.node, ...(target.parameter !== null && { parameter: target.parameter }) },
    ...(target.category !== undefined && { category: target.category }),
    ...(target.options !== undefined && { constraints: { allowed_values: target.options } }),
  };
  return { ...entry, fields: [...fields, field] };
}

export function addOutput(entry: JsonObject, node: GraphNode, catalog: Catalog): JsonObject {
  const outputs = listOf(entry, "outputs");
  const label = titleOf(node, catalog.entries.get(node.type)?.name);
  return {
    ...entry,
    outputs: [...outputs, { key: freeKey(outputs, label), label, node: node.id }],
  };
}

/** A key as the service makes them from labels (docs/contract/workflows.md#ports), free among these entries. */
function freeKey(entries: readonly JsonObject[], label: string): string {
  const base =
    label
      .trim()
      .replaceAll(/\s+/g, "_")
      .replaceAll(/[^\p{L}\p{N}_-]/gu, "")
      .toLowerCase() || "field";
  const taken = new Set(entries.map(({ key }) => key));
  for (let n = 1; ; n += 1) {
    const key = n === 1 ? base : `${base}_${String(n)}`;
    if (!taken.has(key)) {
      return key;
    }
  }
}

/** Moves an entry of a list by one place; the ends stay where they are. */
export function moveEntry(
  entry: JsonObject,
  key: "fields" | "outputs",
  index: number,
  by: -1 | 1,
): JsonObject {
  const list = [...listOf(entry, key)];
  const [moved, other] = [list[index], list[index + by]];
  if (moved === undefined || other === undefined) {
    return entry;
  }
  list[index] = other;
  list[index + by] = moved;
  return { ...entry, [key]: list };
}

export function removeEntry(
  entry: JsonObject,
  key: "fields" | "outputs",
  index: number,
): JsonObject {
  return { ...entry, [key]: listOf(entry, key).filter((_, at) => at !== index) };
}

/** Sets a member of an entry; undefined removes it. */
export function changeEntry(
  entry: JsonObject,
  key: "fields" | "outputs",
  index: number,
  member: string,
  value: JsonValue | undefined,
): JsonObject {
  return {
    ...entry,
    [key]: listOf(entry, key).map((each, at) => {
      if (at !== index) {
        return each;
      }
      const { [member]: _before, ...rest } = each;
      return value === undefined ? rest : { ...rest, [member]: value };
    }),
  };
}
