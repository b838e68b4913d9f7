import * as z from "zod";
import { exactNumberField } from "../../contracts/workflows/node-parameters.ts";
import { jsonKind } from "../../expressions/convert-value.ts";
import {
  isJsonNumber,
  jsonNumber,
  type ExactNumber,
  type JsonValue,
} from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { findNumberFormat } from "../../lib/json/number-format.ts";
import { defineNode } from "../define-node.ts";
import type { RunValue } from "../define-ports.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const STRIP_MAX = LIMITS.stripped_texts.value;
const SHOWN_CHARS_MAX = 60;

const params = z.strictObject({
  locale: z
    .string()
    .min(1)
    .max(100)
    .refine((locale) => findNumberFormat(locale) !== undefined, {
      error: 'Must be "invariant" or a locale such as "de-DE".',
    })
    .default("invariant")
    .meta({
      title: "Locale",
      description:
        "The number format: a tag such as `de-DE`; `invariant` accepts a dot as decimal separator only.",
    }),
  strip: z
    .array(z.string().min(1).max(LIMITS.stripped_text.value))
    .max(STRIP_MAX)
    .default([])
    .meta({ title: "Remove", description: "Texts that are removed first, such as `€` or `%`." }),
  percent: z.boolean().default(false).meta({
    title: "Percent",
    description: "Whether a text that ends in `%` is read as hundredths: `12 %` as 0.12.",
  }),
  on_invalid: z.enum(["fail", "absent", "default"]).default("fail").meta({
    title: "If it is not a number",
    description: "Fail with `NUMBER_INVALID`, return no value, or return the default.",
  }),
  default: exactNumberField.optional().meta({
    title: "Default",
    exposable: true,
    visible_when: { parameter: "on_invalid", value: "default" },
    description: "The number to return if the value is not a number.",
  }),
});
type Params = z.output<typeof params>;

/** Reads a text as an exact number; returns undefined if it is not a number. */
function readText(
  text: string,
  { locale, strip, percent }: Params,
): number | ExactNumber | undefined {
  let rest = text;
  for (const piece of strip) {
    rest = rest.replaceAll(piece, "");
  }
  rest = rest.trim();
  const isPercent = percent && rest.endsWith("%");
  const token = findNumberFormat(locale)?.read(isPercent ? rest.slice(0, -1).trimEnd() : rest);
  return token === undefined ? undefined : jsonNumber(isPercent ? hundredth(token) : token);
}

/** A decimal token divided by 100. Only its point moves, so no digit is lost. */
function hundredth(token: string): string {
  const sign = token.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = token.slice(sign.length).split(".");
  const digits = whole.padStart(3, "0");
  const point = digits.length - 2;
  const [before, after] = [digits.slice(0, point), digits.slice(point) + fraction];
  let end = after.length;
  while (end > 0 && after[end - 1] === "0") {
    end -= 1;
  }
  return `${sign}${before}${end === 0 ? "" : `.${after.slice(0, end)}`}`;
}

function readValue(value: RunValue, parameters: Params): number | ExactNumber | undefined {
  if (isJsonNumber(value)) {
    return value;
  }
  return typeof value === "string" ? readText(value, parameters) : undefined;
}

function described(value: RunValue): string {
  if (typeof value === "string") {
    const cut = value.length > SHOWN_CHARS_MAX ? `${value.slice(0, SHOWN_CHARS_MAX)}…` : value;
    return JSON.stringify(cut.toWellFormed());
  }
  return value instanceof FileRef
    ? "A file"
    : `The value is ${jsonKind(value as JsonValue)}, which`;
}

export const utilityToNumber = defineNode({
  type: "utility/to_number",
  version: "1.0",
  name: "To number",
  description: "Reads a number that is written as text, exactly.",
  whenToUse:
    "For prices and quantities that arrive as text, such as `1.234,50 €`, before they go into an expression.",
  subCategory: "logic",
  status: "stable",
  icon: "hash",
  color: "#d97706",
  inputs: [{ name: "value", type: "any", label: "Value" }],
  outputs: [{ name: "number", type: "number", label: "Number" }],
  params,
  dynamicPorts: {
    descriptors: [],
    resolve: ({ on_invalid: onInvalid }) =>
      onInvalid === "absent"
        ? {
            without: ["number"],
            outputs: [{ name: "number", type: "number", optional: true, label: "Number" }],
          }
        : {},
  },
  check: ({ on_invalid: onInvalid, default: fallback }) =>
    onInvalid === "default" && fallback === undefined
      ? [
          {
            code: "INVALID_PARAMETER",
            path: "default",
            message: "on_invalid is default, so a default number is needed.",
          },
        ]
      : [],
  role: "transform",
  placement: "inline",
  work: ({ strip }) => 5 + 2 * strip.length,
  run(_ctx, inputs, parameters) {
    const value = inputs.get("value") ?? null;
    const number = readValue(value, parameters);
    if (number !== undefined) {
      return new Map([["number", number]]);
    }
    switch (parameters.on_invalid) {
      case "absent":
        return new Map();
      case "default":
        return new Map([["number", parameters.default ?? null]]);
      case "fail":
        throw new NodeError(
          "NUMBER_INVALID",
          `${described(value)} is not a number in the locale ${parameters.locale}. Set locale and strip to match it, or choose another on_invalid.`,
        );
    }
  },
});
