/** Fields: types, formats, defaults and what is required; and the policies of a render. */
import type { RenderOptions } from "../../../../src/contracts/templates/renderer.ts";
import {
  elements,
  type GoldenCase,
  type GoldenCases,
  type Loose,
  pages,
  sheet,
} from "./golden-case.ts";

const BOX = { $type: "text", left: 10, top: 10, width: 140, height: 40, text: "own content" };
const LONG = "words that need more room than there is in this small box ".repeat(3);

interface Field {
  readonly type?: string;
  readonly format?: Loose;
  readonly more?: Loose;
  readonly element?: Loose;
  readonly options?: Partial<RenderOptions>;
  /** Not given if it is left out. */
  readonly value?: unknown;
}

const number = (value: unknown, format?: Loose): Field => ({
  type: "number",
  value,
  ...(format && { format }),
});
const date = (value: unknown, format?: Loose): Field => ({
  type: "date",
  value,
  ...(format && { format }),
});

export const FIELD_CASES: GoldenCases = {
  ...fields({
    text: { value: "given" },
    "text that is not given": {},
    "text that is null": { value: null },
    "text that is empty": { value: "" },
    "text from a number": { value: 1.5 },
    "text from a boolean": { value: true },
    "text with a default": { more: { defaultValue: "default" } },
    "text with a default, given": { more: { defaultValue: "default" }, value: "given" },
    "text with a prefix and a suffix": { value: "given", format: { prefix: "» ", suffix: " «" } },
    "text as it is": { value: "Straße", format: { case: "none" } },
    "text in upper case": { value: "Straße", format: { case: "upper" } },
    "text in lower case": { value: "STRASSE", format: { case: "lower" } },
    "text with a description": { value: "given", more: { description: "What it is" } },
    address: { type: "url", value: "https://example.com/a", format: { prefix: "→ " } },
    "number as it was given": number(12345.5),
    "number of the default format": number(12345.678, {}),
    "number in German": number(12345.678, { locale: "de-DE", style: "decimal" }),
    "number as a share": number(0.256, { style: "percent", maximumFractionDigits: 1 }),
    "number of a currency": number(1234.5, { style: "currency", currency: "EUR" }),
    "number with at least two digits": number(1.5, { minimumFractionDigits: 2 }),
    "number rounded away from zero": number(-2.5, { maximumFractionDigits: 0 }),
    "number without groups": number(1234567, { useGrouping: false }),
    "number with groups": number(1234567, { useGrouping: true }),
    "number with a prefix and a suffix": number(5, { prefix: "about ", suffix: " kg" }),
    "date as it was given": date("2026-03-01"),
    "date of the default format": date("2026-03-01", {}),
    "date in full": date("2026-03-01", { dateStyle: "full" }),
    "date, long, in French": date("2026-03-01", { dateStyle: "long", locale: "fr-FR" }),
    "date, medium": date("2026-03-01", { dateStyle: "medium" }),
    "date, short": date("2026-03-01", { dateStyle: "short" }),
    "time in full": date("2026-03-01T10:30:00Z", { timeStyle: "full" }),
    "time, long": date("2026-03-01T10:30:00Z", { timeStyle: "long", dateStyle: "short" }),
    "time, medium": date("2026-03-01T10:30:00Z", { timeStyle: "medium" }),
    "time, short, in a zone": date("2026-03-01T23:30:00Z", {
      timeStyle: "short",
      timeZone: "Europe/Berlin",
    }),
    "date with a prefix and a suffix": date("2026-03-01", { prefix: "on ", suffix: "." }),
    "color of a text": { type: "color", value: "#d00000" },
    "switch on a text": { type: "boolean", value: false },
    "required and given": { more: { required: true }, value: "given" },
    "required and missing": { more: { required: true } },
    "required and empty": { more: { required: true }, value: "" },
    "required with a default": { more: { required: true, defaultValue: "default" } },
    "required and missing, under the default's policy": {
      more: { required: true },
      options: { missing_policy: "use_template_default" },
    },
    "too long, under the template's policy": {
      value: LONG,
      options: { overflow_policy: "template" },
    },
    "too long, under the policy to fail": { value: LONG, options: { overflow_policy: "fail" } },
    "too long, under the policy to fit": { value: LONG, options: { overflow_policy: "fit" } },
    "too long, under the policy to clip": {
      value: LONG,
      element: { overflowMode: "visible" },
      options: { overflow_policy: "clip" },
    },
  }),
  "list, at most two rows by the render": list({ max_repeat: 2 }),
  "list whose rows do not fit": list({}, { height: 20 }),
  "list whose rows must fit": list({ overflow_policy: "fail" }, { height: 20 }),
  "list that is required and empty": list({}, {}, { required: true }, []),
  "list that is required and not given": list({}, {}, { required: true }, null),
  "second of three pages": three("2"),
  "first and last of three pages": three("3,1"),
  "page that is not there": three("4"),
};

function fields(all: Readonly<Record<string, Field>>): GoldenCases {
  return Object.fromEntries(
    Object.entries(all).map(([name, { type = "text", format, more, element, options, value }]) => [
      name,
      elements(
        [
          {
            ...BOX,
            ...element,
            placeholder: {
              name: "Field",
              code: "field",
              placeholderType: type,
              ...(format && { format }),
              ...more,
            },
          },
        ],
        { values: value === undefined ? {} : { field: value }, ...(options && { options }) },
      ),
    ]),
  );
}

function list(
  options: Partial<RenderOptions>,
  region: Loose = {},
  placeholder: Loose = {},
  rows: readonly Loose[] | null = ["one", "two", "three"].map((word) => ({ word })),
): GoldenCase {
  return elements(
    [
      {
        $type: "repeat_region",
        left: 10,
        top: 10,
        width: 140,
        height: 80,
        itemHeight: 16,
        placeholder: { name: "Rows", code: "rows", placeholderType: "list", ...placeholder },
        children: [
          {
            $type: "text",
            width: 140,
            height: 16,
            placeholder: { name: "Word", code: "word", placeholderType: "text" },
          },
        ],
        ...region,
      },
    ],
    { values: { rows }, options },
  );
}

function three(selection: string): GoldenCase {
  const text = { ...BOX, text: "{{page}} of {{pages}}" };
  return pages([sheet([text]), sheet([text]), sheet([text])], {
    options: { page_selection: selection },
  });
}
