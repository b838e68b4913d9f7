import { NOTHING_STORED } from "../../src/contracts/references.ts";
import type { Definition } from "../../src/contracts/workflows/definition.ts";
import type { NodeType } from "../../src/nodes/define-roles.ts";
import type { InputPort, OutputPort } from "../../src/nodes/define-ports.ts";

export type FindNodeType = (type: string) => NodeType | undefined;

export interface PortAddress {
  readonly node: string;
  readonly port: string;
}

/** One node of a definition with its parameters read and its ports resolved. */
export interface ReferenceNode {
  readonly id: string;
  readonly spec: NodeType;
  readonly params: unknown;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  /** What feeds each input port, in connection order. */
  readonly feeds: ReadonlyMap<string, readonly PortAddress[]>;
  readonly opensAxis: boolean;
}

/** By the parameters of a node that is read again with each node that is added to a draft. */
const read = new WeakMap<object, { readonly spec: NodeType; readonly params: unknown }>();

function paramsOf(spec: NodeType, parameters: object): unknown {
  const known = read.get(parameters);
  if (known?.spec === spec) {
    return known.params;
  }
  const params: unknown = spec.params.parse(parameters);
  read.set(parameters, { spec, params });
  return params;
}

/**
 * The nodes of a definition by id, in `nodes[]` order. Throws Error for invalid definitions (unknown types, ports,
 * parameters): the reference expects valid ones.
 */
export function readReferenceNodes(
  definition: Pick<Definition, "nodes" | "connections">,
  findNodeType: FindNodeType,
): ReadonlyMap<string, ReferenceNode> {
  const nodes = new Map<string, ReferenceNode>();
  for (const { id, type, parameters } of definition.nodes) {
    const spec = findNodeType(type);
    if (spec === undefined || nodes.has(id)) {
      throw new Error(
        `node "${id}": ${spec === undefined ? `unknown type ${type}` : "id used twice"}`,
      );
    }
    const params = paramsOf(spec, parameters);
    const dynamic = spec.dynamicPorts?.resolve(params, NOTHING_STORED) ?? {};
    const kept = (port: { readonly name: string }): boolean =>
      dynamic.without?.includes(port.name) !== true;
    const feeds = feedsOf(definition, id);
    nodes.set(id, {
      id,
      spec,
      params,
      // One of several ports that is required only if it is the connected one.
      inputs: [...spec.inputs.filter(kept), ...(dynamic.inputs ?? [])].map((port) =>
        port.required === "if_connected" ? { ...port, required: feeds.has(port.name) } : port,
      ),
      outputs: [...spec.outputs.filter(kept), ...(dynamic.outputs ?? [])],
      feeds,
      opensAxis:
        spec.role === "enumerator" ||
        (spec.role === "input" && (spec.enumerate !== undefined || spec.stream !== undefined)),
    });
  }
  for (const node of nodes.values()) {
    for (const [port, sources] of node.feeds) {
      const input = node.inputs.find((each) => each.name === port);
      if (input === undefined || (input.list === undefined && sources.length > 1)) {
        throw new Error(`node "${node.id}": input port "${port}" cannot take these connections`);
      }
      for (const source of sources) {
        if (nodes.get(source.node)?.outputs.some((each) => each.name === source.port) !== true) {
          throw new Error(
            `node "${node.id}": "${source.node}" has no output port "${source.port}"`,
          );
        }
      }
    }
  }
  return nodes;
}

function feedsOf(
  definition: Pick<Definition, "connections">,
  id: string,
): ReadonlyMap<string, readonly PortAddress[]> {
  const feeds = new Map<string, PortAddress[]>();
  for (const { from, to } of definition.connections) {
    if (to.node === id) {
      feeds.set(to.port, [...(feeds.get(to.port) ?? []), from]);
    }
  }
  return feeds;
}
