import {
  type ExactNumber,
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
} from "../../lib/json/exact-json.ts";
import { fieldPath } from "../../lib/errors/field-path.ts";
import { HEX_COLOR } from "../../lib/hex-color.ts";
import { adviseOnName } from "../../lib/errors/issue-text.ts";
import { showValue } from "../../lib/json/show-value.ts";
import type { FieldSpec } from "../document/field-tree.ts";
import { readDate } from "./read-date.ts";

/** Values by field code. What is not given has no key. */
export type Values = { readonly [code: string]: JsonValue };

export interface ValueProblem {
  /** `unknown`: no field, or no key of the list's items. `type`: a value that the field does not take. */
  readonly kind: "unknown" | "type";
  /** `values.x`, `values.rows[2].k`. */
  readonly field: string;
  readonly message: string;
}

export interface CheckedValues {
  /**
   * What renders take: keys without a field and values that do not fit left out, null and an empty text (of fields
   * other than text and url) not given, numbers and booleans of text fields as texts.
   */
  readonly values: Values;
  readonly problems: readonly ValueProblem[];
}

/** Problems that one answer lists. */
const PROBLEMS_MAX = 1_000;

/** Checks values against the fields of a document (docs/contract/templates.md#values). `root` begins the paths. */
export function checkValues(
  fields: ReadonlyMap<string, FieldSpec>,
  values: Values,
  root = "values",
): CheckedValues {
  const check = new ValueCheck(root);
  return { values: check.object(fields, values, []), problems: check.problems };
}

/** The problems of one value of one field; paths begin with `root`. */
export function checkFieldValue(
  field: FieldSpec,
  value: JsonValue,
  root: string,
): readonly ValueProblem[] {
  const check = new ValueCheck(root);
  check.value(field, value, []);
  return check.problems;
}

type Path = readonly (string | number)[];

class ValueCheck {
  readonly problems: ValueProblem[] = [];
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  object(fields: ReadonlyMap<string, FieldSpec>, values: Values, path: Path): Values {
    const kept: [string, JsonValue][] = [];
    for (const [code, value] of Object.entries(values)) {
      const field = fields.get(code);
      if (field === undefined) {
        this.#add("unknown", [...path, code], () => {
          const known = [...fields.keys()];
          const what =
            path.length === 0 ? "field of this template" : "key of the items of this list";
          return known.length === 0
            ? `Is no ${what}: it has none. Remove it.`
            : `Is no ${what}. ${adviseOnName(code.toWellFormed(), known)}`;
        });
        continue;
      }
      const given = this.value(field, value, [...path, code]);
      if (given !== undefined) {
        kept.push([code, given]);
      }
    }
    return Object.fromEntries(kept);
  }

  /** The value as renders take it; undefined if it is not given, or does not fit. */
  value(field: FieldSpec, value: JsonValue, path: Path): JsonValue | undefined {
    if (value === null || value === undefined) {
      return undefined;
    }
    if (field.type === "list") {
      return this.#list(field, value, path);
    }
    if (value === "" && field.type !== "text" && field.type !== "url") {
      return undefined;
    }
    const taken = TAKE[field.type](value);
    if (taken === undefined) {
      this.#add("type", path, () => `Must be ${FORMS[field.type]}, and is ${shown(value)}.`);
    }
    return taken;
  }

  #list(field: FieldSpec, value: JsonValue, path: Path): JsonValue | undefined {
    if (value === "") {
      return undefined;
    }
    if (!Array.isArray(value)) {
      this.#add("type", path, () => `Must be ${FORMS.list}, and is ${shown(value)}.`);
      return undefined;
    }
    return (value as readonly JsonValue[]).map((item, i) => {
      if (isJsonObject(item)) {
        return this.object(field.items, item, [...path, i]);
      }
      this.#add(
        "type",
        [...path, i],
        () => `Must be an object with the keys of an item, and is ${shown(item)}.`,
      );
      return {};
    });
  }

  #add(kind: ValueProblem["kind"], path: Path, message: () => string): void {
    if (this.problems.length < PROBLEMS_MAX) {
      this.problems.push({ kind, field: fieldPath(this.#root, path), message: message() });
    }
  }
}

function shown(value: JsonValue): string {
  return isJsonNumber(value) ? numberToken(value).slice(0, 60) : showValue(value).toWellFormed();
}

const FORMS: Readonly<Record<FieldSpec["type"], string>> = {
  text: "a text of whole Unicode characters",
  number: "a number",
  date: "an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T09:30:00Z",
  url: "a text of whole Unicode characters",
  image: "a text: a storage path, a storage:// reference, an https: address or a data: URI",
  color: "a color such as #1A2B3C",
  boolean: "true or false",
  list: "a list of objects",
};

type Take = (value: JsonValue) => JsonValue | undefined;

function text(value: JsonValue): string | undefined {
  return typeof value === "string" && value.isWellFormed() ? value : undefined;
}

/** Also a number, with its own digits, and a boolean. */
function printable(value: JsonValue): string | undefined {
  if (isJsonNumber(value)) {
    return numberToken(value);
  }
  return typeof value === "boolean" ? String(value) : text(value);
}

function number(value: JsonValue): number | ExactNumber | undefined {
  return isJsonNumber(value) && Number.isFinite(Number(numberToken(value))) ? value : undefined;
}

const TAKE: Readonly<Record<Exclude<FieldSpec["type"], "list">, Take>> = {
  text: printable,
  number,
  date: (value) => (typeof value === "string" && readDate(value) !== undefined ? value : undefined),
  url: text,
  image: text,
  color: (value) => (typeof value === "string" && HEX_COLOR.test(value) ? value : undefined),
  boolean: (value) => (typeof value === "boolean" ? value : undefined),
};
