import type { EmbedField } from "../../contracts/embeds/embed-config.ts";
import { extensionsOf } from "../../contracts/media/media-input.ts";
import { isMediaKind } from "../../contracts/media/media-kinds.ts";
import type { CustomInterface, InterfaceField } from "../../contracts/workflows/definition.ts";
import type { Plan } from "../../engine/plan/plan.ts";
import { ExactNumber } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { describeInterface, inputNeeds } from "../workflows/contract/describe-interface.ts";
import { type InputPart, partsOfPlan } from "../workflows/contract/interface-parts.ts";
import { exposableParameter, parameterMeta } from "../workflows/definition/exposable-parameter.ts";

interface Choice {
  readonly code: string;
  readonly category: string;
  readonly name: string;
  readonly thumbnail: string | null;
}

/** What the catalog offers for fields of these types, in its order. */
export interface Vocabulary {
  readonly presets: readonly Choice[];
  readonly effects: readonly Choice[];
}

/** The fields of a form, in the order of the interface or of the definition (docs/contract/embeds.md#config). Pure. */
export function configFields(
  plan: Plan,
  entry: CustomInterface | undefined,
  vocabulary: Vocabulary,
): EmbedField[] {
  const parts = partsOfPlan(plan);
  if (entry === undefined) {
    return parts.inputs.map((input) => ({
      key: input.name,
      label: input.label,
      description: descriptionOf(input),
      type: typeOf(input),
      ...inputNeeds(input),
      ...detailsOf(input),
    }));
  }
  const described = describeInterface(entry, parts).fields;
  return entry.fields.map((field, at): EmbedField => {
    const shown = described[at];
    const defaultValue = shown?.default_value;
    const input =
      field.bind.parameter === undefined
        ? parts.inputs.find(({ nodeId }) => nodeId === field.bind.node)
        : undefined;
    const options = optionsOf(plan, field, vocabulary);
    return {
      key: field.key,
      label: shown?.label ?? field.key,
      description: shown?.description ?? "",
      type: input?.type.files?.isOnly === true ? typeOf(input) : field.type,
      required: shown?.required ?? field.required,
      ...(defaultValue !== undefined && { default_value: defaultValue }),
      ...(field.category !== undefined && { category: field.category }),
      ...(input === undefined ? ofKind(field.type) : detailsOf(input)),
      ...(field.constraints !== undefined && { constraints: field.constraints }),
      ...(options !== undefined && { options }),
    };
  });
}

/** An input of any value takes JSON; one that takes stored files alone, and no media, a data file. */
function typeOf({ type }: InputPart): EmbedField["type"] {
  if (type.inputKind !== "any") {
    return type.inputKind;
  }
  return type.files?.isOnly === true ? "data" : "json";
}

function descriptionOf({ params }: InputPart): string {
  const given = (params as { readonly description?: unknown } | undefined)?.description;
  return typeof given === "string" ? given : "";
}

/** What a control needs beside the type, from the parameters of the input node. */
function detailsOf({
  type,
  params,
}: InputPart): Pick<
  EmbedField,
  "multiline" | "max_length" | "constraints" | "accept" | "max_size_bytes"
> {
  const given = (params ?? {}) as Readonly<Record<string, unknown>>;
  const { multiline, max_length: maxLength } = given;
  const [min, max] = [numberOf(given["min"]), numberOf(given["max"])];
  const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return {
    ...(type.inputKind === "text" && typeof multiline === "boolean" && { multiline }),
    ...(type.inputKind === "text" && typeof maxLength === "number" && { max_length: maxLength }),
    ...(type.inputKind === "number" && Object.keys(bounds).length > 0 && { constraints: bounds }),
    ...(type.files !== undefined && files(type.files.extensions)),
  };
}

/** The number of a parameter, whose digits may have been kept; undefined for any other value. */
function numberOf(value: unknown): number | undefined {
  return value instanceof ExactNumber
    ? value.toNumber()
    : typeof value === "number"
      ? value
      : undefined;
}

function ofKind(type: InterfaceField["type"]): Pick<EmbedField, "accept" | "max_size_bytes"> {
  return isMediaKind(type) ? files(extensionsOf(type)) : {};
}

function files(extensions: readonly string[]): Pick<EmbedField, "accept" | "max_size_bytes"> {
  return {
    accept: extensions.map((extension) => `.${extension}`),
    max_size_bytes: LIMITS.file.value,
  };
}

/** What can be chosen: the field's own values, those of the parameter, or the catalog's of its category. */
function optionsOf(
  plan: Plan,
  field: InterfaceField,
  vocabulary: Vocabulary,
): EmbedField["options"] | undefined {
  if (field.type !== "enum" && field.type !== "preset" && field.type !== "effect") {
    return undefined;
  }
  const { parameter, node: nodeId } = field.bind;
  const type = plan.nodes.find(({ id }) => id === nodeId)?.type;
  const listed =
    field.constraints?.allowed_values ??
    (type === undefined || parameter === undefined
      ? undefined
      : exposableParameter(type, parameter)?.options);
  if (field.type === "enum") {
    return (listed ?? []).map((code) => ({ code, name: code }));
  }
  const meta = type === undefined || parameter === undefined ? {} : parameterMeta(type, parameter);
  const { category } = meta;
  const all = field.type === "preset" ? vocabulary.presets : vocabulary.effects;
  return all
    .filter(
      (choice) =>
        (listed === undefined || listed.includes(choice.code)) &&
        (field.type === "effect" || typeof category !== "string" || choice.category === category),
    )
    .map(({ code, name, thumbnail }) => ({ code, name, ...(thumbnail !== null && { thumbnail }) }));
}
