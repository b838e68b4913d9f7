/** The fields of a schema as rows: name, type, whether required, meaning, and nested fields. */
import type { OpenApiDocument, OpenApiSchema } from "../../contracts/openapi-document.ts";
import { escapeHtml, proseHtml } from "../site/html.ts";

/** Nested fields are shown up to this depth; deeper ones only with their type. */
const DEPTH_MAX = 4;

const REF = "#/components/schemas/";

/** Resolves a reference and merges the members of `allOf`. */
export function resolveSchema(document: OpenApiDocument, schema: OpenApiSchema): OpenApiSchema {
  if (schema.$ref !== undefined) {
    const found = document.components.schemas[schema.$ref.slice(REF.length)] ?? {};
    const { $ref: _ref, ...beside } = schema;
    return { ...resolveSchema(document, found), ...beside };
  }
  if (schema.allOf === undefined) {
    return schema;
  }
  const { allOf, ...rest } = schema;
  return [...allOf.map((part) => resolveSchema(document, part)), rest].reduce((merged, part) => ({
    ...merged,
    ...part,
    ...((merged.properties ?? part.properties) !== undefined && {
      properties: { ...merged.properties, ...part.properties },
      required: [...(merged.required ?? []), ...(part.required ?? [])],
    }),
  }));
}

/** The alternatives of a schema without `null`. */
function choicesOf(document: OpenApiDocument, schema: OpenApiSchema): readonly OpenApiSchema[] {
  return (schema.oneOf ?? schema.anyOf ?? [])
    .map((choice) => resolveSchema(document, choice))
    .filter((choice) => choice.type !== "null");
}

/** `string, 8 to 255 characters`, `array of object`, `integer or null`. */
export function typeWords(document: OpenApiDocument, given: OpenApiSchema): string {
  const schema = resolveSchema(document, given);
  const choices = choicesOf(document, schema);
  if (choices.length > 0) {
    const words = [...new Set(choices.map((choice) => typeWords(document, choice)))].join(" or ");
    const isNullable = (schema.oneOf ?? schema.anyOf ?? []).some(({ type }) => type === "null");
    return isNullable ? `${words} or null` : words;
  }
  const types = [schema.type ?? (schema.properties === undefined ? "any" : "object")].flat();
  const words = types.map((type) =>
    type === "array" && schema.items !== undefined
      ? `array of ${typeWords(document, schema.items)}`
      : type,
  );
  const limits = limitWords(schema);
  return [words.join(" or "), schema.format, limits].filter(Boolean).join(", ");
}

function limitWords(schema: OpenApiSchema): string {
  const range = (from: number | undefined, to: number | undefined, unit: string): string => {
    // The bounds of a safe integer are not informative.
    const low = from === Number.MIN_SAFE_INTEGER ? undefined : from;
    const high = to === Number.MAX_SAFE_INTEGER ? undefined : to;
    if (low !== undefined && high !== undefined) {
      return low === high ? `${low}${unit}` : `${low} to ${high}${unit}`;
    }
    if (high !== undefined) {
      return `up to ${high}${unit}`;
    }
    return low === undefined || (low === 0 && unit !== "") ? "" : `${low} or more${unit}`;
  };
  return [
    range(schema.minimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
  ]
    .filter((words) => words !== "")
    .join(", ");
}

/** `idempotency-key` in the usual spelling of headers. */
export function headerName(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

export interface FieldRow {
  readonly name: string;
  readonly schema: OpenApiSchema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
}

/** The fields of an object, of an array's items, or of each alternative, as list items. Empty for other schemas. */
export function fieldRows(document: OpenApiDocument, schema: OpenApiSchema, depth = 0): string {
  if (depth >= DEPTH_MAX) {
    return "";
  }
  const whole = resolveSchema(document, schema);
  if (whole.items !== undefined) {
    return fieldRows(document, whole.items, depth);
  }
  const choices = choicesOf(document, whole);
  if (choices.length > 0) {
    const shown = choices.map((choice) => fieldRows(document, choice, depth));
    return shown.filter((rows) => rows !== "").length === 1
      ? shown.join("")
      : shown
          .map((rows, at) => choiceRow(rows, at, typeWords(document, choices[at] ?? {})))
          .join("");
  }
  const required = new Set(whole.required);
  const rows = Object.entries(whole.properties ?? {}).map(([name, property]) =>
    fieldRow(document, { name, schema: property, isRequired: required.has(name) }, depth),
  );
  if (typeof whole.additionalProperties === "object" && rows.length === 0) {
    const inner = fieldRows(document, whole.additionalProperties, depth + 1);
    return inner === ""
      ? ""
      : fieldRow(
          document,
          { name: "{key}", schema: whole.additionalProperties, isRequired: false },
          depth,
        );
  }
  return rows.join("\n");
}

function choiceRow(rows: string, at: number, type: string): string {
  return rows === ""
    ? ""
    : `<li class="prm"><p class="tiny muted">Form ${at + 1}: ${escapeHtml(type)}</p><ul class="sub">${rows}</ul></li>`;
}

/** One field: its name, type and meaning, and nested fields. */
export function fieldRow(document: OpenApiDocument, field: FieldRow, depth = 0): string {
  const schema = resolveSchema(document, field.schema);
  const inner = fieldRows(document, schema, depth + 1);
  const words = [
    field.description ?? schema.description ?? "",
    valueWords(schema),
    schema.default === undefined ? "" : `Default \`${JSON.stringify(schema.default)}\`.`,
  ].filter((text) => text !== "");
  return `<li class="prm"><div class="row wrap prm-h"><code><b>${escapeHtml(field.name)}</b></code><span class="tiny muted">${escapeHtml(typeWords(document, field.schema))}</span>${field.isRequired ? '<span class="tiny req">required</span>' : ""}</div>
${words.length === 0 ? "" : `<p class="small">${words.map(proseHtml).join(" ")}</p>`}${inner === "" ? "" : `<ul class="sub">${inner}</ul>`}</li>`;
}

function valueWords(schema: OpenApiSchema): string {
  if (schema.const !== undefined) {
    return `Always \`${JSON.stringify(schema.const)}\`.`;
  }
  const values = schema.enum ?? schema.items?.enum;
  return values === undefined
    ? ""
    : `One of ${values.map((value) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``).join(", ")}.`;
}
