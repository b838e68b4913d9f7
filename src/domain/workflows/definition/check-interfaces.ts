import type {
  CustomInterface,
  Definition,
  InterfaceField,
} from "../../../contracts/workflows/definition.ts";
import type { DefinitionIssue } from "../../../engine/plan/plan.ts";
import { type JsonValue, parseJson } from "../../../lib/json/exact-json.ts";
import { hasDefault } from "../../../nodes/define-node.ts";
import type { NodeType } from "../../../nodes/define-roles.ts";
import { exposableParameter } from "./exposable-parameter.ts";
import { fieldValueProblem } from "./field-value-problem.ts";
import { issueText } from "../../../lib/errors/issue-text.ts";

interface Found {
  readonly errors: DefinitionIssue[];
  readonly warnings: DefinitionIssue[];
}

/** A node as far as it is known: parameters only if they match their schema. */
interface KnownNode {
  readonly id: string;
  readonly type: NodeType;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly params: unknown;
}

const INTERFACE_ID = /^int_[A-Za-z0-9_-]{1,64}$/;

/** Every problem of the custom interfaces of a definition (docs/contract/workflows.md#interfaces). Pure. */
export function checkInterfaces(
  definition: Definition,
  findNodeType: (type: string) => NodeType | undefined,
): Found {
  const found: Found = { errors: [], warnings: [] };
  const nodes = new Map<string, KnownNode | undefined>();
  for (const { id, type: typeName, parameters } of definition.nodes) {
    const type = findNodeType(typeName);
    const params: unknown = type?.params.safeParse(parameters).data;
    nodes.set(id, type === undefined ? undefined : { id, type, parameters, params });
  }
  const ids = new Map<string, number>();
  let recommended: number | undefined;
  definition.interfaces.forEach((entry, index) => {
    const path = `interfaces[${index}]`;
    checkId(entry, path, ids, index, found);
    if (entry.is_default) {
      if (recommended !== undefined) {
        found.errors.push({
          code: "INTERFACE_TWO_DEFAULTS",
          path: `${path}.is_default`,
          message: `interfaces[${recommended}] is already the recommended one. Set is_default on one interface only.`,
        });
      }
      recommended ??= index;
    }
    checkFields(entry, path, nodes, found);
    checkOutputs(entry, path, nodes, found);
    checkRequiredInputs(entry, path, nodes, found);
  });
  return found;
}

function checkId(
  entry: CustomInterface,
  path: string,
  ids: Map<string, number>,
  index: number,
  found: Found,
): void {
  if (entry.id === undefined) {
    return;
  }
  if (!INTERFACE_ID.test(entry.id)) {
    found.errors.push({
      code: "INTERFACE_INVALID_ID",
      path: `${path}.id`,
      message: `"${entry.id.slice(0, 80)}" is not an interface id. It must be int_ and up to 64 letters, digits, "_" or "-".`,
    });
  }
  const other = ids.get(entry.id);
  if (other !== undefined) {
    found.errors.push({
      code: "INTERFACE_DUPLICATE_ID",
      path: `${path}.id`,
      message: `interfaces[${other}] already has the id "${entry.id}".`,
    });
  }
  ids.set(entry.id, other ?? index);
}

function checkFields(
  entry: CustomInterface,
  path: string,
  nodes: ReadonlyMap<string, KnownNode | undefined>,
  found: Found,
): void {
  const keys = new Map<string, number>();
  const targets = new Map<string, number>();
  entry.fields.forEach((field, index) => {
    const at = `${path}.fields[${index}]`;
    const sameKey = keys.get(field.key);
    if (sameKey !== undefined) {
      found.errors.push({
        code: "INTERFACE_DUPLICATE_KEY",
        path: `${at}.key`,
        message: `The key "${field.key}" is already used by ${path}.fields[${sameKey}]. Give each field its own key.`,
      });
    }
    keys.set(field.key, sameKey ?? index);
    const target = JSON.stringify([field.bind.node, field.bind.parameter ?? null]);
    const sameTarget = targets.get(target);
    if (sameTarget !== undefined) {
      found.errors.push({
        code: "INTERFACE_DUPLICATE_TARGET",
        path: `${at}.bind`,
        node_id: field.bind.node,
        message: `${path}.fields[${sameTarget}] already sets the same target. Bind each field to its own target.`,
      });
    }
    targets.set(target, sameTarget ?? index);
    checkConstraints(field, at, found);
    checkTarget(field, at, nodes, found);
  });
}

