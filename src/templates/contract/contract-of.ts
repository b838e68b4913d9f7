import { plainNumbers } from "../../contracts/workflows/plain-numbers.ts";
import { isJsonNumber, type JsonValue, numberToken } from "../../lib/json/exact-json.ts";
import type { DesignDocumentInput } from "../document/design-document.ts";
import { DateFormat, type FieldType, NumberFormat, TextFormat } from "../document/field.ts";
import type { FieldSpec } from "../document/field-tree.ts";

/** A field as a template's contract has it (docs/contract/templates.md#revisions). */
export interface ContractField {
  readonly code: string;
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  /** `defaultValue`; else, unless the field is required, what its first element shows; else null. */
  readonly default: JsonValue;
  readonly description: string;
  /** With its defaults; null without a format. */
  readonly format: JsonValue;
  /** Of a list: the fewest items that a region of it prints; null for others. Only for comparisons, never shown. */
  readonly items_max: number | null;
  readonly item_keys?: readonly ContractField[];
}

export interface TemplateContract {
  readonly page_count: number;
  readonly pages: readonly {
    readonly id: string;
    readonly name: string;
    readonly width: number;
    readonly height: number;
    readonly fit_height: boolean;
  }[];
  /** In order of first occurrence. */
  readonly fields: readonly ContractField[];
}

/** The contract of a valid document, whose fields its validation returned. */
export function contractOf(
  document: DesignDocumentInput,
  fields: ReadonlyMap<string, FieldSpec>,
): TemplateContract {
  return {
    page_count: document.pages.length,
    pages: document.pages.map(({ id, name = "", width, height, fitHeight = false }) => ({
      id,
      name,
      width: plain(width),
      height: plain(height),
      fit_height: fitHeight,
    })),
    fields: [...fields.values()].map(fieldOf),
  };
}

/** Numbers of a stored document may keep their digits; those of a contract are plain. */
function plain(value: JsonValue): number {
  return isJsonNumber(value) ? Number(numberToken(value)) : Number.NaN;
}

function fieldOf(field: FieldSpec): ContractField {
  return {
    code: field.code,
    name: field.name,
    type: field.type,
    required: field.required,
    default: field.defaultValue ?? (field.required ? null : field.content),
    description: field.description,
    format: formatOf(field),
    items_max: field.itemsMax ?? null,
    ...(field.type === "list" && { item_keys: [...field.items.values()].map(fieldOf) }),
  };
}

function formatOf({ type, format }: FieldSpec): JsonValue {
  const schema = FORMATS[type];
  return schema === undefined || format === undefined
    ? null
    : (schema.parse(plainNumbers(format)) as JsonValue);
}

const FORMATS: Readonly<
  Partial<Record<FieldType, typeof TextFormat | typeof NumberFormat | typeof DateFormat>>
> = { text: TextFormat, url: TextFormat, number: NumberFormat, date: DateFormat };
