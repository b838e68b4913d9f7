import { plainNumbers } from "../../../src/contracts/workflows/plain-numbers.ts";
import { isJsonObject, type JsonValue } from "../../../src/lib/json/exact-json.ts";
import type { FieldSpec } from "../../../src/templates/document/field-tree.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import type { SeededRandom } from "../../simulation/seeded-random.ts";
import { documentOf } from "../templates/layout-kit.ts";
import { readSample, SAMPLE_NAMES } from "./read-sample.ts";

type Values = { readonly [code: string]: JsonValue };

/** A document with text fields, each of which is given characters that nothing else prints. */
export interface AccountedDocument {
  readonly name: string;
  readonly document: JsonValue;
  /** Characters of each text field, by its code, `rows.k` in lists. */
  readonly alphabets: ReadonlyMap<string, string>;
  /** All that it prints besides its fields; undefined if that depends on the values. */
  readonly own: string | undefined;
  /** Values to start from. */
  readonly base: Values;
  readonly fields: ReadonlyMap<string, FieldSpec>;
}

/** Letters, and marks that stand over and under them; as escapes, because editors put a lone mark on its neighbor. */
const ALPHABETS = [
  "абвгдежзийк\u0300\u0306",
  "лмнопрстуфх\u0301\u0323",
  "цчшщъыьэюя\u0304\u030a",
  "αβγδεζηθ\u0308\u0331",
  "λμνξοπρτ\u0302\u0327",
  "אבגדהוזחטיכלמנ\u05b0\u05b4\u05b7\u05bc",
  "ابتثجحدرسعفكلمني\u064b\u064e\u064f\u0651",
  "กขคงจชดตถทนบปพ\u0e31\u0e34\u0e38\u0e48",
  "कखगघचछजटठडतथदधन\u093f\u0940\u0941\u094d",
];
const MARK = /\p{M}/u;

const MODES = ["clip", "ellipsis", "visible", "shrink"] as const;
const BOXES = {
  small: {},
  growing: { fixedHeight: false },
  "of two lines": { maxLines: 2, height: 60 },
} as const;
const LISTS = ["clip", "continue", "grow"] as const;
/** Letters of the label of the generated documents. */
const LABEL = "Label";

/** The six samples and 24 generated documents. */
export function accountedDocuments(): AccountedDocument[] {
  const generated = MODES.flatMap((mode, m) =>
    Object.entries(BOXES).flatMap(([box, properties]) =>
      [false, true].map((hasList) =>
        accounted(
          `${mode}, ${box}${hasList ? ", with a list" : ""}`,
          generate(mode, properties, hasList ? LISTS[m % LISTS.length] : undefined),
          {},
          LABEL,
        ),
      ),
    ),
  );
  const samples = SAMPLE_NAMES.map((name) => {
    const { document, sets } = readSample(name);
    return accounted(name, document, sets[0]?.values ?? {}, undefined);
  });
  return [...samples, ...generated];
}

function accounted(
  name: string,
  document: JsonValue,
  base: Values,
  own: string | undefined,
): AccountedDocument {
  const valid = validateDocument(plainNumbers(document));
  if (!valid.ok) {
    throw new Error(`${name} is not valid: ${JSON.stringify(valid.problems)}`);
  }
  const codes = textCodes(valid.fields, "");
  const alphabets = new Map(codes.map((code, i) => [code, ALPHABETS[i] ?? ""]));
  if (codes.length > ALPHABETS.length) {
    throw new Error(`${name} has more text fields than there are alphabets.`);
  }
  return { name, document, alphabets, own, base, fields: valid.fields };
}

function textCodes(fields: ReadonlyMap<string, FieldSpec>, prefix: string): string[] {
  return [...fields].flatMap(([code, { type, items }]) =>
    type === "text" ? [prefix + code] : textCodes(items, `${prefix}${code}.`),
  );
}

function generate(
  overflowMode: (typeof MODES)[number],
  box: object,
  list: (typeof LISTS)[number] | undefined,
): JsonValue {
  const text = (code: string, more: object) => ({
    $type: "text",
    left: 10,
    width: 120,
    height: 30,
    fontSize: 11,
    overflowMode,
    ...box,
    placeholder: { name: code, code, placeholderType: "text" },
    ...more,
  });
  const elements = [
    { $type: "text", left: 10, top: 5, width: 100, height: 16, text: LABEL },
    text("a", { top: 30 }),
    text("b", { top: 30, left: 150, textAlign: "justify", charSpacing: 1 }),
    text("c", { top: 110, width: 60, textAlign: "center" }),
    text("d", { top: 110, left: 150, width: 200, direction: "rtl", padding: 3 }),
  ];
  const region = {
    $type: "repeat_region",
    left: 10,
    // The lines of a bottom text grow upwards.
    top: overflowMode === "visible" ? 900 : 200,
    width: 340,
    height: 150,
    itemHeight: 40,
    overflowMode: list,
    pageScope: "all",
    placeholder: { name: "rows", code: "rows", placeholderType: "list" },
    children: [
      text("k", { left: 0, top: 0, fixedHeight: true }),
      text("l", { left: 160, top: 0, fixedHeight: true, verticalAlign: "bottom" }),
    ],
  };
  const page = {
    width: 360,
    // pdf.js finds no text outside the page, and every character of a visible one must be found.
    height: overflowMode === "visible" ? 2_400 : 400,
    elements: list === undefined ? elements : [...elements, region],
  };
  return documentOf([page]) as unknown as JsonValue;
}

const BETWEEN = [" ", " ", "  ", "\n", " \n", "\t"];
const ROWS_MAX = 6;

/** A value set: each text field has words of its own characters. */
export function randomValues(
  { alphabets, base, fields }: AccountedDocument,
  random: SeededRandom,
): Values {
  return fill(fields, base, "", alphabets, random);
}

function fill(
  fields: ReadonlyMap<string, FieldSpec>,
  base: Values,
  prefix: string,
  alphabets: ReadonlyMap<string, string>,
  random: SeededRandom,
): Values {
  const values: Record<string, JsonValue> = { ...base };
  for (const [code, { type, items: keys }] of fields) {
    const alphabet = alphabets.get(prefix + code);
    if (alphabet !== undefined) {
      values[code] = randomText(Array.from(alphabet), random);
    } else if (type === "list") {
      const items = Array.isArray(base[code]) ? (base[code] as readonly JsonValue[]) : [];
      values[code] = Array.from({ length: random.int(0, ROWS_MAX) }, (_, i) => {
        const item = items[i];
        return fill(keys, isJsonObject(item) ? item : {}, `${prefix}${code}.`, alphabets, random);
      });
    }
  }
  return values;
}

function randomText(characters: readonly string[], random: SeededRandom): string {
  const marks = characters.filter((one) => MARK.test(one));
  const letters = characters.filter((one) => !MARK.test(one));
  const cluster = () =>
    random.pick(letters) +
    Array.from({ length: random.pick([0, 0, 0, 1, 1, 2]) }, () => random.pick(marks)).join("");
  const words = Array.from({ length: random.int(1, random.pick([2, 6, 20])) }, () =>
    Array.from({ length: random.int(1, random.pick([4, 12, 30])) }, cluster).join(""),
  );
  return words.reduce((text, word) => text + random.pick(BETWEEN) + word);
}
