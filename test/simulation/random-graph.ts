import { NOTHING_STORED } from "../../src/contracts/references.ts";
import {
  Definition,
  type Connection,
  type NodeDefinition,
} from "../../src/contracts/workflows/definition.ts";
import type { PortType } from "../../src/contracts/workflows/port-type.ts";
import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { InputPort, OutputPort } from "../../src/nodes/define-ports.ts";
import {
  hasLaterNodes,
  proposeNode,
  shapeAtPath,
  type NodeProposal,
  type ProposalOptions,
  type Shape,
} from "./random-nodes.ts";
import { LIST_MAX } from "./random-values.ts";
import { readReferenceNodes, type FindNodeType } from "./reference-nodes.ts";
import { computeReferenceScopes } from "./reference-scopes.ts";
import { SeededRandom } from "./seeded-random.ts";

export interface RandomGraph {
  readonly definition: Definition;
  /** Submitted values by input node id; some optional ones are omitted. */
  readonly inputs: ReadonlyMap<string, JsonValue>;
}

const AXES_MAX = 3;
/** Elements of a scope; far below any iteration limit. */
const ELEMENTS_MAX = 128;
const NODES_MAX = 25;

interface Source {
  readonly node: string;
  readonly port: string;
  readonly type: PortType;
  readonly shape: Shape | undefined;
  /** Made by a node that can fail for single elements. */
  readonly isWorked: boolean;
}

interface Link {
  readonly port: string;
  readonly source: Source;
}

/**
 * Generates a small valid definition and inputs for it, determined by the seed alone. `taskChance` makes more of its
 * nodes tasks than one in ten.
 */
export function randomGraph(seed: number, findNodeType: FindNodeType, taskChance = 0): RandomGraph {
  return new GraphMaker(new SeededRandom(seed), findNodeType, {
    taskChance,
    hasLater: hasLaterNodes(seed),
  }).make();
}

class GraphMaker {
  readonly #random: SeededRandom;
  readonly #findNodeType: FindNodeType;
  readonly #options: Pick<ProposalOptions, "taskChance" | "hasLater">;
  readonly #nodes: NodeDefinition[] = [];
  readonly #connections: Connection[] = [];
  readonly #inputs = new Map<string, JsonValue>();
  readonly #sources: Source[] = [];
  readonly #used = new Set<Source>();
  /** The longest list in a node's values, and so the length of an axis opened on it. */
  readonly #lengths = new Map<string, number>();
  #given: ReadonlyMap<string, readonly string[]> = new Map();
  /** All axes in their total order. */
  #axes: readonly string[] = [];
  #made = 0;

  constructor(
    random: SeededRandom,
    findNodeType: FindNodeType,
    options: Pick<ProposalOptions, "taskChance" | "hasLater">,
  ) {
    this.#random = random;
    this.#findNodeType = findNodeType;
    this.#options = options;
  }

  make(): RandomGraph {
    const inner = this.#random.int(1, NODES_MAX - 4);
    for (let tries = 0; tries < inner * 3 && this.#nodes.length < inner; tries += 1) {
      const proposal = proposeNode(this.#random, {
        isFirst: this.#nodes.length < 2,
        ...this.#options,
      });
      this.#tryNode(proposal);
    }
    if (this.#sources.length === 0) {
      this.#tryNode({ type: "input/text", parameters: { required: false } });
    }
    this.#addOutputs();
    return {
      definition: Definition.parse({ nodes: this.#nodes, connections: this.#connections }),
      inputs: this.#inputs,
    };
  }

  /** Outputs for one to four values, first for unread ones. */
  #addOutputs(): void {
    const wanted = this.#random.int(1, 4);
    let added = 0;
    for (let tries = 0; (tries < 12 && added < wanted) || added === 0; tries += 1) {
      const unread = this.#sources.filter((source) => !this.#used.has(source));
      const source = this.#random.pick(unread.length > 0 ? unread : this.#sources);
      const isText = source.shape === "text" ? this.#random.chance(0.9) : this.#random.chance(0.2);
      const type = isText ? "output/text" : "output/json";
      added += this.#tryNode({ type, parameters: {} }, source) ? 1 : 0;
    }
  }

