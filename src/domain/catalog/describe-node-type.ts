import type {
  CatalogPort,
  NodeTypeDetail,
  NodeTypeEntry,
} from "../../contracts/workflows/node-type-entry.ts";
import { opensAxis } from "../../nodes/define-node.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import { categoryOf } from "../../lib/node-category.ts";
import type { InputPort, OutputPort } from "../../nodes/define-ports.ts";
import { DEFAULT_TIME_LIMIT_MS } from "../../engine/plan/plan.ts";
import { NODE_TYPES } from "../../nodes/registry.ts";
import { cacheableOf } from "../../engine/reuse/cache-mode.ts";
import { describeParameters } from "./describe-parameters.ts";

const entries = new Map<NodeType, NodeTypeEntry>();

/**
 * A node type in the catalog's list (docs/contract/catalog.md#node-types), derived from the node's
 * own file.
 */
export function describeNodeType(node: NodeType): NodeTypeEntry {
  const known = entries.get(node);
  if (known !== undefined) {
    return known;
  }
  const parameters = [...describeParameters(node)];
  const entry: NodeTypeEntry = {
    type: node.type,
    version: node.version,
    name: node.name,
    description: node.description,
    when_to_use: node.whenToUse,
    category: categoryOf(node.type),
    sub_category: node.subCategory ?? null,
    status: node.status,
    supports_effects: parameters.some(({ type }) => type === "effect"),
    enumerable: opensAxis(node),
    inputs: node.inputs.map(describeInput),
    outputs: node.outputs.map(describeOutput),
    parameters,
    cost_milli_credits: fixedCost(node),
    cost_unit: node.cost?.unit ?? null,
    time_limit_ms: timeLimitOf(node),
    needs: [...(node.needs ?? [])],
    cacheable: cacheableOf(node.type),
    icon: node.icon,
    color: node.color,
  };
  entries.set(node, entry);
  return entry;
}

/** The entries of all node types, in the order of the registry. The assets have them (`built-node-types.ts`). */
export function describeCatalog(): NodeTypeDetail[] {
  return NODE_TYPES.map(detailNodeType);
}

/** The same with the fields of the detail view: roles, capabilities and dynamic ports. */
export function detailNodeType(node: NodeType): NodeTypeDetail {
  const descriptors = node.dynamicPorts?.descriptors ?? [];
  return {
    ...describeNodeType(node),
    capabilities: [...(node.capabilities ?? [])],
    roles: rolesOf(node),
    has_dynamic_ports: descriptors.length > 0 || node.dynamicPorts?.hasStoredInputs === true,
    dynamic_ports: descriptors.map((descriptor) => ({ ...descriptor })),
  };
}

function fixedCost({ cost }: NodeType): number | null {
  const milliCredits = cost?.milliCredits ?? 0;
  return typeof milliCredits === "number" ? milliCredits : null;
}

/** For nodes that may run in the runner; an inline node is limited by its declared work. */
function timeLimitOf(node: NodeType): number | null {
  const isRun = node.role === "transform" || node.role === "output";
  const isTaskAggregator = node.role === "aggregator" && node.placement === "task";
  if (!isRun && !isTaskAggregator) {
    return null;
  }
  return node.placement === "inline" ? null : (node.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS);
}

function rolesOf(node: NodeType): string[] {
  const directions = new Set(
    (node.dynamicPorts?.descriptors ?? []).map(({ direction }) => direction),
  );
  return [
    ...(node.role === "transform" ? [] : [node.role]),
    ...(opensAxis(node) && node.role !== "enumerator" ? ["enumerator"] : []),
    ...(directions.has("input") || node.dynamicPorts?.hasStoredInputs === true
      ? ["dynamic_inputs"]
      : []),
    ...(directions.has("output") ? ["dynamic_outputs"] : []),
  ];
}

function describeInput(port: InputPort): CatalogPort {
  const { list } = port;
  return {
    name: port.name,
    type: list === undefined ? port.type : `${port.type}[]`,
    required: (port.required ?? true) === true,
    label: port.label ?? port.name,
    multi: list !== undefined,
    enumerable: false,
    ...(list?.minCount !== undefined && { min_count: list.minCount }),
    ...(list?.maxCount !== undefined && { max_count: list.maxCount }),
    ...(list?.compact === true && { compact: true }),
    ...(port.accepts !== undefined && { accepts: [...port.accepts] }),
  };
}

function describeOutput(port: OutputPort): CatalogPort {
  return {
    name: port.name,
    type: port.type,
    required: port.optional !== true,
    label: port.label ?? port.name,
    multi: false,
    enumerable: port.enumerable === true,
    ...(port.typeOf !== undefined && { type_of: port.typeOf }),
    ...(port.schemaRef !== undefined && { schema_ref: port.schemaRef }),
  };
}
