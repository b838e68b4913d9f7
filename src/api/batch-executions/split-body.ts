import { AppError } from "../../lib/errors/errors.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const DEPTH_MAX = LIMITS.json_depth.value;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A JSON object with one long list, of which no more than one element has to be parsed at a time. */
export interface SplitBody {
  /** JSON text of the object without that list. */
  readonly head: string;
  /** Whether the list is there. */
  readonly hasItems: boolean;
  readonly count: number;
  /** Length of an element in UTF-8. */
  readonly bytesOf: (index: number) => number;
  /** JSON text of an element; it need not be valid. */
  readonly item: (index: number) => string;
}

/**
 * Finds the elements of the list `name` in the UTF-8 text of a JSON object, at most one more than `itemsMax`. Only counts
 * brackets and strings: the parser of the parts finds their other faults. Throws `invalid_request`.
 */
export function splitBody(bytes: Uint8Array, name: string, itemsMax: number): SplitBody {
  const head: string[] = [];
  let ranges: readonly number[] | undefined;
  let isFound = false;
  const members = new Scanner(bytes).list(skipSpace(bytes, 0), Number.POSITIVE_INFINITY);
  if (bytes[members.open] !== OPEN_OBJECT) {
    throw fault("The body must be a JSON object, `{ … }`.");
  }
  if (skipSpace(bytes, members.end) < bytes.length) {
    throw fault("The body is not valid JSON: there is more after its end.");
  }
  for (let at = 0; at < members.ranges.length; at += 2) {
    const [start = 0, end = 0] = members.ranges.slice(at, at + 2);
    const key = skipSpace(bytes, start);
    const keyEnd = bytes[key] === QUOTE ? endOfString(bytes, key) : -1;
    const colon = keyEnd < 0 ? -1 : skipSpace(bytes, keyEnd);
    if (colon < 0 || bytes[colon] !== COLON) {
      throw fault("The body is not valid JSON: a member has no name.");
    }
    const value = skipSpace(bytes, colon + 1);
    const isNamed = parsedKey(text(bytes, key, keyEnd)) === name;
    if (isNamed && isFound) {
      throw fault(`The body has two members "${name}".`);
    }
    isFound ||= isNamed;
    if (!isNamed || bytes[value] !== OPEN_LIST) {
      head.push(text(bytes, start, end));
      continue;
    }
    const list = new Scanner(bytes).list(value, itemsMax + 1);
    ranges = list.ranges;
    if (ranges.length <= 2 * itemsMax && skipSpace(bytes, list.end) < end) {
      throw fault(`The body is not valid JSON: there is more after the list "${name}".`);
    }
  }
  const found = ranges ?? [];
  return {
    head: `{${head.join(",")}}`,
    hasItems: ranges !== undefined,
    count: found.length / 2,
    bytesOf: (index) => (found[2 * index + 1] ?? 0) - (found[2 * index] ?? 0),
    item: (index) => text(bytes, found[2 * index] ?? 0, found[2 * index + 1] ?? 0),
  };
}

class Scanner {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * The ranges between the commas of the list or object that opens at `open`, and the offset after its end. Stops after
   * `max` ranges.
   */
  list(open: number, max: number) {
    const bytes = this.#bytes;
    const ranges: number[] = [];
    let depth = 0;
    let from = open + 1;
    let isEmpty = true;
    for (let at = open; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        at = endOfString(bytes, at) - 1;
        isEmpty = false;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        isEmpty &&= at === open;
        depth++;
        if (depth > DEPTH_MAX) {
          throw fault(
            `The body nests deeper than ${String(DEPTH_MAX)} levels. Flatten it, or pass the deep part as a JSON-encoded string.`,
          );
        }
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth--;
        if (depth === 0) {
          if (byte !== (bytes[open] === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT)) {
            throw fault("The body is not valid JSON: its brackets do not match.");
          }
          if (!isEmpty) {
            ranges.push(from, at);
          }
          return { open, ranges, end: at + 1 };
        }
      } else if (byte === COMMA && depth === 1) {
        ranges.push(from, at);
        from = at + 1;
        isEmpty = false;
        if (ranges.length === 2 * max) {
          return { open, ranges, end: at + 1 };
        }
      } else if (depth === 0) {
        break;
      } else if (!isSpace(byte)) {
        isEmpty = false;
      }
    }
    throw fault("The body is not valid JSON: it ends before its last value does.");
  }
}

/** Offset after the string that opens at `open`. */
function endOfString(bytes: Uint8Array, open: number): number {
  for (
    let close = bytes.indexOf(QUOTE, open + 1);
    close >= 0;
    close = bytes.indexOf(QUOTE, close + 1)
  ) {
    let slashes = 0;
    while (bytes[close - 1 - slashes] === BACKSLASH) {
      slashes++;
    }
    if (slashes % 2 === 0) {
      return close + 1;
    }
  }
  throw fault("The body is not valid JSON: it ends before its last value does.");
}

function parsedKey(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw fault("The body is not valid JSON: a member's name is malformed.");
  }
}

function text(bytes: Uint8Array, start: number, end: number): string {
  try {
    return utf8.decode(bytes.subarray(start, end));
  } catch {
    throw fault("The body is not valid UTF-8. JSON travels in UTF-8 (RFC 8259 §8.1).");
  }
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) {
    at++;
  }
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function fault(message: string): AppError {
  return new AppError("invalid_request", message);
}