function checkConstraints(field: InterfaceField, at: string, found: Found): void {
  const { min, max, allowed_values: allowed } = field.constraints ?? {};
  if (field.type === "enum" && (allowed ?? []).length === 0) {
    found.errors.push({
      code: "INTERFACE_ENUM_WITHOUT_VALUES",
      path: `${at}.constraints.allowed_values`,
      message: `The enum field "${field.key}" lists no allowed_values. Give at least one.`,
    });
  }
  if (min !== undefined && max !== undefined && min > max) {
    found.errors.push({
      code: "INTERFACE_INVALID_CONSTRAINTS",
      path: `${at}.constraints`,
      message: `The field "${field.key}" has min ${min} above max ${max}. Swap them.`,
    });
  }
}

function checkTarget(
  field: InterfaceField,
  at: string,
  nodes: ReadonlyMap<string, KnownNode | undefined>,
  found: Found,
): void {
  const { node: nodeId, parameter } = field.bind;
  if (!nodes.has(nodeId)) {
    found.errors.push({
      code: "INTERFACE_UNKNOWN_NODE",
      path: `${at}.bind.node`,
      message: `There is no node "${nodeId}" to bind the field "${field.key}" to.`,
    });
    return;
  }
  const node = nodes.get(nodeId);
  if (node === undefined) {
    return; // Its type is unknown, which is reported at the node.
  }
  const fits =
    parameter === undefined
      ? checkInputTarget(field, at, node, found)
      : checkParameterTarget(field, at, node, parameter, found);
  if (fits && field.default_value !== undefined) {
    checkDefault(field, field.default_value, at, node, found);
  }
}

function checkInputTarget(
  field: InterfaceField,
  at: string,
  node: KnownNode,
  found: Found,
): boolean {
  if (node.type.role !== "input") {
    found.errors.push({
      code: "INTERFACE_NOT_AN_INPUT",
      path: `${at}.bind`,
      node_id: node.id,
      message: `"${node.id}" (${node.type.type}) is not an input node.`,
    });
    return false;
  }
  const fieldTypes = fieldTypesOf(node.type);
  if (!fieldTypes.includes(field.type)) {
    found.errors.push({
      code: "INTERFACE_TYPE_MISMATCH",
      path: `${at}.type`,
      node_id: node.id,
      message: `A ${field.type} field cannot fill "${node.id}", which accepts ${node.type.inputKind}.`,
      suggestion: `Use one of: ${fieldTypes.join(", ")}.`,
    });
    return false;
  }
  if (!field.required && field.default_value === undefined && isNeeded(node)) {
    found.warnings.push({
      code: "INTERFACE_FIELD_IS_NEEDED",
      path: `${at}.required`,
      node_id: node.id,
      message: `"${field.key}" is optional here, but its input "${node.id}" is required and has no default: a submit without it is rejected.`,
    });
  }
  return true;
}

function checkParameterTarget(
  field: InterfaceField,
  at: string,
  node: KnownNode,
  name: string,
  found: Found,
): boolean {
  const parameter = exposableParameter(node.type, name);
  if (parameter === undefined) {
    found.errors.push({
      code: "INTERFACE_PARAMETER_NOT_EXPOSABLE",
      path: `${at}.bind.parameter`,
      node_id: node.id,
      message: `"${name}" is not an exposable parameter of ${node.type.type}.`,
      suggestion: `GET /api/v1/node-types/${node.type.type} shows which parameters are exposable.`,
    });
    return false;
  }
  if (!parameter.fieldTypes.includes(field.type)) {
    found.errors.push({
      code: "INTERFACE_TYPE_MISMATCH",
      path: `${at}.type`,
      node_id: node.id,
      message: `A ${field.type} field cannot set "${name}" of ${node.type.type}.`,
      suggestion: `Use one of: ${parameter.fieldTypes.join(", ")}.`,
    });
    return false;
  }
  const strange = (field.constraints?.allowed_values ?? []).filter(
    (value) => parameter.options !== undefined && !parameter.options.includes(value),
  );
  if (strange.length > 0) {
    found.errors.push({
      code: "INTERFACE_VALUE_NOT_ALLOWED",
      path: `${at}.constraints.allowed_values`,
      node_id: node.id,
      message: `"${name}" of ${node.type.type} does not accept ${strange.map((value) => JSON.stringify(value)).join(", ")}.`,
      suggestion: `It accepts: ${(parameter.options ?? []).join(", ")}.`,
    });
  }
  return true;
}

