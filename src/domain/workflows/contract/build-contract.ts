import type {
  CustomInterface,
  Definition,
  InterfaceField,
} from "../../../contracts/workflows/definition.ts";
import type { ContractOutput, ExecutionContract } from "../../../contracts/workflows/workflow.ts";
import { hasDefault } from "../../../nodes/define-node.ts";
import type { Plan, PlanOutput } from "../../../engine/plan/plan.ts";
import { type JsonValue, stringifyJson } from "../../../lib/json/exact-json.ts";
import { buildResultExample } from "./build-result-example.ts";
import { describeInterface, inputNeeds } from "./describe-interface.ts";
import { isMediaKind } from "../../../contracts/media/media-kinds.ts";
import { exampleValue } from "./example-value.ts";
import { fieldValueProblem } from "../definition/field-value-problem.ts";
import { type InputPart, type InterfaceParts, partsOfPlan } from "./interface-parts.ts";

type Example = ExecutionContract["primary"]["example"];
type Inputs = ExecutionContract["primary"]["inputs"];

export interface ContractSubject {
  readonly workflowId: string;
  /**
   * Included in the examples if it is not the latest, so that they run the version that they
   * describe.
   */
  readonly pinnedVersion: number | undefined;
  readonly definition: Definition;
  readonly plan: Plan;
  /**
   * Path of the newest asset that an input accepts, by its node's id; if omitted, examples show
   * addresses.
   */
  readonly newestAssets?: ReadonlyMap<string, string>;
}

type ExampleEntry = { readonly value: string } | { readonly asset_path: string };

/**
 * The inputs to send and the results to read, ready to copy
 * (docs/contract/workflows.md#execution-contract). Pure.
 */
export function buildContract(subject: ContractSubject): ExecutionContract {
  const parts = partsOfPlan(subject.plan);
  const recommended = subject.definition.interfaces.find((entry) => entry.is_default);
  const shapes = subject.definition.interfaces.map((entry) => ({
    entry,
    shape: ofInterface(subject, entry, parts),
  }));
  const primary = shapes.find(({ entry }) => entry === recommended)?.shape;
  const outputs = outputsOf(subject.plan, recommended);
  return {
    primary:
      primary === undefined || recommended?.id === undefined
        ? ofPorts(subject, parts)
        : { interface: recommended.id, ...primary },
    alternative_interfaces: shapes
      .filter(({ entry }) => entry !== recommended)
      .map(({ entry, shape }) => ({
        id: entry.id ?? "",
        name: entry.name,
        description: entry.description ?? "",
        inputs: shape.inputs,
        output_keys: outputsOf(subject.plan, entry).map((output) => output.key),
        example: shape.example,
      })),
    outputs,
    result_example: buildResultExample(subject.workflowId, outputs),
  };
}

function ofPorts(subject: ContractSubject, parts: InterfaceParts): ExecutionContract["primary"] {
  const notes: string[] = [];
  const inputs: [string, Inputs[string]][] = [];
  const entries: [string, ExampleEntry][] = [];
  for (const input of parts.inputs) {
    const needs = inputNeeds(input);
    inputs.push([input.name, { type: input.type.inputKind, ...needs }]);
    const assetPath =
      newestAsset(subject, input) ?? placeholderPath(input, needs.required, input.name, notes);
    if (assetPath !== undefined) {
      entries.push([input.name, { asset_path: assetPath }]);
      continue;
    }
    const value = inputExample(input, needs.required, input.name, notes);
    if (value !== undefined) {
      entries.push([input.name, { value: stringifyJson(value) }]);
    }
  }
  return {
    inputs: toRecord(inputs),
    example: exampleBody(subject, undefined, entries),
    notes,
  };
}

function ofInterface(
  subject: ContractSubject,
  entry: CustomInterface,
  parts: InterfaceParts,
): { inputs: Inputs; example: Example; notes: string[] } {
  const notes: string[] = [];
  const inputs: [string, Inputs[string]][] = [];
  const entries: [string, ExampleEntry][] = [];
  const described = describeInterface(entry, parts);
  entry.fields.forEach((field, index) => {
    const { required, default_value } = described.fields[index] ?? { required: field.required };
    inputs.push([
      field.key,
      { type: field.type, required, ...(default_value === undefined ? {} : { default_value }) },
    ]);
    const bound = parts.inputs.find(({ nodeId }) => nodeId === field.bind.node);
    const assetPath =
      default_value === undefined && field.bind.parameter === undefined && bound !== undefined
        ? (newestAsset(subject, bound) ?? placeholderPath(bound, required, field.key, notes))
        : undefined;
    if (assetPath !== undefined) {
      entries.push([field.key, { asset_path: assetPath }]);
      return;
    }
    const value = default_value ?? fieldExample(field, required, subject.plan, parts, notes);
    if (value !== undefined) {
      entries.push([field.key, { value }]);
    }
  });
  return {
    inputs: toRecord(inputs),
    example: exampleBody(subject, entry.id, entries),
    notes,
  };
}

/**
 * docs/contract/workflows.md#execution-contract: a media input uses the newest asset of its type.
 * An input with a default does not need one.
 */
function newestAsset(
  subject: ContractSubject,
  { nodeId, type, params }: InputPart,
): string | undefined {
  return hasDefault(type, params) ? undefined : subject.newestAssets?.get(nodeId);
}

/**
 * An input that accepts only stored files has no other example: if there is no file yet, a
 * placeholder is shown.
 */
