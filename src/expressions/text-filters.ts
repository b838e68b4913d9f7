import { type FilterImplOptions, Liquid } from "liquidjs";
import { isJsonNumber } from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import { ExactNumber } from "../lib/json/exact-json.ts";
import { decimalOf, ExactDecimal, withinRange } from "./exact-decimal.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

/**
 * Maximum number of characters that one formula may create; stops a chain of filters that doubles
 * its text.
 */
const MEMORY_MAX = LIMITS.formula_text.value;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

// Excluded filters of Liquid: random ones, and those that evaluate text as code (`where_exp` and
// similar).
const LEFT_OUT: ReadonlySet<string> = new Set([
  "sample",
  "where_exp",
  "reject_exp",
  "group_by_exp",
  "has_exp",
  "find_exp",
  "find_index_exp",
]);

/**
 * Filters whose input is a list if the field contains one. `first`, `last`, `size` and `slice` also
 * accept texts.
 */
const LIST_FILTERS: ReadonlySet<string> = new Set([
  "array_to_sentence_string",
  "compact",
  "concat",
  "find",
  "find_index",
  "first",
  "group_by",
  "has",
  "join",
  "last",
  "map",
  "pop",
  "push",
  "reject",
  "reverse",
  "shift",
  "size",
  "slice",
  "sort",
  "sort_natural",
  "sum",
  "uniq",
  "unshift",
  "where",
]);

/** The internal last filter of an output; for authors, it does not exist. */
export const AS_TEXT_FILTER = "_as_text";

const liquid = makeLiquid();

/** The Liquid engine of text formulas: outputs only (tags never reach it), pure, with limits. */
export function textFormulaLiquid(): Liquid {
  return liquid;
}

/** Whether a text formula may use the filter. */
export function isTextFilter(name: string): boolean {
  return Object.hasOwn(liquid.filters, name) && !LEFT_OUT.has(name) && name !== AS_TEXT_FILTER;
}

/** Whether a filter works on lists and therefore receives a list unchanged. */
export function isListFilter(name: string): boolean {
  return LIST_FILTERS.has(name);
}

function makeLiquid(): Liquid {
  const made = new Liquid({
    strictFilters: true,
    ownPropertyOnly: true,
    cache: false,
    timezoneOffset: 0,
    locale: "en-US",
    parseLimit: 100_000,
    memoryLimit: MEMORY_MAX,
    // Nothing is ever loaded: there are no tags, and this file system is empty.
    templates: {},
  });
  for (const [alias, name] of [
    ["upper", "upcase"],
    ["lower", "downcase"],
    ["trim", "strip"],
  ] as const) {
    const filter = made.filters[name];
    if (filter !== undefined) {
      made.registerFilter(alias, filter);
    }
  }
  registerArithmetic(made);
  made.registerFilter(AS_TEXT_FILTER, (value: unknown) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : value,
  );
  made.registerFilter("strip_html", (value: unknown) => stripHtml(asText(value)));
  // liquidjs strips characters with /[…]+$/, which is quadratic on hostile text.
  made.registerFilter("strip", (value: unknown, characters?: unknown) =>
    stripEnds(asText(value), characters, true, true),
  );
  made.registerFilter("lstrip", (value: unknown, characters?: unknown) =>
    stripEnds(asText(value), characters, true, false),
  );
  made.registerFilter("rstrip", (value: unknown, characters?: unknown) =>
    stripEnds(asText(value), characters, false, true),
  );
  for (const name of [
    "date",
    "date_to_xmlschema",
    "date_to_rfc822",
    "date_to_string",
    "date_to_long_string",
  ]) {
    forbidNow(made, name);
  }
  return made;
}

/**
 * A formula always returns the same text, so the date filters must not accept words for the current
 * time.
 */
function forbidNow(made: Liquid, name: string): void {
  const original = made.filters[name];
  if (typeof original !== "function") {
    return;
  }
  const guarded: FilterImplOptions = function (this, value: unknown, ...args: unknown[]) {
    if (value === "now" || value === "today") {
      throw new NodeError(
        "FORMULA_ERROR",
        `The filter ${name} cannot read "${value}": a formula has no clock. Pass the date in as a field.`,
      );
    }
    return original.call(this, value, ...args);
  };
  made.registerFilter(name, guarded);
}

