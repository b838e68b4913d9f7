import { type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import { DatasetError } from "../dataset-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const ITEM_BYTES_MAX = LIMITS.json_element.value;
const DEPTH_MAX = LIMITS.json_dataset_depth.value;

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Number of wrong guesses after which guessing stops; each costs as much as reading a piece. */
const GUESSES_MAX = 3;

interface ItemSink {
  items(items: readonly JsonValue[]): void;
  /** Whether numbers must keep their digits; slower, so only on request. */
  isExact(): boolean;
}

const NOTHING = new Uint8Array();

/**
 * Splits the content of one JSON array into its elements, piece by piece, and parses the complete
 * ones. It only counts brackets and strings itself; the JSON parser checks every element.
 */
export class ItemSplitter {
  readonly #sink: ItemSink;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #carry: Uint8Array = NOTHING;
  #guessesLeft = GUESSES_MAX;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #told = 0;

  constructor(sink: ItemSink) {
    this.#sink = sink;
  }

  /** Number of elements returned so far. */
  get told(): number {
    return this.#told;
  }

  /** Reads from `from`; returns the offset after the array's end, -1 if it has not ended. */
  write(piece: Uint8Array, from: number): number {
    const carried = this.#carry.length;
    const bytes = carried === 0 ? piece : joined(this.#carry, piece.subarray(from));
    const start = carried === 0 ? from : 0;
    const seam = this.#guess(bytes, start);
    const first = seam < 0 ? start : seam + 1;
    const ends: number[] = [];
    const close = this.#scan(bytes, seam < 0 ? start + carried : first, ends);
    if (close >= 0) {
      this.#finish(bytes, first, ends, close);
      this.#carry = NOTHING;
      return (carried === 0 ? 0 : from - carried) + close + 1;
    }
    const last = ends.at(-1);
    if (last !== undefined) {
      this.#parse(bytes, first, ends);
    }
    // The caller may reuse the piece after this call, so the rest is copied.
    this.#carry = bytes.slice(last === undefined ? first : last + 1);
    if (this.#carry.length > ITEM_BYTES_MAX) {
      throw this.#fail(`Element ${this.#told} is larger than ${ITEM_BYTES_MAX} bytes.`);
    }
    return -1;
  }

  /**
   * Splits at the last `}, {`, and leaves it to the parser to decide whether it was between two
   * elements: inside an element or a text, or past the array's end, the text before it is not a
   * list of complete values. This avoids counting through most of a file; after several wrong
   * guesses it stops. Returns the offset of the comma, -1 if no element was returned.
   */
  #guess(bytes: Uint8Array, first: number): number {
    if (this.#guessesLeft === 0 || this.#sink.isExact()) {
      return -1;
    }
    const comma = lastSeam(bytes, first);
    const items = comma < 0 ? undefined : this.#tryAll(bytes, first, comma);
    if (
      items === undefined ||
      items.some((item) => isNested(item) && isDeeperThan(item, DEPTH_MAX))
    ) {
      this.#guessesLeft--;
      return -1;
    }
    this.#sink.items(items);
    this.#told += items.length;
    this.#depth = 0;
    this.#isInString = false;
    this.#isEscaped = false;
    return comma;
  }

  /**
   * Collects the offsets of commas between elements; returns the offset of the closing bracket, or
   * -1.
   */
  #scan(bytes: Uint8Array, from: number, ends: number[]): number {
    const { length } = bytes;
    let depth = this.#depth;
    let isInString = this.#isInString;
    let at = from;
    if (this.#isEscaped && at < length) {
      at++;
      this.#isEscaped = false;
    }
    while (at < length) {
      const byte = bytes[at];
      if (isInString) {
        if (byte === QUOTE) {
          isInString = false;
        } else if (byte === BACKSLASH) {
          at++;
          this.#isEscaped = at === length;
        }
      } else if (byte === QUOTE) {
        isInString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth++;
        if (depth > DEPTH_MAX) {
          throw this.#fail(`An element nests deeper than ${DEPTH_MAX} levels.`);
        }
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        if (depth === 0) {
          return at;
        }
        depth--;
      } else if (byte === COMMA && depth === 0) {
        ends.push(at);
      }
      at++;
    }
    this.#depth = depth;
    this.#isInString = isInString;
    return -1;
  }

  #finish(bytes: Uint8Array, first: number, ends: number[], close: number): void {
    if (bytes[close] !== CLOSE_LIST) {
      throw this.#fail("The array is closed by } instead of ].");
    }
    const isEmpty = this.#told === 0 && ends.length === 0 && isSpace(bytes.subarray(first, close));
    if (!isEmpty) {
      this.#parse(bytes, first, [...ends, close]);
    }
  }

  /** Parses the elements that end at `ends`; the first one begins at `first`. */
  #parse(bytes: Uint8Array, first: number, ends: readonly number[]): void {
    const all = this.#sink.isExact() ? undefined : this.#tryAll(bytes, first, ends.at(-1) ?? first);
    const items = all?.length === ends.length ? all : this.#each(bytes, first, ends);
    this.#sink.items(items);
    this.#told += ends.length;
  }

  /** Parses all of them in one call, which is the fastest; undefined if one is malformed. */
  #tryAll(bytes: Uint8Array, first: number, end: number): readonly JsonValue[] | undefined {
    try {
      return JSON.parse(`[${this.#decode(bytes, first, end)}]`) as readonly JsonValue[];
    } catch (error) {
      if (error instanceof SyntaxError) {
        return undefined;
      }
      throw error;
    }
  }

  #each(bytes: Uint8Array, first: number, ends: readonly number[]): readonly JsonValue[] {
    let start = first;
    return ends.map((end, index) => {
      const text = this.#decode(bytes, start, end);
      start = end + 1;
      try {
        return parseJson(text);
      } catch {
        throw this.#fail(
          `Element ${this.#told + index} (counted from 0) of the array is not valid JSON.`,
        );
      }
    });
  }

  #decode(bytes: Uint8Array, start: number, end: number): string {
    try {
      return this.#decoder.decode(bytes.subarray(start, end));
    } catch {
      throw this.#fail("The file is not UTF-8, as JSON must be.");
    }
  }

  #fail(message: string): DatasetError {
    return new DatasetError("invalid_data", message);
  }
}

