/**
 * The part of a plan that is needed after the start of its run, whatever later code does: enough to show the run, to
 * settle it and to report its end. Stored with the run as text; a plan is an outline too.
 */
import type { NodeReference } from "../../contracts/references.ts";
import type { UsageUnit } from "../../contracts/runs/task.ts";
import type { ViewOutput } from "../view/view-input.ts";
import { isAggregator } from "./node-kind.ts";
import type { Axis, Plan, PlanNode, Scope } from "./plan.ts";

export interface OutlineNode extends Pick<
  PlanNode,
  | "index"
  | "position"
  | "id"
  | "label"
  | "scope"
  | "outputScope"
  | "axis"
  | "costMilliCredits"
  | "costUnit"
> {
  /** `utility/calculate`. */
  readonly typeName: string;
  /** The node file's version when the run started. */
  readonly version: string;
  /** Its elements are those of `outputScope`: an aggregator. */
  readonly closesAxes: boolean;
  /** The nodes that it reads, each once. */
  readonly upstream: readonly number[];
  /** The resources that its parameters referred to when the run started; omitted if there were none. */
  readonly references?: readonly OutlineReference[];
}

export type OutlineReference = Pick<NodeReference, "path" | "kind" | "id" | "version">;

export interface Outline {
  /** In the order of the plan, which numbers nodes in state, log and rows. */
  readonly nodes: readonly OutlineNode[];
  readonly axes: readonly Axis[];
  readonly scopes: readonly Scope[];
  readonly outputs: readonly ViewOutput[];
}

/** For a run from before outlines were stored whose definition does not compile any more. */
export const EMPTY_OUTLINE: Outline = {
  nodes: [],
  axes: [],
  scopes: [{ index: 0, axes: [], prefix: -1 }],
  outputs: [],
};

export function outlineOf(plan: Plan): Outline {
  return {
    nodes: plan.nodes.map((node) => ({
      index: node.index,
      position: node.position,
      id: node.id,
      label: node.label,
      scope: node.scope,
      outputScope: node.outputScope,
      axis: node.axis,
      costMilliCredits: node.costMilliCredits,
      costUnit: node.costUnit,
      typeName: node.type.type,
      version: node.type.version,
      closesAxes: isAggregator(node),
      upstream: upstreamOf(node),
      ...(node.references === undefined
        ? {}
        : {
            references: node.references.map(({ path, kind, id, version }) => ({
              path,
              kind,
              id,
              version,
            })),
          }),
    })),
    axes: plan.axes,
    scopes: plan.scopes,
    outputs: plan.outputs.map(({ node, key, type, label, cardinality, required }) => {
      const planned = plan.nodes[node];
      const fileName = (planned?.params as { readonly file_name?: string } | undefined)?.file_name;
      return {
        node,
        key,
        type,
        label,
        cardinality,
        required,
        nodeId: planned?.id ?? "",
        ...(fileName !== undefined && { fileName }),
      };
    }),
  };
}

/** Without the submitted value of an input, which has a number below zero. */
function upstreamOf(node: PlanNode): number[] {
  const sources = node.inputs.flatMap((input) => input.sources.map((source) => source.node));
  return [...new Set(sources)].filter((index) => index >= 0);
}

/** The plan with the cost of each node, in milli-credits, at the run's admission. */
export function withUnitCosts(plan: Plan, costOf: (node: PlanNode) => number): Plan {
  return plan.nodes.every((node) => node.costMilliCredits === costOf(node))
    ? plan
    : { ...plan, nodes: plan.nodes.map((node) => ({ ...node, costMilliCredits: costOf(node) })) };
}

/** Lists instead of objects: it is written with each run's first commit, and names would triple its size. */
type Kept = readonly [
  v: 1,
  nodes: readonly (readonly [
    id: string,
    /** 0 if it equals the id. */
    label: string | 0,
    typeName: string,
    version: string,
    position: number,
    scope: number,
    outputScope: number,
    axis: number,
    closesAxes: 0 | 1,
    /** With its unit, if it has one. */
    cost: number | readonly [milliCredits: number, unit: UsageUnit],
    ...upstream: number[],
  ])[],
  axes: readonly (readonly [node: number, parentScope: number])[],
  scopes: readonly (readonly [prefix: number, ...axes: number[]])[],
  outputs: readonly ViewOutput[],
  /** By node; omitted if no node refers to a resource. */
  references?: readonly (readonly [
    node: number,
    ...references: (readonly [path: string, kind: string, id: string, version: string])[],
  ])[],
];

/** Plain data for JSON. */
export function packOutline(outline: Outline): unknown {
  const references = outline.nodes.flatMap((node) =>
    node.references === undefined
      ? []
      : [
          [
            node.index,
            ...node.references.map(
              ({ path, kind, id, version }) => [path, kind, id, version] as const,
            ),
          ] as const,
        ],
  );
  const kept = [
    1,
    outline.nodes.map((node) => [
      node.id,
      node.label === node.id ? 0 : node.label,
      node.typeName,
      node.version,
      node.position,
      node.scope,
      node.outputScope,
      node.axis,
      node.closesAxes ? 1 : 0,
      node.costUnit === null ? node.costMilliCredits : [node.costMilliCredits, node.costUnit],
      ...node.upstream,
    ]),
    outline.axes.map(({ node, parentScope }) => [node, parentScope]),
    outline.scopes.map(({ prefix, axes }) => [prefix, ...axes]),
    outline.outputs,
  ] satisfies Kept;
  return references.length === 0 ? kept : ([...kept, references] satisfies Kept);
}

/** Parses the result of `packOutline`. Throws TypeError for an unknown version. */
export function unpackOutline(packed: unknown): Outline {
  const [v, nodes, axes, scopes, outputs, references = []] = packed as Kept;
  if (v !== 1) {
    throw new TypeError(`The outline of the run has version ${String(v)}.`);
  }
  const referencesOf = new Map(
    references.map(([node, ...list]) => [
      node,
      list.map(([path, kind, id, version]) => ({ path, kind, id, version })),
    ]),
  );
  const referring = (index: number): Pick<OutlineNode, "references"> => {
    const known = referencesOf.get(index);
    return known === undefined ? {} : { references: known };
  };
  return {
    nodes: nodes.map(
      (
        [
          id,
          label,
          typeName,
          version,
          position,
          scope,
          outputScope,
          axis,
          closes,
          cost,
          ...upstream
        ],
        index,
      ) => ({
        index,
        position,
        id,
        label: label === 0 ? id : label,
        scope,
        outputScope,
        axis,
        costMilliCredits: typeof cost === "number" ? cost : cost[0],
        costUnit: typeof cost === "number" ? null : cost[1],
        typeName,
        version,
        closesAxes: closes === 1,
        upstream,
        ...referring(index),
      }),
    ),
    axes: axes.map(([node, parentScope], index) => ({ index, node, parentScope })),
    scopes: scopes.map(([prefix, ...on], index) => ({ index, axes: on, prefix })),
    outputs,
  };
}
