import type { CustomInterface, Definition } from "../../../contracts/workflows/definition.ts";
import { parseDefinition } from "../../../contracts/workflows/parse-definition.ts";
import type { SourceDescription } from "../../../contracts/runs/run-source.ts";
import type { Plan } from "../../../engine/plan/plan.ts";
import { decodeValue, isSpilled } from "../../../engine/values.ts";
import { FileRef } from "../../../lib/files/file-ref.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../../lib/json/exact-json.ts";
import { BATCH_INPUT, batchItemsOf } from "../../../nodes/define-batch-item.ts";
import { findNodeType } from "../../../nodes/registry.ts";
import {
  type InputPart,
  partsOfDraft,
  partsOfPlan,
} from "../../workflows/contract/interface-parts.ts";

type Source = Pick<SourceDescription, "definition_json" | "inputs" | "parameter_overrides">;

/** The inputs of a retry, as a submit would send them. */
export interface ReboundInputs {
  /** Entries by key. */
  readonly given: { readonly [key: string]: JsonValue };
  /** Stored files of the source, by input node. */
  readonly files: ReadonlyMap<string, string>;
  /** Items of a batch that the source's inputs are, as JSON text, by input node. */
  readonly values: ReadonlyMap<string, string>;
  /** Inputs of the source that have no place, by the key that they had. */
  readonly dropped: readonly string[];
}

interface Subject {
  readonly plan: Plan;
  /** The custom interface of the source in this definition; undefined for the default one. */
  readonly entry: CustomInterface | undefined;
}

/**
 * Binds the inputs of a source to a definition, by node id, else by port name; those of a custom interface by what their
 * fields set. `replaced` has the entries of the retry, where null takes an input out. `readText` returns the JSON text
 * of a value that is stored as a file.
 */
export async function rebindInputs(
  source: Source,
  { plan, entry }: Subject,
  replaced: { readonly [key: string]: JsonValue },
  readText: (file: FileRef) => Promise<string>,
): Promise<ReboundInputs> {
  const parts = partsOf(source.definition_json);
  const names = new Map(parts.map(({ nodeId, name }) => [nodeId, name]));
  const batchNodes = new Set(
    parts.filter(({ type }) => type.type === BATCH_INPUT).map(({ nodeId }) => nodeId),
  );
  const inputs = partsOfPlan(plan).inputs;
  const had = new Set(source.inputs.map(({ node_id }) => node_id));
  const given = new Map<string, JsonValue>();
  const files = new Map<string, string>();
  const values = new Map<string, string>();
  const dropped: string[] = [];
  for (const { node_id, stored } of source.inputs) {
    const input =
      inputs.find(({ nodeId }) => nodeId === node_id) ??
      inputs.find(({ name, nodeId }) => name === names.get(node_id) && !had.has(nodeId));
    const value = decodeValue(stored);
    if (input === undefined || !isAccepted(input, value)) {
      dropped.push(names.get(node_id) ?? node_id);
      continue;
    }
    const key = keyOf(input, entry);
    if (value instanceof FileRef) {
      files.set(input.nodeId, stored);
      continue;
    }
    const wasBatch = batchNodes.has(node_id);
    const staysBatch = wasBatch && input.type.type === BATCH_INPUT;
    if (key === undefined && !staysBatch) {
      // An input that the interface does not show has its default, as at every submit.
      continue;
    }
    const text = isSpilled(value) ? await readText(value.spilled) : stringifyJson(value);
    // What a submit gave is a list. Any other value of the node is the item of a batch's run, with its index.
    const wasItem = wasBatch && !text.startsWith("[");
    if (staysBatch && wasItem) {
      values.set(input.nodeId, text);
    } else if (key !== undefined) {
      given.set(key, { value: wasItem ? itemText(text) : text });
    }
  }
  for (const { node_id, parameter, value_json } of source.parameter_overrides) {
    const field = entry?.fields.find(
      ({ bind }) => bind.node === node_id && bind.parameter === parameter,
    );
    if (field === undefined) {
      dropped.push(`${node_id}.${parameter}`);
    } else {
      given.set(field.key, { value: value_json });
    }
  }
  replace({ given, files, values }, replaced, inputs, entry);
  return { given: Object.fromEntries(given), files, values, dropped };
}

/** Puts the entries of the retry in place of those of the source. */
function replace(
  {
    given,
    files,
    values,
  }: {
    readonly given: Map<string, JsonValue>;
    readonly files: Map<string, string>;
    readonly values: Map<string, string>;
  },
  replaced: { readonly [key: string]: JsonValue },
  inputs: readonly InputPart[],
  entry: CustomInterface | undefined,
): void {
  for (const [key, sent] of Object.entries(replaced)) {
    const input = inputOf(key, inputs, entry);
    const known = input === undefined ? key : (keyOf(input, entry) ?? key);
    const isKnown =
      input !== undefined || entry?.fields.some((field) => field.key === key) === true;
    given.delete(known);
    files.delete(input?.nodeId ?? "");
    values.delete(input?.nodeId ?? "");
    if (sent !== null || !isKnown) {
      given.set(key, sent);
    }
  }
}

/** The source's inputs. */
function partsOf(definitionJson: string): readonly InputPart[] {
  const definition: Definition = parseDefinition(definitionJson);
  return partsOfDraft(definition, findNodeType).inputs;
}

/** JSON text of the item in the value that `input/batch` had in the run of a batch's item. */
function itemText(text: string): string {
  return stringifyJson(batchItemsOf(parseJson(text)).items[0] ?? null);
}

/** Whether an input may have a file: of a kind that it accepts. */
function isAccepted({ type }: InputPart, value: ReturnType<typeof decodeValue>): boolean {
  if (!(value instanceof FileRef)) {
    return type.files?.isOnly !== true;
  }
  const extension = /\.([^.]+)$/.exec(value.name)?.[1]?.toLowerCase() ?? "";
  return type.files?.extensions.includes(extension) === true;
}

/** The key under which a submit sends an input; undefined if the interface does not show it. */
function keyOf(input: InputPart, entry: CustomInterface | undefined): string | undefined {
  return entry === undefined
    ? input.name
    : entry.fields.find(({ bind }) => bind.node === input.nodeId && bind.parameter === undefined)
        ?.key;
}

/** The input that a sent key names. */
export function inputOf(
  key: string,
  inputs: readonly InputPart[],
  entry: CustomInterface | undefined,
): InputPart | undefined {
  if (entry !== undefined) {
    const field = entry.fields.find((each) => each.key === key);
    return field?.bind.parameter === undefined
      ? inputs.find(({ nodeId }) => nodeId === field?.bind.node)
      : undefined;
  }
  return inputs.find(({ name }) => name === key) ?? inputs.find(({ nodeId }) => nodeId === key);
}
