import type { JsonValue } from "../../lib/json/exact-json.ts";
import { DatasetError } from "../dataset-error.ts";
import { ItemSplitter } from "./item-splitter.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const DEPTH_MAX = LIMITS.json_dataset_depth.value;
const KEY_BYTES_MAX = LIMITS.json_key.value;
/** Maximum length of numbers that are skipped; no program writes longer ones. */
const BARE_CHARS_MAX = 1_024;

/** An array that can be reached through objects alone. */
export interface ArrayMetadata {
  readonly keys: readonly string[];
  readonly items: number;
  /** Whether every element is an object; true for an empty array. */
  readonly isTable: boolean;
}

export interface JsonSink {
  /** Whether the elements of the array at this path are wanted. */
  wants(keys: readonly string[]): boolean;
  items(items: readonly JsonValue[]): void;
  /** Called at the end of an array that was not wanted. */
  passed(array: ArrayMetadata): void;
  /** Whether numbers must keep their digits. */
  isExact(): boolean;
}

interface Frame {
  readonly isArray: boolean;
  /** Keys from the root; undefined below an array. */
  readonly keys: readonly string[] | undefined;
  /** The current member of an object. */
  key: string;
  items: number;
  isTable: boolean;
}

const VALUE = 0;
const VALUE_OR_END = 1;
const KEY_OR_END = 2;
const KEY = 3;
const COLON = 4;
const COMMA_OR_END = 5;
const END = 6;

const NO_TOKEN = 0;
const STRING = 1;
const ESCAPE = 2;
const UNICODE = 3;
/** A number or a literal. */
const BARE = 4;

const BARE_VALUE = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const ESCAPES = new Set(Array.from('"\\/bfnrt', (character) => character.charCodeAt(0)));

/**
 * Walks one JSON document piece by piece with bounded memory, validates all of it, and passes on
 * the elements of the arrays that the sink wants. Throws DatasetError `invalid_data`.
 */
export class JsonWalker {
  readonly #sink: JsonSink;
  readonly #stack: Frame[] = [];
  #expected = VALUE;
  #token = NO_TOKEN;
  #isKey = false;
  #key: number[] = [];
  #bare = "";
  /** Validates UTF-8 in skipped strings as well; open across pieces. */
  readonly #utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  #isTextOpen = false;
  #hexDigits = 0;
  #splitter: ItemSplitter | undefined;
  #offset = 0;

  constructor(sink: JsonSink) {
    this.#sink = sink;
  }

  write(piece: Uint8Array): void {
    let at = this.#offset === 0 && isBom(piece) ? 3 : 0;
    while (at < piece.length) {
      if (this.#splitter !== undefined) {
        const end = this.#splitter.write(piece, at);
        if (end < 0) {
          break;
        }
        at = end;
        this.#splitter = undefined;
        this.#valueEnded();
      } else if (this.#token === NO_TOKEN) {
        at = this.#structure(piece, at);
      } else {
        at = this.#inToken(piece, at);
      }
    }
    this.#offset += piece.length;
  }

  finish(): void {
    if (this.#token === BARE) {
      this.#bareEnded(0);
    }
    if (this.#expected !== END) {
      throw new DatasetError(
        "invalid_data",
        this.#offset === 0
          ? "The file is empty and therefore not a JSON document."
          : "The JSON document ends before it is complete.",
      );
    }
  }

