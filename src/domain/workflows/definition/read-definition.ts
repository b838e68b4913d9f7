import * as z from "zod";
import {
  Connection,
  CONNECTIONS_MAX,
  CustomInterface,
  type Definition,
  NodeDefinition,
  NODES_MAX,
} from "../../../contracts/workflows/definition.ts";
import { nodeWithPlainNumbers } from "../../../contracts/workflows/node-with-plain-numbers.ts";
import { plainNumbers } from "../../../contracts/workflows/plain-numbers.ts";
import type { DefinitionIssue } from "../../../engine/plan/plan.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json/exact-json.ts";
import { fieldPath, shownKey } from "../../../lib/errors/field-path.ts";
import { adviceOnFields, issueText, typeText } from "../../../lib/errors/issue-text.ts";
import { showValue } from "../../../lib/json/show-value.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";

/** The lists of a definition; their entries are parsed one by one. */
const Frame = z.strictObject({
  nodes: z.array(z.unknown()),
  connections: z.array(z.unknown()).default([]),
  interfaces: z.array(z.unknown()).max(LIMITS.interfaces.value).default([]),
  settings: z.record(z.string(), z.unknown()).default({}),
});
const NodeId = NodeDefinition.shape.id;

/** The readable part of a definition, and the problems of the rest. */
export interface ReadDefinition {
  /**
   * Undefined if not even its lists can be read. Entries of the wrong form are omitted or reduced
   * to their valid parts.
   */
  readonly definition: Definition | undefined;
  readonly issues: readonly DefinitionIssue[];
  /** Nodes that lost a connection because the connection or its other end could not be read. */
  readonly cutNodes: ReadonlySet<string>;
  /** Original positions of the entries that were read. */
  readonly origin: Readonly<Record<"nodes" | "connections" | "interfaces", readonly number[]>>;
}

/**
 * Reads the structure of a definition and reports every problem of it; the rest can still be
 * compiled.
 */
export function readDefinition(value: JsonValue): ReadDefinition {
  const issues: DefinitionIssue[] = [];
  const cutNodes = new Set<string>();
  const origin = { nodes: [] as number[], connections: [] as number[], interfaces: [] as number[] };
  const nothing = { definition: undefined, issues, cutNodes, origin };
  const tooLarge = checkCounts(value);
  if (tooLarge.length > 0) {
    return { ...nothing, issues: tooLarge };
  }
  const frame = Frame.safeParse(value, { error: issueText, reportInput: true });
  if (!frame.success) {
    issues.push(...frame.error.issues.flatMap((issue) => describeShapeIssue("", issue, undefined)));
  }
  const lists = isJsonObject(value) ? value : {};
  if (!isList(lists["nodes"])) {
    return nothing;
  }
  const definition: Definition = {
    nodes: lists["nodes"].flatMap((node, index) =>
      keep(origin.nodes, index, readNode(node, index, issues)),
    ),
    connections: [],
    interfaces: listOr(lists["interfaces"]).flatMap((entry, index) =>
      keep(origin.interfaces, index, readInterface(entry, index, issues)),
    ),
    settings: frame.success ? frame.data.settings : {},
  };
  const readIds = new Set(definition.nodes.map((node) => node.id));
  const lost = new Set(idsOf(lists["nodes"]).filter((id) => !readIds.has(id)));
  definition.connections = listOr(lists["connections"]).flatMap((entry, index) => {
    const connection = readConnection(entry, index, issues);
    if (connection === undefined) {
      const to = isJsonObject(entry) ? entry["to"] : undefined;
      const node = isJsonObject(to) ? to["node"] : undefined;
      if (typeof node === "string") {
        cutNodes.add(node);
      }
      return [];
    }
    if (lost.has(connection.from.node) || lost.has(connection.to.node)) {
      cutNodes.add(connection.to.node);
      return [];
    }
    return keep(origin.connections, index, connection);
  });
  return { definition, issues, cutNodes, origin };
}

/** Before anything is parsed, so that the cost stays bounded. */
function checkCounts(value: JsonValue): DefinitionIssue[] {
  const maxima = { nodes: NODES_MAX, connections: CONNECTIONS_MAX } as const;
  return (["nodes", "connections"] as const).flatMap((path) => {
    const list = isJsonObject(value) ? value[path] : undefined;
    return isList(list) && list.length > maxima[path]
      ? [
          {
            code: "DEFINITION_TOO_LARGE",
            path,
            message: `A definition can have ${maxima[path]} ${path}, but this one has ${list.length}. Split the workflow.`,
          },
        ]
      : [];
  });
}