  /** Adds a node with random connections; false if none are possible. */
  #tryNode(proposal: NodeProposal, only?: Source): boolean {
    const { type, parameters, input } = proposal;
    const spec = this.#findNodeType(type);
    if (spec === undefined) {
      throw new Error(`the generator needs node type ${type}`);
    }
    const params: unknown = spec.params.parse(parameters);
    const dynamic = spec.dynamicPorts?.resolve(params, NOTHING_STORED) ?? {};
    const ports = [...spec.inputs, ...(dynamic.inputs ?? [])];
    const isInnermost = spec.role === "aggregator" && spec.collapse(params) === "innermost";
    const links = this.#linkPorts(ports, proposal, spec.role, only, isInnermost);
    const connected = links?.map(({ port, source }) => ({ port, type: source.type })) ?? [];
    if (links === undefined || (spec.check?.(params, connected, NOTHING_STORED) ?? []).length > 0) {
      return false;
    }
    const id = `${type.slice(type.indexOf("/") + 1)}_${(this.#made += 1)}`;
    this.#nodes.splice(this.#random.int(0, this.#nodes.length), 0, {
      id,
      type,
      label: id,
      parameters,
    });
    for (const { port, source } of links) {
      this.#used.add(source);
      const connection = { from: { node: source.node, port: source.port }, to: { node: id, port } };
      // The order within one list port is the author's; everything else may be in any order.
      const isListed = links.filter((link) => link.port === port).length > 1;
      const at = isListed
        ? this.#connections.length
        : this.#random.int(0, this.#connections.length);
      this.#connections.splice(at, 0, connection);
    }
    if (input !== undefined) {
      this.#inputs.set(id, input);
    }
    this.#noteOutputs(id, links, input);
    return true;
  }

  #noteOutputs(id: string, links: readonly Link[], input: JsonValue | undefined): void {
    // Parsed once it is complete.
    const draft = { nodes: this.#nodes, connections: this.#connections };
    const nodes = readReferenceNodes(draft, this.#findNodeType);
    const scopes = computeReferenceScopes(nodes);
    this.#given = scopes.given;
    this.#axes = scopes.axes;
    const { spec, outputs, params } = nodes.get(id)!;
    const reach = Math.max(LIST_MAX, ...links.map(({ source }) => this.#lengths.get(source.node)!));
    const isFold = spec.role === "aggregator";
    this.#lengths.set(id, isFold ? Math.max(reach, this.#elements(scopes.joined.get(id)!)) : reach);
    for (const output of outputs) {
      const feeding = links
        .filter((link) => link.port === output.typeOf)
        .map((link) => link.source.type);
      const common = feeding.every((type) => type === feeding[0]) ? feeding[0] : "any";
      this.#sources.push({
        node: id,
        port: output.name,
        type: output.typeOf === undefined ? output.type : (common ?? "any"),
        shape: shapeOf(spec.type, params, output, input, links[0]?.source.shape),
        isWorked: spec.role === "transform",
      });
    }
  }

  /** The sources of each port, or undefined if a required one cannot be connected within the bounds. */
  #linkPorts(
    ports: readonly InputPort[],
    proposal: NodeProposal,
    role: NodeType["role"],
    only: Source | undefined,
    isInnermost: boolean,
  ): Link[] | undefined {
    const links: Link[] = [];
    for (const port of ports) {
      const isOptional = port.required === false;
      if (proposal.leavesOpen?.includes(port.name) === true) {
        continue;
      }
      if (isOptional && proposal.leavesOpen === undefined && this.#random.chance(0.4)) {
        continue;
      }
      const wanted = port.list === undefined ? 1 : this.#random.int(1, 3);
      const before = links.length;
      for (let tries = 0; tries < 8 && links.length - before < wanted; tries += 1) {
        const source =
          only ??
          (port.once === true
            ? this.#pickOnce(links, isInnermost)
            : this.#pickSource(proposal.wants?.(port.name), role === "aggregator"));
        if (source !== undefined && this.#canLink(links, port, source, role)) {
          links.push({ port: port.name, source });
        }
      }
      if (port.required !== false && links.length - before < (port.list?.minCount ?? 1)) {
        return undefined;
      }
    }
    return links;
  }

  #canLink(
    links: readonly Link[],
    port: InputPort,
    source: Source,
    role: NodeType["role"],
  ): boolean {
    const scopeOf = (each: Source): string => String(this.#given.get(each.node));
    return (
      canFeed(source.type, port) &&
      !links.some((link) => link.source === source && link.port === port.name) &&
      (role !== "merge" || links.every((link) => scopeOf(link.source) === scopeOf(source))) &&
      this.#isSmall([...links.map((link) => link.source), source], role === "enumerator")
    );
  }

  /**
   * Usually of the wanted form, and iterated if it is to be folded; later values somewhat more often, so that graphs
   * become deep.
   */
  #pickSource(shape: Shape | undefined, isFolded: boolean): Source | undefined {
    const isWorked = isFolded && this.#random.chance(0.7);
    const fitting = this.#sources.filter(
      (source) =>
        (shape === undefined || source.shape === shape) &&
        (!isFolded || this.#given.get(source.node)!.length > 0) &&
        (!isWorked || source.isWorked),
    );
    const isChoosy = fitting.length > 0 && this.#random.chance(0.93);
    const sources = isChoosy ? fitting : this.#sources;
    const last = sources.length - 1;
    const later = this.#random.chance(isFolded ? 0.9 : 0.6) ? this.#random.int(0, last) : 0;
    return sources[Math.max(this.#random.int(0, last), later)];
  }

  /** A source that does not vary over what the aggregator closes, if there is one [E29]. */
  #pickOnce(links: readonly Link[], isInnermost: boolean): Source | undefined {
    const joined = new Set(links.flatMap(({ source }) => this.#given.get(source.node)!));
    const inOrder = this.#axes.filter((axis) => joined.has(axis));
    const kept = isInnermost ? inOrder.slice(0, -1) : [];
    const fitting = this.#sources.filter(({ node }) =>
      this.#given.get(node)!.every((axis) => kept.includes(axis)),
    );
    return fitting.length === 0 ? undefined : this.#random.pick(fitting);
  }

  #isSmall(sources: readonly Source[], isEnumerator: boolean): boolean {
    const axes = [...new Set(sources.flatMap((source) => this.#given.get(source.node)!))];
    const opened = isEnumerator
      ? Math.max(...sources.map((source) => this.#lengths.get(source.node)!))
      : 1;
    return (
      axes.length + (isEnumerator ? 1 : 0) <= AXES_MAX &&
      this.#elements(axes) * opened <= ELEMENTS_MAX
    );
  }

  #elements(axes: readonly string[]): number {
    return axes.reduce((count, axis) => count * this.#lengths.get(axis)!, 1);
  }
}

/** The probable content of an output; a guess is sufficient to guide the generator. */
function shapeOf(
  type: string,
  params: unknown,
  output: OutputPort,
  input: JsonValue | undefined,
  first: Shape | undefined,
): Shape | undefined {
  const { path, jsonConfig } = params as {
    path?: string;
    jsonConfig?: { properties: readonly { path?: string; outputPort: string }[] };
  };
  const column = jsonConfig?.properties.find((each) => each.outputPort === output.name);
  if (column !== undefined) {
    return shapeAtPath(column.path ?? "");
  }
  switch (type) {
    case "input/json":
      return "row";
    case "input/json_value":
      return shapeOfValue(input);
    case "enumerate/json":
      return output.name === "item" ? "row" : "number";
    case "aggregate/json":
      return output.name === "json" ? "list" : "number";
    case "fake/gather":
      return output.name === "out" ? "list" : "text";
    case "utility/json_path":
      return shapeAtPath(path ?? "$");
    default:
  }
  if (output.type === "any") {
    return first;
  }
  return output.type === "boolean" ? "flag" : output.type === "number" ? "number" : "text";
}

function shapeOfValue(value: JsonValue | undefined): Shape {
  if (Array.isArray(value)) {
    return "list";
  }
  return typeof value === "object" && value !== null && "checks" in value ? "check" : "row";
}

/** Whether a value of one type may be connected to a port (nodes (4), first paragraph). */
export function canFeed(type: PortType, port: InputPort): boolean {
  if (
    type === "any" ||
    port.type === "any" ||
    type === port.type ||
    port.accepts?.includes(type) === true
  ) {
    return true;
  }
  switch (type) {
    case "number":
    case "boolean":
      return port.type === "json";
    case "url":
      return port.type === "text";
    case "text":
      return port.type === "url";
    default:
      return false;
  }
}