  #structure(piece: Uint8Array, at: number): number {
    const byte = piece[at] ?? 0;
    if (byte === 32 || byte === 10 || byte === 13 || byte === 9) {
      return at + 1;
    }
    switch (this.#expected) {
      case VALUE:
      case VALUE_OR_END:
        if (byte === 93 && this.#expected === VALUE_OR_END) {
          this.#close();
          return at + 1;
        }
        return this.#beginValue(byte, at);
      case KEY:
      case KEY_OR_END:
        return this.#beginKey(byte, at);
      case COLON:
        if (byte === 58) {
          this.#expected = VALUE;
          return at + 1;
        }
        break;
      case COMMA_OR_END: {
        const isArray = this.#stack.at(-1)?.isArray === true;
        if (byte === 44) {
          this.#expected = isArray ? VALUE : KEY;
          return at + 1;
        }
        if (byte === (isArray ? 93 : 125)) {
          this.#close();
          return at + 1;
        }
        break;
      }
    }
    throw this.#unexpected(byte, at);
  }

  #beginKey(byte: number, at: number): number {
    if (byte === 34) {
      this.#token = STRING;
      this.#isKey = true;
      this.#key = [];
    } else if (byte === 125 && this.#expected === KEY_OR_END) {
      this.#close();
    } else {
      throw this.#unexpected(byte, at);
    }
    return at + 1;
  }

  #beginValue(byte: number, at: number): number {
    const parent = this.#stack.at(-1);
    if (parent?.isArray === true) {
      parent.items++;
      parent.isTable &&= byte === 123;
    }
    if (byte === 123 || byte === 91) {
      this.#open(byte === 91, parent);
      return at + 1;
    }
    if (byte === 34) {
      this.#token = STRING;
      this.#isKey = false;
      return at + 1;
    }
    if (byte === 45 || (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122)) {
      this.#token = BARE;
      this.#bare = "";
      return at;
    }
    throw this.#unexpected(byte, at);
  }

  #open(isArray: boolean, parent: Frame | undefined): void {
    if (this.#stack.length === DEPTH_MAX) {
      throw new DatasetError(
        "invalid_data",
        `The JSON document nests deeper than ${DEPTH_MAX} levels.`,
      );
    }
    const keys =
      parent === undefined
        ? []
        : parent.isArray || parent.keys === undefined
          ? undefined
          : [...parent.keys, parent.key];
    this.#stack.push({ isArray, keys, key: "", items: 0, isTable: true });
    this.#expected = isArray ? VALUE_OR_END : KEY_OR_END;
    if (isArray && keys !== undefined && this.#sink.wants(keys)) {
      this.#stack.pop();
      this.#splitter = new ItemSplitter(this.#sink);
    }
  }

  #close(): void {
    const frame = this.#stack.pop();
    if (frame?.isArray === true && frame.keys !== undefined) {
      this.#sink.passed({ keys: frame.keys, items: frame.items, isTable: frame.isTable });
    }
    this.#valueEnded();
  }

  #valueEnded(): void {
    this.#expected = this.#stack.length === 0 ? END : COMMA_OR_END;
  }

  #inToken(piece: Uint8Array, at: number): number {
    switch (this.#token) {
      case BARE:
        return this.#inBare(piece, at);
      case ESCAPE: {
        const byte = piece[at] ?? 0;
        if (byte !== 117 && !ESCAPES.has(byte)) {
          throw this.#unexpected(byte, at);
        }
        this.#token = byte === 117 ? UNICODE : STRING;
        this.#hexDigits = 0;
        this.#keepKey(piece, at, at + 1);
        return at + 1;
      }
      case UNICODE: {
        const byte = piece[at] ?? 0;
        if (!/[0-9a-fA-F]/.test(String.fromCharCode(byte))) {
          throw this.#unexpected(byte, at);
        }
        this.#hexDigits++;
        if (this.#hexDigits === 4) {
          this.#token = STRING;
        }
        this.#keepKey(piece, at, at + 1);
        return at + 1;
      }
      default:
        return this.#inString(piece, at);
    }
  }

  #inString(piece: Uint8Array, from: number): number {
    let at = from;
    let byte = 0;
    let bits = 0;
    while (at < piece.length) {
      byte = piece[at] ?? 0;
      if (byte === 34 || byte === 92 || byte < 32) {
        break;
      }
      bits |= byte;
      at++;
    }
    this.#keepKey(piece, from, at);
    this.#checkText(bits < 128 ? undefined : piece.subarray(from, at), at < piece.length);
    if (at === piece.length) {
      return at;
    }
    if (byte < 32) {
      throw this.#unexpected(byte, at);
    }
    if (byte === 92) {
      this.#token = ESCAPE;
      this.#keepKey(piece, at, at + 1);
      return at + 1;
    }
    this.#token = NO_TOKEN;
    if (this.#isKey) {
      this.#keyEnded();
      this.#expected = COLON;
    } else {
      this.#valueEnded();
    }
    return at + 1;
  }

  /** Bytes of a string with non-ASCII characters; `isOver` if a quote or an escape ends them. */
  #checkText(bytes: Uint8Array | undefined, isOver: boolean): void {
    if (bytes === undefined && !(isOver && this.#isTextOpen)) {
      return;
    }
    try {
      this.#utf8.decode(bytes, { stream: !isOver });
    } catch {
      throw new DatasetError("invalid_data", "The file is not UTF-8, as JSON must be.");
    }
    this.#isTextOpen = !isOver;
  }

  /** Keys matter only on paths of objects alone; below arrays they are skipped. */
  #keepKey(piece: Uint8Array, from: number, to: number): void {
    if (!this.#isKey || this.#stack.at(-1)?.keys === undefined) {
      return;
    }
    if (this.#key.length + to - from > KEY_BYTES_MAX) {
      throw new DatasetError("invalid_data", `A key is longer than ${KEY_BYTES_MAX} bytes.`);
    }
    for (let at = from; at < to; at++) {
      this.#key.push(piece[at] ?? 0);
    }
  }

  #keyEnded(): void {
    const frame = this.#stack.at(-1);
    if (frame?.keys !== undefined) {
      const text = new TextDecoder().decode(new Uint8Array(this.#key));
      frame.key = JSON.parse(`"${text}"`) as string;
    }
  }

  #inBare(piece: Uint8Array, from: number): number {
    let at = from;
    while (at < piece.length && isBareByte(piece[at] ?? 0)) {
      at++;
    }
    this.#bare += String.fromCharCode(...piece.subarray(from, Math.min(at, from + BARE_CHARS_MAX)));
    if (at < piece.length || this.#bare.length >= BARE_CHARS_MAX) {
      this.#bareEnded(at);
    }
    return at;
  }

  #bareEnded(at: number): void {
    if (!BARE_VALUE.test(this.#bare) || this.#bare.length >= BARE_CHARS_MAX) {
      throw new DatasetError(
        "invalid_data",
        `The JSON document contains ${JSON.stringify(this.#bare.slice(0, 40))} near byte ${this.#offset + at}, which is not a JSON value.`,
      );
    }
    this.#token = NO_TOKEN;
    this.#valueEnded();
  }

  #unexpected(byte: number, at: number): DatasetError {
    const what = byte > 32 && byte < 127 ? `"${String.fromCharCode(byte)}"` : `byte ${byte}`;
    const hint =
      this.#expected === END
        ? " after the end of the document. For a file with one JSON value on each line, use the format ndjson."
        : ".";
    return new DatasetError(
      "invalid_data",
      `The JSON document has an unexpected ${what} at byte ${this.#offset + at}${hint}`,
    );
  }
}

function isBareByte(byte: number): boolean {
  return (
    (byte >= 48 && byte <= 57) ||
    (byte >= 97 && byte <= 122) ||
    byte === 43 ||
    byte === 45 ||
    byte === 46 ||
    byte === 69
  );
}

function isBom(piece: Uint8Array): boolean {
  return piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf;
}