function placeholderPath(
  { type, params }: InputPart,
  required: boolean,
  key: string,
  notes: string[],
): string | undefined {
  if (type.files?.isOnly !== true || !required || hasDefault(type, params)) {
    return undefined;
  }
  const { extensions } = type.files;
  notes.push(
    `"${key}" shows a placeholder path: the workspace has no file that it accepts (${extensions.join(", ")}). Upload one, and send the path that the upload returns.`,
  );
  return `path-of-your-upload.${extensions[0] ?? "bin"}`;
}

/**
 * An optional media input is omitted: a placeholder address would fail the run
 * (docs/contract/workflows.md#execution-contract).
 */
function inputExample(
  input: InputPart,
  required: boolean,
  key: string,
  notes: string[],
): JsonValue | undefined {
  const isMedia = isMediaKind(input.type.inputKind);
  const isFilled = hasDefault(input.type, input.params);
  if (isMedia && !isFilled) {
    if (!required) {
      return undefined;
    }
    notes.push(
      `"${key}" shows a placeholder address. Replace it by a public https address of your own ${input.type.inputKind}, or by the asset_path of an upload.`,
    );
  }
  const value = exampleValue(input.type, input.params, input.label);
  if (value === undefined && required) {
    notes.push(
      `"${key}" has rules for which no example could be generated. Send a value of your own.`,
    );
  }
  return value;
}

function fieldExample(
  field: InterfaceField,
  required: boolean,
  plan: Plan,
  parts: InterfaceParts,
  notes: string[],
): string | undefined {
  const input = parts.inputs.find((part) => part.nodeId === field.bind.node);
  const isInput = field.bind.parameter === undefined && input !== undefined;
  if (isInput && isMediaKind(field.type)) {
    const value = inputExample(input, required, field.key, notes);
    return value === undefined ? undefined : stringifyJson(value);
  }
  const natural = isInput ? exampleValue(input.type, input.params, input.label) : undefined;
  const accepts = (value: JsonValue): boolean => {
    if (fieldValueProblem(field, value) !== undefined) {
      return false;
    }
    if (isInput) {
      return !("problem" in input.type.parse(value, input.params));
    }
    const node = plan.nodes.find(({ id }) => id === field.bind.node);
    return (
      field.bind.parameter === undefined ||
      node?.type.params.shape[field.bind.parameter]?.safeParse(value).success === true
    );
  };
  const value = fieldCandidates(field, natural, plan).find(accepts);
  if (value === undefined && required) {
    notes.push(
      `"${field.key}" has rules for which no example could be generated. Send a value of your own.`,
    );
  }
  return value === undefined ? undefined : stringifyJson(value);
}

function fieldCandidates(
  field: InterfaceField,
  natural: JsonValue | undefined,
  plan: Plan,
): JsonValue[] {
  const { min, max, allowed_values: allowed } = field.constraints ?? {};
  const node = plan.nodes.find(({ id }) => id === field.bind.node);
  const parameter = field.bind.parameter;
  // The value that the author saved on the node is the best example for a parameter.
  const saved =
    parameter === undefined
      ? undefined
      : (node?.params as Readonly<Record<string, JsonValue>> | undefined)?.[parameter];
  return [
    saved,
    natural,
    ...(allowed ?? []),
    min,
    max,
    1,
    0,
    true,
    "Example",
    { example: true },
  ].filter((value) => value !== undefined);
}

function exampleBody(
  subject: ContractSubject,
  interfaceId: string | undefined,
  entries: readonly [string, ExampleEntry][],
): Example {
  return {
    workflow: subject.workflowId,
    ...(subject.pinnedVersion === undefined ? {} : { version: subject.pinnedVersion }),
    ...(interfaceId === undefined ? {} : { interface: interfaceId }),
    inputs: toRecord(entries),
  };
}

/** The keys at run time; with a recommended interface, those of its outputs. */
function outputsOf(plan: Plan, entry: CustomInterface | undefined): ContractOutput[] {
  const declared = entry === undefined ? undefined : new Set(entry.outputs.map(({ node }) => node));
  return plan.outputs
    .filter((output) => declared?.has(plan.nodes[output.node]?.id ?? "") ?? true)
    .map((output) => describeOutput(output, plan.nodes[output.node]?.id ?? ""));
}

function describeOutput(output: PlanOutput, nodeId: string): ContractOutput {
  const isResolved = output.type === "text" || output.type === "json";
  const member = output.cardinality === "multiple" ? "items" : isResolved ? "value" : "url";
  const notes: string[] = output.description === "" ? [] : [output.description];
  if (output.cardinality === "multiple") {
    notes.push("Iterated: one item for each element; read items[], in the order of input_indices.");
  }
  if (!output.required) {
    notes.push("May be absent: check state before reading.");
  }
  if (isResolved) {
    notes.push("A body over 1 MiB has value null and a url to fetch instead.");
  }
  return {
    key: output.key,
    type: output.type,
    label: output.label,
    required: output.required,
    cardinality: output.cardinality,
    read_from: `result.by_key${accessor(output.key)}.${member}`,
    delivery: isResolved ? "resolved" : "asset",
    source_node_id: nodeId,
    logical_name: output.key,
    presence: output.required ? ["present"] : ["present", "absent"],
    schema: null,
    notes,
  };
}

/**
 * Dot notation if possible, else brackets with the key as a JSON string
 * (docs/contract/workflows.md#execution-contract).
 */
function accessor(key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** Defines own properties, so that a key named `__proto__` stays data. */
function toRecord<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(entries);
}
