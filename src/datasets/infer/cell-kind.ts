import { ExactNumber, type JsonValue } from "../../lib/exact-json.ts";
import { booleanOf } from "./boolean-of.ts";
import { isIsoDate } from "./iso-date.ts";
import { isNumberSomewhere, type NumberFormat } from "./number-format.ts";

/** What one cell looks like. Numbers, since columns count them in an array. */
export const KIND = {
  empty: 0,
  text: 1,
  number: 2,
  boolean: 3,
  date: 4,
  json: 5,
  /** Text that is a number in another locale. */
  ambiguous: 6,
} as const;
export type CellKind = (typeof KIND)[keyof typeof KIND];
export const KINDS = 7;

const ZERO = 48;
const NINE = 57;
const MINUS = 45;
const DOT = 46;
const SPACE = 32;

/** Longer than any boolean or date; what is a number of that length is one in every format alike. */
const SHORT_MAX = 64;

/**
 * The kind of a CSV field that stands in `text` from `start` to `end`. Makes no string for plain
 * numbers, dates, booleans and text, which nearly all fields are.
 */
export function textKind(text: string, start: number, end: number, format: NumberFormat): CellKind {
  if (start === end) {
    return KIND.empty;
  }
  const first = text.charCodeAt(start);
  if ((first >= ZERO && first <= NINE) || first === MINUS) {
    if (format.isInvariant && isPlainNumber(text, start, end)) {
      return KIND.number;
    }
    const isDateLike = text.charCodeAt(start + 4) === MINUS;
    if (isDateLike && end - start === 10 && isIsoDay(text, start)) {
      return KIND.date;
    }
    if (!isDateLike && !isNumeric(text, start, end)) {
      return KIND.text;
    }
  } else if (first > SPACE && first < 0x80) {
    return isBoolean(text, start, end) ? KIND.boolean : KIND.text;
  }
  return end - start > SHORT_MAX
    ? longKind(text, start, end, format)
    : slowKind(text.slice(start, end), format);
}

/** `true` or `false` in any letter case, spaces after it allowed. */
function isBoolean(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) | 32;
  return (
    (first === 116 || first === 102) &&
    end - start <= SHORT_MAX &&
    booleanOf(text.slice(start, end)) !== undefined
  );
}

/** A year, a month and a day by their digits, all in range for every month. */
function isIsoDay(text: string, start: number): boolean {
  const month = twoDigits(text, start + 5);
  const day = twoDigits(text, start + 8);
  return (
    text.charCodeAt(start + 7) === MINUS &&
    skipDigits(text, start, start + 4) === start + 4 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28
  );
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** Whether there are only digits and what some locale puts between them. */
function isNumeric(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const isLetterOrSign = code > NINE && code < 0x80;
    if (isLetterOrSign) {
      return false;
    }
  }
  return true;
}

function isPlainNumber(text: string, start: number, end: number): boolean {
  let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
  const first = text.charCodeAt(at);
  if (at === end || first < ZERO || first > NINE) {
    return false;
  }
  at++;
  if (first === ZERO) {
    // A leading zero is text, unless nothing or a fraction follows.
    if (at < end && text.charCodeAt(at) !== DOT) {
      return false;
    }
  } else {
    at = skipDigits(text, at, end);
  }
  if (at === end) {
    return true;
  }
  return text.charCodeAt(at) === DOT && at + 1 < end && skipDigits(text, at + 1, end) === end;
}

function skipDigits(text: string, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code < ZERO || code > NINE) {
      return at;
    }
    at++;
  }
  return end;
}

/** Digits without end may still be a number; nothing else of that length is. */
function longKind(text: string, start: number, end: number, format: NumberFormat): CellKind {
  return format.read(text.slice(start, end)) === undefined ? KIND.text : KIND.number;
}

function slowKind(cell: string, format: NumberFormat): CellKind {
  const trimmed = cell.trim();
  if (format.read(trimmed) !== undefined) {
    return KIND.number;
  }
  if (booleanOf(trimmed) !== undefined) {
    return KIND.boolean;
  }
  if (isIsoDate(trimmed)) {
    return KIND.date;
  }
  return isNumberSomewhere(trimmed) ? KIND.ambiguous : KIND.text;
}

/** The kind of a value that already has a JSON type. */
export function valueKind(value: JsonValue): CellKind {
  if (value === null) {
    return KIND.empty;
  }
  switch (typeof value) {
    case "number":
      return KIND.number;
    case "boolean":
      return KIND.boolean;
    case "string":
      return (value.length === 10 && isIsoDay(value, 0)) || isIsoDate(value)
        ? KIND.date
        : KIND.text;
    default:
      return value instanceof ExactNumber ? KIND.number : KIND.json;
  }
}
