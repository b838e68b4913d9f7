/** The ports of a node, from the catalog entry of its type and its parameters (docs/contract/catalog.md#dynamic-ports). */
import { canFeed } from "../../../contracts/workflows/can-feed.ts";
import type { CatalogPort, NodeTypeEntry } from "../../../contracts/workflows/node-type-entry.ts";
import type { PortType } from "../../../contracts/workflows/port-type.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import type { End, Graph, GraphNode, JsonObject } from "./graph.ts";
import { expressionVariables } from "./variables.ts";

/** An entry of the catalog's list, with the members of its detail view once they are loaded. */
export interface CatalogEntry extends NodeTypeEntry {
  readonly dynamic_ports?: readonly Record<string, unknown>[];
  readonly capabilities?: readonly string[];
  readonly roles?: readonly string[];
}

export interface Port {
  readonly name: string;
  /** The type of one value: an array port has no `[]` here, but `isMulti`. */
  readonly type: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly isMulti: boolean;
  readonly maxCount?: number;
  readonly accepts: readonly string[];
  /** The output has the type of what feeds this input. */
  readonly typeOf?: string;
}

export interface Ports {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

export const NO_PORTS: Ports = { inputs: [], outputs: [] };

/** A field of a template, which is an input of the nodes that fill the template. */
export interface FieldPort {
  readonly name: string;
  readonly type: string;
  readonly label: string;
}

export interface PortContext {
  /** Inputs of the node that have a wire. */
  readonly connected?: ReadonlySet<string>;
  /** Fields of the template that the node refers to. */
  readonly fields?: readonly FieldPort[];
}

type Descriptor = Readonly<Record<string, unknown>>;

/** Returns the static ports of the type, changed as its descriptors and the parameters say. */
export function portsOf(
  entry: CatalogEntry,
  parameters: JsonObject,
  context: PortContext = {},
): Ports {
  let ports: Ports = {
    inputs: [...entry.inputs.map(portFrom), ...(context.fields ?? []).map(fieldPort)],
    outputs: entry.outputs.map(portFrom),
  };
  for (const descriptor of entry.dynamic_ports ?? []) {
    const side = descriptor["direction"] === "input" ? "inputs" : "outputs";
    const list = withDescriptor(ports[side], descriptor, entry, parameters, context);
    ports = { ...ports, [side]: list };
  }
  return ports;
}

function portFrom(port: CatalogPort): Port {
  return {
    name: port.name,
    type: port.type.endsWith("[]") ? port.type.slice(0, -2) : port.type,
    label: port.label,
    isRequired: port.required,
    isMulti: port.multi,
    accepts: port.accepts ?? [],
    ...(port.max_count !== undefined && { maxCount: port.max_count }),
    ...(port.type_of !== undefined && { typeOf: port.type_of }),
  };
}

function fieldPort({ name, type, label }: FieldPort): Port {
  return { name, type, label, isRequired: false, isMulti: false, accepts: [] };
}

function madePort(name: string, type: unknown, isRequired = true): Port {
  const known = typeof type === "string" ? type : "any";
  return { name, type: known, label: name, isRequired, isMulti: false, accepts: [] };
}

/** A descriptor of a derivation that this editor does not know leaves the ports as they are. */
function withDescriptor(
  ports: readonly Port[],
  descriptor: Descriptor,
  entry: CatalogEntry,
  parameters: JsonObject,
  context: PortContext,
): readonly Port[] {
  const value = parameterValue(entry, parameters, textAt(descriptor, "parameter"));
  switch (descriptor["derivation"]) {
    case "named":
      return addPorts(ports, namedPorts(descriptor, value));
    case "positional":
      return positionalPorts(ports, descriptor, value, context.connected ?? new Set());
    case "expression_variables":
      return addPorts(ports, variablePorts(descriptor, value));
    case "typed":
      return ports.map((port) =>
        port.name === descriptor["port"] && typeof value === "string"
          ? { ...port, type: value }
          : port,
      );
    case "when_set":
      return value === undefined || value === null
        ? ports
        : addPorts(ports, [madePort(textAt(descriptor, "port_name"), descriptor["port_type"])]);
    default:
      return ports;
  }
}

function textAt(descriptor: Descriptor, key: string): string {
  const value = descriptor[key];
  return typeof value === "string" ? value : "";
}

/** Ports of the same name are one port: the first. */
function addPorts(ports: readonly Port[], more: readonly Port[]): readonly Port[] {
  const names = new Set(ports.map(({ name }) => name));
  return [
    ...ports,
    ...more.filter(({ name }) => {
      const isNew = !names.has(name);
      names.add(name);
      return isNew;
    }),
  ];
}

/** The value of a parameter, or its default in the catalog. */
export function parameterValue(
  entry: CatalogEntry,
  parameters: JsonObject,
  name: string,
): JsonValue | undefined {
  const given = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (given !== undefined) {
    return given;
  }
  const schema = entry.parameters.find((parameter) => parameter.name === name)?.value_schema;
  // The catalog was parsed from JSON.
  return schema?.["default"] as JsonValue | undefined;
}

/** Most ports that a list makes, as in the limits of columns. */
const NAMED_MAX = 200;

function namedPorts(descriptor: Descriptor, value: JsonValue | undefined): Port[] {
  const path = textAt(descriptor, "items_path");
  const items = path === "" ? value : isJsonObject(value) ? value[path] : undefined;
  const [nameField, typeField, selectedField] = ["name_field", "type_field", "selected_field"].map(
    (key) => (typeof descriptor[key] === "string" ? descriptor[key] : undefined),
  );
  const reserved = new Set(
    Array.isArray(descriptor["reserved_names"]) ? (descriptor["reserved_names"] as unknown[]) : [],
  );
  if (!Array.isArray(items) || nameField === undefined) {
    return [];
  }
  return (items as readonly JsonValue[]).slice(0, NAMED_MAX).flatMap((item) => {
    const name = isJsonObject(item) ? item[nameField] : undefined;
    if (!isJsonObject(item) || typeof name !== "string" || name === "" || reserved.has(name)) {
      return [];
    }
    if (selectedField !== undefined && item[selectedField] === false) {
      return [];
    }
    const type = typeField === undefined ? descriptor["port_type"] : item[typeField];
    return [madePort(name, type)];
  });
}

/** Most ports that a count makes. */
const POSITIONAL_MAX = 100;

function positionalPorts(
  ports: readonly Port[],
  descriptor: Descriptor,
  value: JsonValue | undefined,
  connected: ReadonlySet<string>,
): readonly Port[] {
  const type = descriptor["port_type"];
  const [least, most, base] = ["min_count", "max_count", "index_base"].map((key) => {
    const bound = Number(descriptor[key] ?? 0);
    return Number.isInteger(bound) && bound >= 0 ? Math.min(bound, POSITIONAL_MAX) : 0;
  }) as [number, number, number];
  const nameAt = (index: number): string =>
    textAt(descriptor, "name_pattern").replace("{index}", String(base + index));
  const made = (count: number, isRequired = true): Port[] =>
    Array.from({ length: count }, (_, index) => madePort(nameAt(index), type, isRequired));
  switch (descriptor["mode"]) {
    case "count": {
      const count = Number(value);
      // Below the least count the static port of this type stands alone; from there on it is replaced.
      return Number.isInteger(count) && count >= least && count <= most
        ? addPorts(
            ports.filter((port) => port.type !== type),
            made(count),
          )
        : ports;
    }
    case "array_length":
      return addPorts(ports, made(Array.isArray(value) ? Math.min(value.length, most) : 0));
    case "optional": {
      // Those with a wire and the next one: not all that could be there.
      const used = Array.from({ length: most }, (_, index) => index).filter((index) =>
        connected.has(nameAt(index)),
      );
      return addPorts(ports, made(Math.min((used.at(-1) ?? -1) + 2, most), false));
    }
    default:
      return ports;
  }
}

function variablePorts(descriptor: Descriptor, value: JsonValue | undefined): Port[] {
  const max = Number(descriptor["max_count"] ?? 0);
  return typeof value === "string"
    ? expressionVariables(value, max).map((name) => madePort(name, descriptor["port_type"]))
    : [];
}

/** The catalog of a workspace by type, and what the editor has loaded about templates. */
export interface Catalog {
  readonly entries: ReadonlyMap<string, CatalogEntry>;
  /** Fields by the id of a template. */
  readonly templateFields?: ReadonlyMap<string, readonly FieldPort[]>;
}

/** Parameter that names the template of a node. */
export const TEMPLATE_PARAMETER = "template_id";

interface KnownPorts {
  readonly entry: CatalogEntry;
  readonly fields: readonly FieldPort[] | undefined;
  readonly ports: Ports;
}

/** By the parameters of a node, which are replaced with every change: a graph is asked for its ports again and again. */
const knownPorts = new WeakMap<JsonObject, KnownPorts>();

/** The ports of a node of a graph; a node of an unknown type has the ports that its wires name. */
export function nodePorts(catalog: Catalog, graph: Graph, node: GraphNode): Ports {
  const entry = catalog.entries.get(node.type);
  if (entry === undefined) {
    return portsOfWires(graph, node.id);
  }
  const template = node.parameters[TEMPLATE_PARAMETER];
  const fields = typeof template === "string" ? catalog.templateFields?.get(template) : undefined;
  const known = knownPorts.get(node.parameters);
  if (known?.entry === entry && known.fields === fields) {
    return known.ports;
  }
  const ofFields = fields === undefined ? {} : { fields };
  if (entry.dynamic_ports?.some(({ mode }) => mode === "optional") === true) {
    const wires = graph.wires.filter(({ to }) => to.node === node.id);
    const connected = new Set(wires.map(({ to }) => to.port));
    return portsOf(entry, node.parameters, { connected, ...ofFields });
  }
  const ports = portsOf(entry, node.parameters, ofFields);
  knownPorts.set(node.parameters, { entry, fields, ports });
  return ports;
}

function portsOfWires(graph: Graph, id: string): Ports {
  const names = (ends: readonly End[]): Port[] =>
    [...new Set(ends.filter(({ node }) => node === id).map(({ port }) => port))].map((name) =>
      madePort(name, "any", false),
    );
  return {
    inputs: names(graph.wires.map(({ to }) => to)),
    outputs: names(graph.wires.map(({ from }) => from)),
  };
}

/** All ports of a graph by node, each computed once. */
export class GraphPorts {
  readonly #catalog: Catalog;
  readonly #graph: Graph;
  readonly #ports = new Map<string, Ports>();
  readonly #types = new Map<string, string>();
  readonly #nodes: ReadonlyMap<string, GraphNode>;
  readonly #incoming = new Map<string, End[]>();
  readonly #outgoing = new Map<string, string[]>();