/**
 * The offset of the comma in the last `},{`, with any white space between, from `first` on; -1 if
 * there is none.
 */
function lastSeam(bytes: Uint8Array, first: number): number {
  for (let at = bytes.lastIndexOf(OPEN_OBJECT); at > first;) {
    const comma = beforeSpace(bytes, at - 1);
    if (comma > first && bytes[comma] === COMMA) {
      const end = beforeSpace(bytes, comma - 1);
      if (end >= first && bytes[end] === CLOSE_OBJECT) {
        return comma;
      }
    }
    at = bytes.lastIndexOf(OPEN_OBJECT, at - 1);
  }
  return -1;
}

function beforeSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at >= 0 && isSpaceByte(bytes[at])) {
    at--;
  }
  return at;
}

/** Whether brackets nest deeper than the given number of levels; stops at that depth. */
function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) {
    return true;
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).some(
      (inner) => isNested(inner) && isDeeperThan(inner, levels - 1),
    );
  }
  for (const key in value) {
    const inner: JsonValue = value[key as keyof typeof value];
    if (isNested(inner) && isDeeperThan(inner, levels - 1)) {
      return true;
    }
  }
  return false;
}

function isNested(value: JsonValue): value is JsonValue & object {
  return typeof value === "object" && value !== null;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function isSpace(bytes: Uint8Array): boolean {
  return bytes.every(isSpaceByte);
}

function isSpaceByte(byte: number | undefined): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}
