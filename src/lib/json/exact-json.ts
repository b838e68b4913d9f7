import { endOfJsonString } from "./json-text-depth.ts";

/**
 * JSON that keeps the source text of every number. A number that a double would print differently
 * (`1.50`, `1e5`, twenty digits) is read as an ExactNumber and written with its original digits, so
 * that a value that no node changes is returned as it was sent.
 */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | ExactNumber
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** `T` with `never` in place of what is not JSON. An undefined member of an object is allowed: it is not written. */
type JsonMembers<T> = T extends JsonValue
  ? T
  : T extends readonly (infer E)[]
    ? readonly JsonMembers<E>[]
    : T extends (...args: never[]) => unknown
      ? never
      : T extends object
        ? {
            readonly [K in keyof T]:
              | JsonMembers<Exclude<T[K], undefined>>
              | Extract<T[K], undefined>;
          }
        : never;

/**
 * A value as JSON, whose type is checked member by member: an interface has no index signature, so TypeScript does not
 * accept it as a `JsonValue`.
 */
export function asJson<T>(value: T & JsonMembers<T>): JsonValue {
  // The parameter's type is JSON throughout; TypeScript does not conclude it from a conditional type.
  return value as unknown as JsonValue;
}

/** A JSON number whose token differs from `String(Number(token))`. */
export class ExactNumber {
  readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  /** The nearest double; may lose digits or overflow to Infinity. */
  toNumber(): number {
    return Number(this.token);
  }

  /** Called only by a plain `JSON.stringify`; use `stringifyJson`, which keeps the digits. */
  toJSON(): unknown {
    return rawJson(this.token);
  }
}

// Conservative: matches every text that could contain a token that does not round-trip (16 or more
// digits, a trailing zero in a fraction, an exponent, minus zero, a tiny fraction). A false
// positive only costs time.
const MAY_LOSE_DIGITS = /\d{16}|\.\d*0(?![0-9])|[0-9][eE]|-0|0\.000000|[\d.]{17}/;

/** Text within strings, such as the base64 of a small file, matches by chance. Removing strings takes memory. */
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const WITHOUT_STRINGS_CHARS_MAX = 64 * 1024;

function mayLoseDigits(text: string): boolean {
  return text.length > WITHOUT_STRINGS_CHARS_MAX
    ? hasTokenThatMay(text)
    : MAY_LOSE_DIGITS.test(text) && MAY_LOSE_DIGITS.test(text.replace(STRINGS, '""'));
}

/** The same, token by token, for texts so long that a second parse for a false positive costs more. */
function hasTokenThatMay(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfJsonString(text, at);
    } else if (isInNumber(unit)) {
      const start = at;
      let isPlain = unit !== MINUS;
      while (isInNumber(text.charCodeAt(at + 1))) {
        at++;
        isPlain &&= isDigit(text.charCodeAt(at));
      }
      const isShort = at - start < SHORT_DIGITS;
      if (!(isPlain && isShort) && MAY_LOSE_DIGITS.test(text.slice(start, at + 1))) {
        return true;
      }
    }
  }
  return false;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
/** Whole numbers with fewer digits are exact. */
const SHORT_DIGITS = 15;

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Digits, signs, a point and an exponent; in other words an `e`, which loses nothing. */
function isInNumber(unit: number): boolean {
  return isDigit(unit) || unit === MINUS || unit === 0x2b || unit === 0x2e || (unit | 32) === 0x65;
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;
// Newer than the library types; workerd and Node 22 have it.
const rawJson = (JSON as unknown as { rawJSON: (this: void, text: string) => unknown }).rawJSON;

/** Parses JSON text. Throws SyntaxError like `JSON.parse`. Own `__proto__` keys stay plain data. */
export function parseJson(text: string): JsonValue {
  if (!mayLoseDigits(text)) {
    return JSON.parse(text) as JsonValue;
  }
  return parseWithSource(text, (_key, value, context) => {
    if (typeof value !== "number" || context.source === undefined) {
      return value;
    }
    return String(value) === context.source ? value : new ExactNumber(context.source);
  }) as JsonValue;
}

/** The value of a JSON text that `JSON.parse` has read as `parsed`: that itself if none of its numbers lost a digit. */
export function exactValue(text: string, parsed: JsonValue): JsonValue {
  return mayLoseDigits(text) ? parseJson(text) : parsed;
}

/** Writes JSON text; exact numbers keep their tokens, lone surrogates are escaped. */
export function stringifyJson(value: JsonValue): string {
  return JSON.stringify(value);
}

export function isJsonNumber(value: unknown): value is number | ExactNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** The source digits of a JSON number. */
export function numberToken(value: number | ExactNumber): string {
  return value instanceof ExactNumber ? value.token : String(value);
}

/** Creates a JSON number from a decimal token; exact only if a double would print differently. */
export function jsonNumber(token: string): number | ExactNumber {
  const asNumber = Number(token);
  return String(asNumber) === token ? asNumber : new ExactNumber(token);
}

export function isJsonObject(value: unknown): value is { readonly [key: string]: JsonValue } {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  );
}
