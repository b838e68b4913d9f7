/** What the inputs of a template node give to the fields of its template. */
import type { ReferencedTemplate } from "../contracts/templates/template-reference.ts";
import { isJsonObject, type JsonValue } from "../lib/json/exact-json.ts";
import { FileRef } from "../lib/files/file-ref.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { NodeInputs, RunValue } from "./define-ports.ts";
import type { FieldValues } from "./define-template-tools.ts";

/** Positional ports of `design/template_render`. */
export const DATA_PORTS: readonly string[] = Array.from({ length: 20 }, (_, at) => `data_${at}`);
/** All of them in the order of precedence, the lowest first. */
const DATA_ORDER = ["data", ...DATA_PORTS];

/**
 * The values of field ports that are present. Throws NodeError `TEMPLATE_FIELD_UNKNOWN` for one whose field the draft does
 * not have any more.
 */
export function valuesOfFields(template: ReferencedTemplate, inputs: NodeInputs): FieldValues {
  const { fields, lost_fields: lostFields = [] } = template;
  const lost = lostFields.find((code) => inputs.has(code));
  if (lost !== undefined) {
    throw new NodeError(
      "TEMPLATE_FIELD_UNKNOWN",
      `The draft of "${template.name}" does not have the field "${lost}" any more.`,
    );
  }
  return new Map(
    fields.flatMap(({ code }) => {
      const value = inputs.get(code);
      return value === undefined ? [] : [[code, value] as const];
    }),
  );
}

/**
 * The same with the values of `data`, `data_0` to `data_19` and `assets`, each over those before it and the field ports
 * over all. A key replaces a former one whole; keys without a field are kept, because the report names them. Throws
 * NodeError `INVALID_FIELD_VALUE`.
 */
export function valuesOfInputs(template: ReferencedTemplate, inputs: NodeInputs): FieldValues {
  const values = new Map<string, RunValue>();
  for (const port of DATA_ORDER) {
    for (const [code, value] of entriesOf(inputs, port)) {
      values.set(code, value);
    }
  }
  const types = new Map(template.fields.map(({ code, type }) => [code, type]));
  for (const [code, value] of entriesOf(inputs, "assets")) {
    const type = types.get(code);
    if (type !== undefined && type !== "image") {
      throw invalid(
        `assets.${code}: The field is of type ${type}. Send it on its own port or in data.`,
      );
    }
    values.set(code, value);
  }
  for (const [code, value] of valuesOfFields(template, inputs)) {
    values.set(code, value);
  }
  return values;
}

function entriesOf(inputs: NodeInputs, port: string): readonly (readonly [string, JsonValue])[] {
  const given = inputs.get(port);
  if (given === undefined || given === null) {
    return [];
  }
  if (given instanceof FileRef || !isJsonObject(given)) {
    throw invalid(`${port}: Must be an object with field codes as keys.`);
  }
  return Object.entries(given);
}

function invalid(message: string): NodeError {
  return new NodeError("INVALID_FIELD_VALUE", message);
}