function checkDefault(
  field: InterfaceField,
  text: string,
  at: string,
  node: KnownNode,
  found: Found,
): void {
  const problem = defaultProblem(field, text, node);
  if (problem !== undefined) {
    found.errors.push({
      code: "INTERFACE_INVALID_DEFAULT",
      path: `${at}.default_value`,
      node_id: node.id,
      message: `The default of "${field.key}" ${problem}.`,
    });
  }
}

function defaultProblem(field: InterfaceField, text: string, node: KnownNode): string | undefined {
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return `is not JSON: write ${JSON.stringify(JSON.stringify(text)).slice(0, 100)} for a text`;
  }
  const problem = fieldValueProblem(field, value);
  if (problem !== undefined || node.params === undefined) {
    return problem;
  }
  if (field.bind.parameter !== undefined) {
    const merged = { ...node.parameters, [field.bind.parameter]: value };
    const parsed = node.type.params.safeParse(merged, { error: issueText });
    return parsed.success
      ? undefined
      : `is rejected by the node: ${parsed.error.issues[0]?.message ?? ""}`;
  }
  if (node.type.role !== "input") {
    return undefined;
  }
  const parsed = node.type.parse(value, node.params);
  return "problem" in parsed ? `is rejected by the node: ${parsed.problem}` : undefined;
}

function checkOutputs(
  entry: CustomInterface,
  path: string,
  nodes: ReadonlyMap<string, KnownNode | undefined>,
  found: Found,
): void {
  const seenKeys = new Set<string>();
  const seenNodes = new Set<string>();
  entry.outputs.forEach((output, index) => {
    const at = `${path}.outputs[${index}]`;
    if (seenKeys.has(output.key)) {
      found.errors.push({
        code: "INTERFACE_DUPLICATE_KEY",
        path: `${at}.key`,
        message: `The output key "${output.key}" is used twice. Give each output its own key.`,
      });
    }
    seenKeys.add(output.key);
    if (seenNodes.has(output.node)) {
      found.errors.push({
        code: "INTERFACE_DUPLICATE_TARGET",
        path: `${at}.node`,
        node_id: output.node,
        message: `The output node "${output.node}" is declared twice. Declare it once.`,
      });
    }
    seenNodes.add(output.node);
    const node = nodes.get(output.node);
    if (!nodes.has(output.node) || (node !== undefined && node.type.role !== "output")) {
      found.errors.push({
        code: "INTERFACE_UNKNOWN_OUTPUT",
        path: `${at}.node`,
        message: `"${output.node}" is not an output node of this definition.`,
      });
    }
  });
}

function checkRequiredInputs(
  entry: CustomInterface,
  path: string,
  nodes: ReadonlyMap<string, KnownNode | undefined>,
  found: Found,
): void {
  const bound = new Set(
    entry.fields.filter(({ bind }) => bind.parameter === undefined).map(({ bind }) => bind.node),
  );
  for (const node of nodes.values()) {
    if (node !== undefined && !bound.has(node.id) && isNeeded(node)) {
      found.errors.push({
        code: "INTERFACE_REQUIRED_INPUT_UNBOUND",
        path: `${path}.fields`,
        node_id: node.id,
        message: `The interface "${entry.name}" leaves the required input "${node.id}" without a value: no field is bound to it and it has no default.`,
        suggestion: `Add a field with bind {"node": ${JSON.stringify(node.id)}}, or give the input a default.`,
      });
    }
  }
}

/** A run cannot start without a value for it. */
function isNeeded({ type, params }: KnownNode): boolean {
  return (
    type.role === "input" &&
    params !== undefined &&
    type.isRequired(params) &&
    !hasDefault(type, params)
  );
}

type InputType = Extract<NodeType, { role: "input" }>;

const EVERY_FIELD_TYPE: readonly InterfaceField["type"][] = [
  "text",
  "number",
  "boolean",
  "json",
  "enum",
  "preset",
  "effect",
];

function fieldTypesOf({ inputKind, files }: InputType): readonly InterfaceField["type"][] {
  if (inputKind === "any" && files?.isOnly === true) {
    // A file of another kind than picture, audio or video: forms show it as a document.
    return ["document", ...EVERY_FIELD_TYPE];
  }
  switch (inputKind) {
    case "text":
      return ["text", "enum", "preset", "effect"];
    case "any":
      return EVERY_FIELD_TYPE;
    default:
      return [inputKind];
  }
}
