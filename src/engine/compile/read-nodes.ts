import { NOTHING_STORED } from "../../contracts/references.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import type { NamedReference } from "../../nodes/define-ports.ts";
import type * as z from "zod";
import type { Definition, NodeDefinition } from "../../contracts/workflows/definition.ts";
import { opensAxis } from "../../nodes/define-node.ts";
import type { NodeType } from "../../nodes/define-roles.ts";
import type { InputPort, OutputPort } from "../../nodes/define-ports.ts";
import type { DraftNode, IssueList } from "./draft.ts";
import { type References, storedFor } from "./references.ts";
import { suggestName } from "../../lib/errors/suggest-name.ts";
import { adviceOnFields, issueText } from "../../lib/errors/issue-text.ts";

export type FindNodeType = (type: string) => NodeType | undefined;

/** Looks up each node's type, parses its parameters and determines its ports. Reports all issues at once [E1]. */
export function readNodes(
  definition: Definition,
  findNodeType: FindNodeType,
  knownTypes: readonly string[],
  issues: IssueList,
  references: References,
): DraftNode[] {
  const seen = new Map<string, number>();
  const drafts: DraftNode[] = [];
  definition.nodes.forEach((node, position) => {
    const first = seen.get(node.id);
    if (first !== undefined) {
      issues.add({
        code: "DUPLICATE_NODE_ID",
        path: `nodes[${position}].id`,
        node_id: node.id,
        message: `The id "${node.id}" is already used by nodes[${first}]. Give every node its own id.`,
      });
      return;
    }
    seen.set(node.id, position);
    const type = findNodeType(node.type);
    if (type === undefined) {
      const near = suggestName(node.type, knownTypes);
      issues.add({
        code: "UNKNOWN_NODE_TYPE",
        path: `nodes[${position}].type`,
        node_id: node.id,
        message: `"${node.type}" is not a node type of this service. GET /api/v1/node-types lists them.`,
        ...(near === undefined ? {} : { suggestion: `Did you mean "${near}"?` }),
      });
      return;
    }
    drafts.push(readNode(node, position, type, issues, references));
  });
  return drafts;
}

function readNode(
  node: NodeDefinition,
  position: number,
  type: NodeType,
  issues: IssueList,
  references: References,
): DraftNode {
  const inputs = new Map(type.inputs.map((port) => [port.name, port]));
  const outputs = new Map(type.outputs.map((port) => [port.name, port]));
  const draft = {
    definition: node,
    position,
    type,
    params: undefined as unknown,
    stored: NOTHING_STORED,
    inputs,
    outputs,
    hasKnown: { inputs: !isDynamicSide(type, "input"), outputs: !isDynamicSide(type, "output") },
    isUnsure: false,
    sources: new Map(),
    outputTypes: new Map(),
  };
  const found = issues.issues.length;
  const parsed = type.params.safeParse(node.parameters, { error: issueText });
  if (!parsed.success) {
    reportParameters(parsed.error, { node, position, type }, issues);
  }
  const known = parsed.success ? parsed.data : portParameters(parsed.error, node, type);
  const isUnsure = () => opensAxis(type) && issues.issues.length > found;
  if (known === undefined) {
    return { ...draft, isUnsure: isUnsure() };
  }
  const { stored, missing } = storedFor(type, known, references);
  reportMissing(missing, { node, position }, issues);
  if (missing.length > 0) {
    // All its ports may depend on the missing resource, so they are not checked.
    const isFixed = type.dynamicPorts === undefined;
    return { ...draft, hasKnown: { inputs: isFixed, outputs: isFixed }, isUnsure: isUnsure() };
  }
  const dynamic = type.dynamicPorts?.resolve(known, stored);
  for (const name of dynamic?.without ?? []) {
    inputs.delete(name);
    outputs.delete(name);
  }
  addPorts(inputs, dynamic?.inputs ?? [], node, position, issues);
  addPorts(outputs, dynamic?.outputs ?? [], node, position, issues);
  return {
    ...draft,
    params: parsed.data,
    stored,
    hasKnown: { inputs: true, outputs: true },
    isUnsure: isUnsure(),
  };
}

interface PlacedNode {
  readonly node: NodeDefinition;
  readonly position: number;
  readonly type: NodeType;
}

