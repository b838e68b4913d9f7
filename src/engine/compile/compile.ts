import type { StoredReferences } from "../../contracts/references.ts";
import {
  CONNECTIONS_MAX,
  type Definition,
  NODES_MAX,
} from "../../contracts/workflows/definition.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import type { ConnectedPort } from "../../nodes/define-ports.ts";
import { isPreparedInput, SUBMITTED_PORT, submittedNode } from "../plan/node-kind.ts";
import {
  DEFAULT_TIME_LIMIT_MS,
  type Compiled,
  type PlanInput,
  type PlanNode,
  type PlanOutput,
} from "../plan/plan.ts";
import { nodeCost } from "../plan/node-cost.ts";
import { cacheableOf } from "../reuse/cache-mode.ts";
import { connectPorts } from "./connect-ports.ts";
import { NO_REFERENCES, type References } from "./references.ts";
import { type DraftNode, IssueList } from "./draft.ts";
import { findAbsence } from "./find-absence.ts";
import { namePorts } from "./name-ports.ts";
import { orderNodes } from "./order-nodes.ts";
import { placeScopes, type Scopes } from "./place-scopes.ts";
import { type FindNodeType, readNodes } from "./read-nodes.ts";
import { connectedPorts, typePorts } from "./type-ports.ts";

const DEFAULT_WORK = 5;

/**
 * Compiles a definition to a plan, or to all issues that it has. Pure and deterministic. `knownTypes` only feeds
 * suggestions; `references` are the resources that its nodes refer to, fetched by the caller.
 */
export function compile(
  definition: Definition,
  findNodeType: FindNodeType,
  knownTypes: readonly string[] = [],
  references: References = NO_REFERENCES,
): Compiled {
  const issues = new IssueList();
  if (!checkSize(definition, issues)) {
    return { plan: undefined, issues: issues.issues, warnings: [] };
  }
  const drafts = readNodes(definition, findNodeType, knownTypes, issues, references);
  connectPorts(definition, drafts, issues);
  const ordered = orderNodes(drafts, issues);
  if (ordered !== undefined) {
    typePorts(ordered, issues);
  }
  const inputs = drafts.filter((draft) => draft.type.role === "input");
  const outputs = drafts.filter((draft) => draft.type.role === "output");
  const inputNames = namePorts(inputs, () => undefined, issues);
  const outputKeys = namePorts(outputs, explicitKey, issues);
  const scopes = ordered === undefined ? undefined : placeScopes(ordered, issues);
  warnAboutUnused(drafts, outputs, issues);
  warnAboutCache(drafts, issues);
  if (issues.issues.length > 0 || ordered === undefined || scopes === undefined) {
    return { plan: undefined, issues: issues.issues, warnings: issues.warnings };
  }
  const mayBeAbsent = findAbsence(ordered, scopes);
  const indexOf = new Map(ordered.map((draft, index) => [draft, index]));
  const plan = {
    nodes: ordered.map((draft, index) => planNode(draft, index, indexOf, scopes)),
    axes: scopes.axes,
    scopes: scopes.scopes,
    inputs: inputs.map((draft) => ({
      node: indexOf.get(draft) ?? -1,
      name: inputNames.get(draft) ?? draft.definition.id,
    })),
    outputs: outputs.map((draft): PlanOutput => ({
      node: indexOf.get(draft) ?? -1,
      key: outputKeys.get(draft) ?? draft.definition.id,
      type: draft.type.type.slice("output/".length) as PlanOutput["type"],
      label: draft.definition.label ?? draft.definition.id,
      description: textParameter(draft, "description") ?? "",
      cardinality: (scopes.of.get(draft)?.scope ?? 0) === 0 ? "single" : "multiple",
      required: !mayBeAbsent(draft, ""),
    })),
  };
  return { plan, issues: [], warnings: issues.warnings };
}

/** [E41] A mode on a node whose results are never taken has no effect. */
function warnAboutCache(drafts: readonly DraftNode[], issues: IssueList): void {
  for (const { definition, position, type } of drafts) {
    const { cache, id } = definition;
    if (cache !== undefined && cache.mode !== "off" && cacheableOf(type.type) === "never") {
      issues.warn({
        code: "CACHE_NO_EFFECT",
        path: `nodes[${position}].cache`,
        node_id: id,
        message: `Results of ${type.type} are never cached, so the cache of "${id}" has no effect.`,
      });
    }
  }
}