/** The arithmetic filters parse text explicitly and exactly, and fail if it is not a number. */
function registerArithmetic(made: Liquid): void {
  const register = (name: string, work: (a: ExactDecimal, b: ExactDecimal) => ExactDecimal): void =>
    made.registerFilter(name, (value: unknown, other: unknown) =>
      withinRange(work(toDecimal(value, name), toDecimal(other ?? 0, name))).toString(),
    );
  register("plus", (a, b) => a.plus(b));
  register("minus", (a, b) => a.minus(b));
  register("times", (a, b) => a.times(b));
  register("divided_by", (a, b) => a.dividedBy(nonZero(b, "divided_by")));
  register("modulo", (a, b) => {
    const remainder = a.modulo(nonZero(b, "modulo"));
    return !remainder.isZero() && remainder.isNegative() !== b.isNegative()
      ? remainder.plus(b)
      : remainder;
  });
  register("at_least", (a, b) => ExactDecimal.max(a, b));
  register("at_most", (a, b) => ExactDecimal.min(a, b));
  register("abs", (a) => a.abs());
  register("ceil", (a) => a.ceil());
  register("floor", (a) => a.floor());
  register("round", (a, b) => {
    const places = b.toNumber();
    if (!Number.isInteger(places) || places < 0 || places > 1000) {
      throw new NodeError(
        "FORMULA_ERROR",
        "The filter round needs an integer number of places from 0 to 1000.",
      );
    }
    return a.toDecimalPlaces(places, ExactDecimal.ROUND_HALF_UP);
  });
  made.registerFilter("sum", (values: unknown, property?: unknown) =>
    (Array.isArray(values) ? values : [values])
      .reduce<ExactDecimal>(
        (total, value) => withinRange(total.plus(toDecimal(fieldOf(value, property), "sum"))),
        new ExactDecimal(0),
      )
      .toString(),
  );
}

/** The named field of an element (`sum: "price"`), or the element itself. */
function fieldOf(element: unknown, property: unknown): unknown {
  if (typeof property !== "string" || typeof element !== "object" || element === null) {
    return element;
  }
  return Object.hasOwn(element, property)
    ? (element as Readonly<Record<string, unknown>>)[property]
    : undefined;
}

function toDecimal(value: unknown, filter: string): ExactDecimal {
  if (isJsonNumber(value)) {
    return decimalOf(value);
  }
  if (typeof value === "string" && value.length <= 1000 && NUMBER.test(value)) {
    return decimalOf(new ExactNumber(value));
  }
  throw new NodeError(
    "FORMULA_ERROR",
    `The filter ${filter} needs a number, but the value is not a number.`,
  );
}

function nonZero(value: ExactDecimal, filter: string): ExactDecimal {
  if (value.isZero()) {
    throw new NodeError("FORMULA_ERROR", `The filter ${filter} cannot divide by zero.`);
  }
  return value;
}

/**
 * The input of a filter as text: in a chain, it may be a number or a list returned by the previous
 * filter.
 */
function asText(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map(asText).join("");
  }
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

function stripEnds(text: string, characters: unknown, start: boolean, end: boolean): string {
  if (characters === undefined || characters === null || characters === "") {
    return start && end ? text.trim() : start ? text.trimStart() : text.trimEnd();
  }
  const set = new Set(asText(characters));
  let from = 0;
  let to = text.length;
  while (start && from < to && set.has(text[from] ?? "")) {
    from += 1;
  }
  while (end && to > from && set.has(text[to - 1] ?? "")) {
    to -= 1;
  }
  return text.slice(from, to);
}

/** Removes tags, comments, scripts and styles in one pass; liquidjs's pattern is quadratic. */
function stripHtml(text: string): string {
  const lower = text.toLowerCase();
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    const end = open === -1 ? -1 : endOfMarkup(lower, open);
    if (end === -1) {
      break;
    }
    parts.push(text.slice(at, open));
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

function endOfMarkup(lower: string, open: number): number {
  for (const [start, close] of [
    ["<script", "</script>"],
    ["<style", "</style>"],
    ["<!--", "-->"],
  ] as const) {
    if (lower.startsWith(start, open)) {
      const end = lower.indexOf(close, open);
      // An unclosed tag removes the rest, as in a browser; this also keeps the scan linear.
      return end === -1 ? lower.length : end + close.length;
    }
  }
  const end = lower.indexOf(">", open);
  return end === -1 ? -1 : end + 1;
}
