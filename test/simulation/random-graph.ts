import {
  Definition,
  type Connection,
  type NodeDefinition,
} from "../../src/contracts/definition.ts";
import type { PortType } from "../../src/contracts/port-type.ts";
import type { JsonValue } from "../../src/lib/exact-json.ts";
import type { InputPort } from "../../src/nodes/define-node.ts";
import { proposeNode } from "./random-nodes.ts";
import { LIST_MAX } from "./random-values.ts";
import { readReferenceNodes, type FindNodeType } from "./reference-nodes.ts";
import { computeReferenceScopes } from "./reference-scopes.ts";
import { SeededRandom } from "./seeded-random.ts";

export interface RandomGraph {
  readonly definition: Definition;
  /** Submitted values by input node id; some optional ones are left out. */
  readonly inputs: ReadonlyMap<string, JsonValue>;
}

const AXES_MAX = 3;
/** Of what a node runs over; far below any iteration limit. */
const ELEMENTS_MAX = 128;
const NODES_MAX = 25;

interface Source {
  readonly node: string;
  readonly port: string;
  readonly type: PortType;
}

/** A small valid definition and inputs for it, decided by the seed alone. */
export function randomGraph(seed: number, findNodeType: FindNodeType): RandomGraph {
  return new GraphMaker(new SeededRandom(seed), findNodeType).make();
}

class GraphMaker {
  readonly #random: SeededRandom;
  readonly #findNodeType: FindNodeType;
  readonly #nodes: NodeDefinition[] = [];
  readonly #connections: Connection[] = [];
  readonly #inputs = new Map<string, JsonValue>();
  readonly #sources: Source[] = [];
  readonly #used = new Set<Source>();
  /** The longest list that a node's values may hold, and so the length of an axis opened on it. */
  readonly #lengths = new Map<string, number>();
  #given: ReadonlyMap<string, readonly string[]> = new Map();
  #made = 0;

  constructor(random: SeededRandom, findNodeType: FindNodeType) {
    this.#random = random;
    this.#findNodeType = findNodeType;
  }

  make(): RandomGraph {
    const inner = this.#random.int(1, NODES_MAX - 4);
    for (let tries = 0; tries < inner * 3 && this.#nodes.length < inner; tries += 1) {
      const proposal = proposeNode(this.#random, this.#nodes.length < 2);
      this.#tryNode(proposal.type, proposal.parameters, proposal.input);
    }
    if (this.#sources.length === 0) {
      this.#tryNode("input/text", { required: false }, undefined);
    }
    this.#addOutputs();
    return {
      definition: Definition.parse({ nodes: this.#nodes, connections: this.#connections }),
      inputs: this.#inputs,
    };
  }

  /** Outputs for one to four values, first for those that nothing reads yet. */
  #addOutputs(): void {
    const wanted = this.#random.int(1, 4);
    let added = 0;
    for (let tries = 0; (tries < 12 && added < wanted) || added === 0; tries += 1) {
      const unread = this.#sources.filter((source) => !this.#used.has(source));
      const source = this.#random.pick(unread.length > 0 ? unread : this.#sources);
      const types: readonly string[] = ["output/text", "output/json"];
      added += this.#tryNode(this.#random.pick(types), {}, undefined, source) ? 1 : 0;
    }
  }

  /** Adds a node with random connections; false when they cannot be had. */
  #tryNode(
    type: string,
    parameters: Record<string, unknown>,
    input: JsonValue | undefined,
    only?: Source,
  ): boolean {
    const spec = this.#findNodeType(type);
    if (spec === undefined) {
      throw new Error(`the generator needs node type ${type}`);
    }
    const params: unknown = spec.params.parse(parameters);
    const dynamic = spec.dynamicPorts?.resolve(params) ?? {};
    const ports = [...spec.inputs, ...(dynamic.inputs ?? [])];
    const links = this.#linkPorts(ports, spec.role === "merge", spec.role === "enumerator", only);
    const connected = links?.map(({ port, source }) => ({ port, type: source.type })) ?? [];
    if (links === undefined || (spec.check?.(params, connected) ?? []).length > 0) {
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
      // The order within one list port is the author's; all else may stand anywhere.
      const isListed = links.filter((link) => link.port === port).length > 1;
      const at = isListed
        ? this.#connections.length
        : this.#random.int(0, this.#connections.length);
      this.#connections.splice(at, 0, connection);
    }
    if (input !== undefined) {
      this.#inputs.set(id, input);
    }
    this.#noteOutputs(id, links);
    return true;
  }

  #noteOutputs(id: string, links: readonly { port: string; source: Source }[]): void {
    const definition = Definition.parse({ nodes: this.#nodes, connections: this.#connections });
    const nodes = readReferenceNodes(definition, this.#findNodeType);
    const scopes = computeReferenceScopes(nodes);
    this.#given = scopes.given;
    const { spec, outputs } = nodes.get(id)!;
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
      });
    }
  }

  /** What feeds each port, or undefined when a required one cannot be fed within the bounds. */
  #linkPorts(
    ports: readonly InputPort[],
    isOneScope: boolean,
    isEnumerator: boolean,
    only: Source | undefined,
  ): { port: string; source: Source }[] | undefined {
    const links: { port: string; source: Source }[] = [];
    for (const port of ports) {
      if (port.required === false && this.#random.chance(0.5)) {
        continue;
      }
      const wanted = port.list === undefined ? 1 : this.#random.int(1, 3);
      let got = 0;
      for (let tries = 0; tries < 8 && got < wanted; tries += 1) {
        const source = only ?? this.#pickSource();
        const isRepeated = links.some((link) => link.source === source && link.port === port.name);
        const all = [
          ...links.map((link) => link.source),
          ...(source === undefined ? [] : [source]),
        ];
        if (
          source === undefined ||
          isRepeated ||
          !canFeed(source.type, port) ||
          !this.#isSmall(all, isEnumerator)
        ) {
          continue;
        }
        if (
          isOneScope &&
          String(this.#given.get(source.node)) !== String(this.#given.get(all[0]!.node))
        ) {
          continue;
        }
        links.push({ port: port.name, source });
        got += 1;
      }
      if (got < (port.required === false ? 0 : (port.list?.minCount ?? 1))) {
        return undefined;
      }
    }
    return links;
  }

  /** Later values somewhat more often, so that graphs grow deep. */
  #pickSource(): Source | undefined {
    if (this.#sources.length === 0) {
      return undefined;
    }
    const last = this.#sources.length - 1;
    return this.#sources[
      Math.max(this.#random.int(0, last), this.#random.chance(0.6) ? this.#random.int(0, last) : 0)
    ];
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