function checkSize(definition: Definition, issues: IssueList): boolean {
  const sizes = [
    ["nodes", definition.nodes.length, NODES_MAX],
    ["connections", definition.connections.length, CONNECTIONS_MAX],
  ] as const;
  for (const [what, count, max] of sizes) {
    if (count > max) {
      issues.add({
        code: "DEFINITION_TOO_LARGE",
        path: what,
        message: `A definition has at most ${max} ${what}, and this one has ${count}. Split the workflow.`,
      });
    }
  }
  return issues.issues.length === 0;
}

function planNode(
  draft: DraftNode,
  index: number,
  indexOf: ReadonlyMap<DraftNode, number>,
  scopes: Scopes,
): PlanNode {
  const { type, params } = draft;
  const place = scopes.of.get(draft) ?? { scope: 0, outputScope: 0, axis: -1 };
  const isPrepared = isPreparedInput(type);
  return {
    index,
    position: draft.position,
    id: draft.definition.id,
    label: draft.definition.label ?? draft.definition.id,
    type,
    ...(draft.definition.cache !== undefined && { cache: draft.definition.cache }),
    inputs: isPrepared
      ? [submittedInput(index)]
      : [...draft.inputs.values()].map((port) => ({
          port: port.name,
          type: port.type,
          required:
            port.required === "if_connected"
              ? draft.sources.has(port.name)
              : port.required !== false,
          isList: port.list !== undefined,
          minCount: port.list?.minCount ?? 0,
          ...(port.once === true ? { once: true } : {}),
          ...(port.mayFail === true ? { mayFail: true } : {}),
          accepts: port.accepts ?? [],
          sources: (draft.sources.get(port.name) ?? []).map((source) => ({
            node: indexOf.get(source.node) ?? -1,
            port: source.port,
            scope: scopes.of.get(source.node)?.outputScope ?? 0,
          })),
        })),
    outputTypes: draft.outputTypes,
    scope: place.scope,
    outputScope: place.outputScope,
    axis: place.axis,
    ...byParameters(type, params, connectedPorts(draft), draft.stored),
  };
}

/** The properties of a planned node that follow from its type, its parameters and its connections. */
export function byParameters(
  type: NodeType,
  params: unknown,
  connected: readonly ConnectedPort[],
  stored: StoredReferences,
): Pick<
  PlanNode,
  | "params"
  | "references"
  | "placement"
  | "work"
  | "costMilliCredits"
  | "costUnit"
  | "isCostCeiling"
  | "timeLimitMs"
> {
  const isTaskAggregator = type.role === "aggregator" && type.placement === "task";
  const runs =
    type.role === "transform" || type.role === "output" || isTaskAggregator ? type : undefined;
  const isPrepared = isPreparedInput(type);
  const placement = isPrepared
    ? "task"
    : typeof runs?.placement === "function"
      ? runs.placement(params as never)
      : (runs?.placement ?? "inline");
  return {
    params,
    ...(stored.size === 0 ? {} : { references: [...stored.values()] }),
    placement,
    work: Math.max(
      1,
      (typeof type.work === "function" ? type.work(params as never) : type.work) ?? DEFAULT_WORK,
    ),
    ...nodeCost(type, params, connected, stored),
    timeLimitMs: (isPrepared ? type.timeLimitMs : runs?.timeLimitMs) ?? DEFAULT_TIME_LIMIT_MS,
  };
}

/** The input of a prepared input node: the value submitted with the run. */
function submittedInput(index: number): PlanInput {
  return {
    port: SUBMITTED_PORT,
    type: "any",
    required: true,
    isList: false,
    minCount: 0,
    accepts: [],
    sources: [{ node: submittedNode({ index }), port: SUBMITTED_PORT, scope: 0 }],
  };
}

function warnAboutUnused(
  drafts: readonly DraftNode[],
  outputs: readonly DraftNode[],
  issues: IssueList,
): void {
  if (outputs.length === 0) {
    issues.warn({
      code: "NO_OUTPUT",
      path: "nodes",
      message: "The workflow has no output node, so it returns nothing and cannot be published.",
    });
  }
  const used = new Set(
    drafts.flatMap((draft) => [...draft.sources.values()].flat().map((source) => source.node)),
  );
  for (const draft of drafts) {
    if (draft.type.role !== "output" && !used.has(draft)) {
      issues.warn({
        code: "UNUSED_NODE",
        path: `nodes[${draft.position}]`,
        node_id: draft.definition.id,
        message: `The outputs of "${draft.definition.id}" are not used.`,
      });
    }
  }
}

function explicitKey(draft: DraftNode): string | undefined {
  return textParameter(draft, "key");
}

function textParameter(draft: DraftNode, name: string): string | undefined {
  const params = draft.params as Readonly<Record<string, unknown>> | undefined;
  const value = params === undefined ? undefined : params[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