  constructor(catalog: Catalog, graph: Graph) {
    this.#catalog = catalog;
    this.#graph = graph;
    this.#nodes = new Map(graph.nodes.map((node) => [node.id, node]));
    for (const { from, to } of graph.wires) {
      const key = keyOf(to);
      this.#incoming.set(key, [...(this.#incoming.get(key) ?? []), from]);
      this.#outgoing.set(from.node, [...(this.#outgoing.get(from.node) ?? []), to.node]);
    }
  }

  of(id: string): Ports {
    const known = this.#ports.get(id);
    if (known !== undefined) {
      return known;
    }
    const node = this.#nodes.get(id);
    const ports = node === undefined ? NO_PORTS : nodePorts(this.#catalog, this.#graph, node);
    this.#ports.set(id, ports);
    return ports;
  }

  node(id: string): GraphNode | undefined {
    return this.#nodes.get(id);
  }

  input({ node, port }: End): Port | undefined {
    return this.of(node).inputs.find(({ name }) => name === port);
  }

  output({ node, port }: End): Port | undefined {
    return this.of(node).outputs.find(({ name }) => name === port);
  }

  sources(to: End): readonly End[] {
    return this.#incoming.get(keyOf(to)) ?? [];
  }

  /** The type that an output has: that of its source if it passes one on; `any` if there are several types. */
  typeOf(from: End): string {
    const port = this.output(from);
    if (port?.typeOf === undefined) {
      return port?.type ?? "any";
    }
    const key = keyOf(from);
    const known = this.#types.get(key);
    if (known !== undefined) {
      return known;
    }
    // What a cycle, which a saved definition may have, finds here.
    this.#types.set(key, "any");
    const types = new Set(
      this.sources({ node: from.node, port: port.typeOf }).map((source) => this.typeOf(source)),
    );
    const [only] = types;
    const type = types.size === 1 && only !== undefined ? only : "any";
    this.#types.set(key, type);
    return type;
  }

  /** Whether a path of wires leads from one node to the other; a node leads to itself. */
  leadsTo(from: string, to: string): boolean {
    const seen = new Set<string>();
    const open = [from];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (id === to) {
        return true;
      }
      if (!seen.has(id)) {
        seen.add(id);
        open.push(...(this.#outgoing.get(id) ?? []));
      }
    }
    return false;
  }
}

function keyOf({ node, port }: End): string {
  return JSON.stringify([node, port]);
}

/** Whether a value of a type may flow into a port. Types are the catalog's: an unknown type feeds only itself and `any`. */
export function feeds(type: string, port: Port): boolean {
  // `canFeed` compares names; a type that this build does not list is compared like the others.
  return canFeed(type as PortType, {
    type: port.type as PortType,
    accepts: port.accepts as readonly PortType[],
  });
}