function reportParameters(
  error: z.ZodError,
  { node, position, type }: PlacedNode,
  issues: IssueList,
): void {
  for (const problem of parameterProblems(error)) {
    const path = ["parameters", ...problem.path].map(String);
    const [name] = problem.path;
    issues.add({
      code:
        type.parameterIssue?.(name, given(node, name)) ??
        (isDynamicParameter(type, path[1]) ? "invalid_dynamic_config" : "INVALID_PARAMETER"),
      path: `nodes[${position}]${jsonPath(path)}`,
      node_id: node.id,
      message: `${problem.message} (${path.slice(1).join(".") || "parameters"} of ${type.type})`,
      ...(problem.suggestion === undefined ? {} : { suggestion: problem.suggestion }),
    });
  }
}

/** A reference within a missing one is not reported by itself. */
function reportMissing(
  missing: readonly NamedReference[],
  { node, position }: Pick<PlacedNode, "node" | "position">,
  issues: IssueList,
): void {
  const lost = new Set(missing.map(({ path }) => path));
  for (const reference of missing) {
    if (reference.within !== undefined && lost.has(reference.within)) {
      continue;
    }
    issues.add({
      code: reference.missingCode ?? "REFERENCE_NOT_FOUND",
      path: `nodes[${position}].parameters.${reference.path}`,
      node_id: node.id,
      message: reference.missingMessage ?? missingMessage(reference),
    });
  }
}

function given(
  { parameters }: NodeDefinition,
  name: PropertyKey | undefined,
): JsonValue | undefined {
  return typeof name === "string" && Object.hasOwn(parameters, name)
    ? (parameters[name] as JsonValue)
    : undefined;
}

function missingMessage({ kind, id, revision }: NamedReference): string {
  const [, number] = /^(\d+)\+?$/.exec(revision ?? "") ?? [];
  const pinned =
    revision === "current"
      ? " that is published"
      : number === undefined
        ? ""
        : ` in revision ${number}`;
  return `This workspace has no ${kind} "${id.slice(0, 80)}"${pinned}.`;
}

/** The parameters without the invalid ones, if ports depend on other parameters only; else undefined. */
function portParameters(
  { issues }: z.ZodError,
  { parameters }: NodeDefinition,
  type: NodeType,
): Record<string, unknown> | undefined {
  const broken = new Set(
    issues.flatMap((issue): readonly unknown[] =>
      issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [issue.path[0]],
    ),
  );
  const descriptors = type.dynamicPorts?.descriptors ?? [];
  if (
    descriptors.length === 0 ||
    descriptors.some(({ parameter }) => broken.has(parameter)) ||
    // They are not fetched for parameters that are not valid.
    type.references !== undefined
  ) {
    return undefined;
  }
  const rest = Object.entries(parameters).filter(([name]) => !broken.has(name));
  return type.params.safeParse(Object.fromEntries(rest)).data;
}

interface ParameterProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly suggestion?: string;
}

/** Each unknown key is a separate issue, at its own path. */
function parameterProblems(error: z.ZodError): ParameterProblem[] {
  return error.issues.flatMap((issue): ParameterProblem[] => {
    const { path, message } = issue;
    if (issue.code !== "unrecognized_keys") {
      return [{ path, message }];
    }
    const advice = adviceOnFields(issue);
    return issue.keys.map((key, at) => ({
      path: [...path, key],
      message: `"${key.slice(0, 80)}" is not a parameter here. Remove it, or check its spelling`,
      ...(advice[at] !== undefined && { suggestion: advice[at] }),
    }));
  });
}

function addPorts<P extends InputPort | OutputPort>(
  ports: Map<string, P>,
  added: readonly P[],
  node: NodeDefinition,
  position: number,
  issues: IssueList,
): void {
  for (const port of added) {
    if (ports.has(port.name)) {
      issues.add({
        code: "invalid_dynamic_config",
        path: `nodes[${position}].parameters`,
        node_id: node.id,
        message: `The port name "${port.name}" is used twice on node "${node.id}". Give each port its own name.`,
      });
      continue;
    }
    ports.set(port.name, port);
  }
}

function isDynamicSide(type: NodeType, side: "input" | "output"): boolean {
  const { descriptors = [], hasStoredInputs = false } = type.dynamicPorts ?? {};
  return (
    (side === "input" && hasStoredInputs) || descriptors.some(({ direction }) => direction === side)
  );
}

function isDynamicParameter(type: NodeType, parameter: string | undefined): boolean {
  return type.dynamicPorts?.descriptors.some((d) => d.parameter === parameter) ?? false;
}

/** `["parameters", "columns", "2", "name"]` → `.parameters.columns[2].name`. */
function jsonPath(parts: readonly string[]): string {
  return parts
    .map((part) =>
      /^\d+$/.test(part)
        ? `[${part}]`
        : /^[A-Za-z_$][\w$]*$/.test(part)
          ? `.${part}`
          : `[${JSON.stringify(part)}]`,
    )
    .join("");
}
