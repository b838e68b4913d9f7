import * as z from "zod";
import { fieldCode, flag, guid, jsonValue, text, textUpTo } from "./scalars.ts";

export const ALIGNMENTS = [
  "top_left",
  "top_center",
  "top_right",
  "center_left",
  "center",
  "center_right",
  "bottom_left",
  "bottom_center",
  "bottom_right",
] as const;

export const imageFitMode = z.enum(["fit", "fill", "stretch"]);
export const alignment = z.enum(ALIGNMENTS);

const affix = textUpTo(200);
const locale = textUpTo(100, 1);

export const TextFormat = z
  .strictObject({
    prefix: affix.default(""),
    suffix: affix.default(""),
    case: z.enum(["none", "upper", "lower"]).default("none"),
  })
  .meta({ id: "TextFormat" });
export type TextFormat = z.output<typeof TextFormat>;

const fractionDigits = z.int().min(0).max(20);

export const NumberFormat = z
  .strictObject({
    locale: locale.default("en-US"),
    style: z.enum(["decimal", "percent", "currency"]).default("decimal"),
    currency: z
      .string()
      .regex(/^[A-Za-z]{3}$/)
      .optional(),
    minimumFractionDigits: fractionDigits.optional(),
    maximumFractionDigits: fractionDigits.optional(),
    useGrouping: flag.default(true),
    prefix: affix.default(""),
    suffix: affix.default(""),
  })
  .meta({ id: "NumberFormat" });
export type NumberFormat = z.output<typeof NumberFormat>;

const style = z.enum(["full", "long", "medium", "short"]);

export const DateFormat = z
  .strictObject({
    locale: locale.default("en-US"),
    dateStyle: style.default("medium"),
    timeStyle: style.optional(),
    timeZone: textUpTo(100, 1).default("UTC"),
    prefix: affix.default(""),
    suffix: affix.default(""),
  })
  .meta({ id: "DateFormat" });
export type DateFormat = z.output<typeof DateFormat>;

export const FIELD_TYPES = [
  "text",
  "number",
  "date",
  "url",
  "image",
  "color",
  "boolean",
  "list",
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

const common = {
  id: guid,
  name: text,
  code: fieldCode,
  required: flag.default(false),
  description: text.default(""),
  fitMode: imageFitMode.optional(),
  alignment: alignment.optional(),
  /** Of the field's type; checked with the values (`values/check-values.ts`). */
  defaultValue: jsonValue.optional(),
};

/** A field of the template, at one of its occurrences. */
export const Placeholder = z
  .discriminatedUnion("placeholderType", [
    z.strictObject({
      ...common,
      placeholderType: z.enum(["text", "url"]),
      format: TextFormat.optional(),
    }),
    z.strictObject({
      ...common,
      placeholderType: z.literal("number"),
      format: NumberFormat.optional(),
    }),
    z.strictObject({
      ...common,
      placeholderType: z.literal("date"),
      format: DateFormat.optional(),
    }),
    z.strictObject({
      ...common,
      placeholderType: z.enum(["image", "color", "boolean", "list"]),
    }),
  ])
  .meta({ id: "Placeholder" });
export type Placeholder = z.output<typeof Placeholder>;

/** Codes that have a meaning of their own: the data inputs of a node and the page numbers. */
export function isReservedCode(code: string): boolean {
  return RESERVED.has(code) || /^data_\d+$/.test(code);
}

const RESERVED: ReadonlySet<string> = new Set([
  "data",
  "assets",
  "introPdf",
  "outroPdf",
  "page",
  "pages",
  "sequencePages",
]);
