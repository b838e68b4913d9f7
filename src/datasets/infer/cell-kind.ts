import { ExactNumber, type JsonValue } from "../../lib/json/exact-json.ts";
import { booleanOf } from "./boolean-of.ts";
import { isIsoDate } from "./iso-date.ts";
import { isNumberSomewhere, type NumberFormat } from "../../lib/json/number-format.ts";

/** The kind of one cell. Numbers, because columns count kinds in an array. */
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
/** The bit that makes an ASCII letter lower case. */
const LOWER = 32;
const LETTER_T = 116;
const LETTER_F = 102;
const TRUE: readonly number[] = [116, 114, 117, 101];
const FALSE: readonly number[] = [102, 97, 108, 115, 101];

/** Length of a date without a time. */
const DAY_CHARS = 10;

/** Longer than any boolean or date; a number of this length is a number in every format. */
const SHORT_MAX = 64;

/**
 * The kind of a CSV field at `start` to `end` of `text`; `codes` are the character codes, with any
 * value from 0x80 for non-ASCII ones. Creates no string for plain numbers, dates, booleans and
 * text, which nearly all fields are.
 */
export function textKind(
  text: string,
  codes: Uint8Array,
  start: number,
  end: number,
  format: NumberFormat,
): CellKind {
  if (start === end) {
    return KIND.empty;
  }
  const first = codes[start] ?? 0;
  if ((first >= ZERO && first <= NINE) || first === MINUS) {
    const isDateLike = codes[start + 4] === MINUS;
    // Before the numbers, because none of them has a sign inside.
    if (isDateLike && end - start === DAY_CHARS && isIsoDay(codes, start)) {
      return KIND.date;
    }
    if (format.isInvariant && isPlainNumber(codes, start, end)) {
      return KIND.number;
    }
    if (!isDateLike && !isNumeric(codes, start, end)) {
      return KIND.text;
    }
  } else if (first > SPACE && first < 0x80) {
    return isBoolean(text, codes, start, end) ? KIND.boolean : KIND.text;
  } else if (first >= 0x80 && isWideLetter(text.charCodeAt(start))) {
    return KIND.text;
  }
  return end - start > SHORT_MAX
    ? longKind(text, start, end, format)
    : slowKind(text.slice(start, end), format);
}

/**
 * Non-ASCII, and neither white space (U+00A0, U+1680, U+2000 to U+3000, U+FEFF) nor the minus sign
 * U+2212: a field that begins with it is never a number, boolean or date.
 */
function isWideLetter(code: number): boolean {
  return (code >= 0xc0 && code < 0x1680) || (code > 0x3000 && code < 0xfeff);
}

/** `true` or `false` in any letter case, with optional spaces after it. */
function isBoolean(text: string, codes: Uint8Array, start: number, end: number): boolean {
  const first = (codes[start] ?? 0) | LOWER;
  if ((first !== LETTER_T && first !== LETTER_F) || end - start > SHORT_MAX) {
    return false;
  }
  const last = codes[end - 1] ?? 0;
  if (last > SPACE && last < 0x80) {
    // There is nothing to trim, and no non-ASCII letter has one of these as its lower case.
    return first === LETTER_T
      ? end - start === 4 && isWord(codes, start, TRUE)
      : end - start === 5 && isWord(codes, start, FALSE);
  }
  return booleanOf(text.slice(start, end)) !== undefined;
}

function isWord(codes: Uint8Array, start: number, word: readonly number[]): boolean {
  for (let at = 1; at < word.length; at++) {
    if (((codes[start + at] ?? 0) | LOWER) !== word[at]) {
      return false;
    }
  }
  return true;
}

/** Whether the digits of a year, a month and a day are in the range of every month. */
function isIsoDay(codes: Uint8Array, start: number): boolean {
  const month = twoDigits(codes, start + 5);
  const day = twoDigits(codes, start + 8);
  return (
    codes[start + 7] === MINUS &&
    skipDigits(codes, start, start + 4) === start + 4 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28
  );
}

function twoDigits(codes: Uint8Array, at: number): number {
  const tens = (codes[at] ?? 0) - ZERO;
  const ones = (codes[at + 1] ?? 0) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** Whether there are only digits and characters that a locale writes between them. */
function isNumeric(codes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const code = codes[at] ?? 0;
    const isLetterOrSign = code > NINE && code < 0x80;
    if (isLetterOrSign) {
      return false;
    }
  }
  return true;
}

function isPlainNumber(codes: Uint8Array, start: number, end: number): boolean {
  let at = codes[start] === MINUS ? start + 1 : start;
  const first = codes[at] ?? 0;
  if (at === end || first < ZERO || first > NINE) {
    return false;
  }
  at++;
  if (first === ZERO) {
    // A leading zero makes it text, unless nothing or a fraction follows.
    if (at < end && codes[at] !== DOT) {
      return false;
    }
  } else {
    at = skipDigits(codes, at, end);
  }
  if (at === end) {
    return true;
  }
  return codes[at] === DOT && at + 1 < end && skipDigits(codes, at + 1, end) === end;
}

function skipDigits(codes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const code = codes[at] ?? 0;
    if (code < ZERO || code > NINE) {
      return at;
    }
    at++;
  }
  return end;
}

/** A very long sequence of digits may be a number; nothing else of that length is. */
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

const DAY_CODES = new Uint8Array(DAY_CHARS);

/** The codes of ten characters, in one array that is reused by every call. */
function codesOfDay(text: string): Uint8Array {
  for (let at = 0; at < DAY_CHARS; at++) {
    const code = text.charCodeAt(at);
    DAY_CODES[at] = code < 0x80 ? code : 0xff;
  }
  return DAY_CODES;
}

/**
 * The kind of a worksheet's cell: its own type, except that text which is a number in the format
 * counts as a number, because exports from other programs have many of these.
 */
export function sheetKind(cell: JsonValue, format: NumberFormat): CellKind {
  const kind = valueKind(cell);
  if (kind !== KIND.text || typeof cell !== "string" || !mayBeNumber(cell)) {
    return kind;
  }
  if (format.read(cell) !== undefined) {
    return KIND.number;
  }
  return cell.length <= SHORT_MAX && isNumberSomewhere(cell) ? KIND.ambiguous : KIND.text;
}

/** Text that begins with a letter, and empty text, is never a number. */
function mayBeNumber(text: string): boolean {
  const first = text.charCodeAt(0);
  return first <= NINE || (first >= 0x80 && !isWideLetter(first));
}

/** The kind of a value with a JSON type. */
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
      return (value.length === DAY_CHARS && isIsoDay(codesOfDay(value), 0)) || isIsoDate(value)
        ? KIND.date
        : KIND.text;
    default:
      return value instanceof ExactNumber ? KIND.number : KIND.json;
  }
}