function readNode(
  given: JsonValue,
  index: number,
  issues: DefinitionIssue[],
): NodeDefinition | undefined {
  const parsed = NodeDefinition.safeParse(nodeWithPlainNumbers(given), {
    error: issueText,
    reportInput: true,
  });
  const members = isJsonObject(given) ? given : {};
  const id = NodeId.safeParse(members["id"]).data;
  const path = `nodes[${index}]`;
  issues.push(
    ...checkText(id, `${path}.id`, id),
    ...checkText(members["label"], `${path}.label`, id),
  );
  if (isJsonObject(members["parameters"]) && Object.hasOwn(members["parameters"], "__proto__")) {
    // A record schema drops this key silently; report it like any other unknown key.
    issues.push({
      code: "INVALID_PARAMETER",
      path: `${path}.parameters.__proto__`,
      message: '"__proto__" is not a parameter of any node type. Remove it.',
      ...(id === undefined ? {} : { node_id: id }),
    });
  }
  if (parsed.success) {
    return parsed.data;
  }
  issues.push(...parsed.error.issues.flatMap((issue) => describeShapeIssue(path, issue, id)));
  // The parts that the compiler needs are often valid: a label that is too long should not hide a
  // wrong formula.
  const { type, parameters, label } = members;
  if (id === undefined || typeof type !== "string") {
    return undefined;
  }
  return NodeDefinition.safeParse({
    id,
    type,
    parameters: isJsonObject(parameters) ? parameters : {},
    ...(typeof label === "string" ? { label: label.slice(0, 200) } : {}),
  }).data;
}

function readConnection(
  given: JsonValue,
  index: number,
  issues: DefinitionIssue[],
): Connection | undefined {
  const parsed = Connection.safeParse(plainNumbers(given), { error: issueText, reportInput: true });
  if (!parsed.success) {
    const path = `connections[${index}]`;
    issues.push(
      ...parsed.error.issues.flatMap((issue) => describeShapeIssue(path, issue, undefined)),
    );
  }
  return parsed.data;
}

function readInterface(
  given: JsonValue,
  index: number,
  issues: DefinitionIssue[],
): CustomInterface | undefined {
  const parsed = CustomInterface.safeParse(plainNumbers(given), {
    error: issueText,
    reportInput: true,
  });
  const path = `interfaces[${index}]`;
  if (!parsed.success) {
    issues.push(
      ...parsed.error.issues.flatMap((issue) => describeShapeIssue(path, issue, undefined)),
    );
    return undefined;
  }
  issues.push(...checkText(parsed.data.name, `${path}.name`, undefined));
  parsed.data.fields.forEach((field, at) =>
    issues.push(...checkText(field.key, `${path}.fields[${at}].key`, undefined)),
  );
  parsed.data.outputs.forEach((output, at) =>
    issues.push(...checkText(output.key, `${path}.outputs[${at}].key`, undefined)),
  );
  return parsed.data;
}

/**
 * Names become keys in results and in stores with UTF-8, which cannot represent an unpaired
 * surrogate.
 */
function checkText(value: unknown, path: string, nodeId: string | undefined): DefinitionIssue[] {
  if (typeof value !== "string" || value.isWellFormed()) {
    return [];
  }
  return [
    {
      code: "INVALID_TEXT",
      path,
      message: "The text contains half of a surrogate pair, which is not a character. Remove it.",
      ...(nodeId === undefined ? {} : { node_id: nodeId }),
    },
  ];
}

function keep<T>(origin: number[], index: number, entry: T | undefined): T[] {
  if (entry === undefined) {
    return [];
  }
  origin.push(index);
  return [entry];
}

function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function listOr(value: unknown): readonly JsonValue[] {
  return isList(value) ? value : [];
}

function idsOf(nodes: readonly JsonValue[]): string[] {
  return nodes.flatMap((node) =>
    isJsonObject(node) && typeof node["id"] === "string" ? [node["id"]] : [],
  );
}

/**
 * Converts a zod issue of a definition's structure to definition issues: one for each unknown
 * field.
 */
function describeShapeIssue(
  prefix: string,
  issue: z.core.$ZodIssue,
  nodeId: string | undefined,
): DefinitionIssue[] {
  const node = nodeId === undefined ? {} : { node_id: nodeId };
  if (issue.code === "unrecognized_keys") {
    const advice = adviceOnFields(issue);
    return issue.keys.map((key, at) => ({
      code: "UNKNOWN_FIELD",
      path: fieldPath(prefix, [...issue.path, key]),
      message: `"${shownKey(key)}" is not a field of a definition here.`,
      ...(advice[at] !== undefined && { suggestion: advice[at] }),
      ...node,
    }));
  }
  const path = fieldPath(prefix, issue.path);
  if (issue.code === "invalid_type" && issue.input === undefined) {
    const message = `${path === "" ? "The definition" : `"${path}"`} is missing; give ${typeText(issue.expected)}.`;
    return [{ code: "REQUIRED_FIELD", path, message, ...node }];
  }
  const given = issue.input === undefined ? "" : `; got ${showValue(issue.input)}`;
  return [{ code: "INVALID_FIELD", path, message: `${issue.message}${given}.`, ...node }];
}
