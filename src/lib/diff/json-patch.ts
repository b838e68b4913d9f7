/** The difference of two JSON values as a patch (RFC 6902). */
import { hash } from "node:crypto";
import { canonicalDecimal } from "../json/canonical-decimal.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
  stringifyJson,
} from "../json/exact-json.ts";
import { type Edit, editScript } from "./edit-script.ts";

/** Operations of a patch. */
const OPERATIONS_MAX = 100;
/** UTF-8 bytes of a patch as compact JSON. */
const PATCH_MAX_BYTES = 16 * 1024;

/**
 * Work on two values, in units that each take about 20 ns and 4 bytes of memory: one to compare two values, one for each
 * character of a number that a double would round, and of an item of a list that is looked up more for each part and
 * for itself.
 */
const WORK_MAX = 12_000_000;
const PART_WORK = 3;
const ITEM_WORK = 32;

/** Longer keys of items are hashed. */
const PLAIN_KEY_CHARS = 64;

export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string };

type JsonMembers = Readonly<Record<string, JsonValue>>;

/**
 * Returns a patch that makes `b` of `a`, empty for equal values: numbers are compared by value, and the order of keys
 * does not count. Null if it has more than 100 operations or 16 KiB, or if the values differ in lists so large that
 * finding out takes too long. Takes time in the order of both values' sizes, and at most that of `WORK_MAX`. The depth of
 * both must have been checked.
 */
export function jsonPatch(a: JsonValue, b: JsonValue): readonly PatchOperation[] | null {
  const differ = new Differ();
  return differ.compare("", a, b) ? differ.operations : null;
}

class Differ {
  readonly operations: PatchOperation[] = [];
  /** With the brackets. */
  #bytes = 2;
  #work = 0;

  /** Adds the operations that make `b` of `a` at this path; false if there are too many, or too much work. */
  compare(path: string, a: JsonValue, b: JsonValue): boolean {
    this.#work++;
    if (this.#work > WORK_MAX) {
      return false;
    }
    if (isList(a) && isList(b)) {
      return this.#items(path, a, b);
    }
    if (isJsonObject(a) && isJsonObject(b)) {
      return this.#members(path, a, b);
    }
    return this.#isEqual(a, b) || this.#add({ op: "replace", path, value: b });
  }

  #members(path: string, a: JsonMembers, b: JsonMembers): boolean {
    for (const key of Object.keys(a)) {
      const at = `${path}/${escaped(key)}`;
      const isDone = Object.hasOwn(b, key)
        ? this.compare(at, a[key] as JsonValue, b[key] as JsonValue)
        : this.#add({ op: "remove", path: at });
      if (!isDone) {
        return false;
      }
    }
    for (const key of Object.keys(b)) {
      const value = b[key] as JsonValue;
      if (
        !Object.hasOwn(a, key) &&
        !this.#add({ op: "add", path: `${path}/${escaped(key)}`, value })
      ) {
        return false;
      }
    }
    return true;
  }

  #items(path: string, a: readonly JsonValue[], b: readonly JsonValue[]): boolean {
    const edits = this.#edits(a, b);
    if (edits === null) {
      return false;
    }
    for (const { aFrom, aTo, bFrom, bTo } of edits) {
      // What comes before has become that of b.
      const pairs = Math.min(aTo - aFrom, bTo - bFrom);
      for (let i = 0; i < pairs; i++) {
        const [from, to] = [a[aFrom + i] as JsonValue, b[bFrom + i] as JsonValue];
        if (!this.compare(`${path}/${String(bFrom + i)}`, from, to)) {
          return false;
        }
      }
      for (let i = aFrom + pairs; i < aTo; i++) {
        if (!this.#add({ op: "remove", path: `${path}/${String(bFrom + pairs)}` })) {
          return false;
        }
      }
      for (let i = bFrom + pairs; i < bTo; i++) {
        if (!this.#add({ op: "add", path: `${path}/${String(i)}`, value: b[i] as JsonValue })) {
          return false;
        }
      }
    }
    return true;
  }

  /** The edits of a shortest script; null if there are too many, or too much work. */
  #edits(a: readonly JsonValue[], b: readonly JsonValue[]): readonly Edit[] | null {
    const least = Math.min(a.length, b.length);
    let head = 0;
    while (head < least && this.#isEqual(a[head] as JsonValue, b[head] as JsonValue)) {
      head++;
    }
    let tail = 0;
    while (
      tail < least - head &&
      this.#isEqual(a.at(-1 - tail) as JsonValue, b.at(-1 - tail) as JsonValue)
    ) {
      tail++;
    }
    const middle = { aFrom: head, aTo: a.length - tail, bFrom: head, bTo: b.length - tail };
    const [aCount, bCount] = [middle.aTo - middle.aFrom, middle.bTo - middle.bFrom];
    if (Math.min(aCount, bCount) === 0 || Math.max(aCount, bCount) === 1) {
      return aCount + bCount === 0 ? [] : [middle];
    }
    const keys = new Map<string, number>();
    const numbersA = this.#numbers(a.slice(head, middle.aTo), keys);
    const numbersB = numbersA && this.#numbers(b.slice(head, middle.bTo), keys);
    // An operation replaces one item: more edits than two for each do not fit.
    const edits = numbersB && editScript(numbersA, numbersB, 2 * OPERATIONS_MAX);
    return (
      edits?.map(({ aFrom, aTo, bFrom, bTo }) => ({
        aFrom: head + aFrom,
        aTo: head + aTo,
        bFrom: head + bFrom,
        bTo: head + bTo,
      })) ?? null
    );
  }

  /** Of each item a number: equal items have the same one. Null if it takes too much work. */
  #numbers(items: readonly JsonValue[], keys: Map<string, number>): Int32Array | null {
    const numbers = new Int32Array(items.length);
    for (const [at, item] of items.entries()) {
      const parts: string[] = [];
      this.#work += ITEM_WORK;
      if (!this.#key(parts, item)) {
        return null;
      }
      const text = parts.join("");
      const key = text.length > PLAIN_KEY_CHARS ? hash("sha256", text, "base64") : text;
      const number = keys.get(key) ?? keys.size;
      keys.set(key, number);
      numbers[at] = number;
    }
    return numbers;
  }

  /** Appends a text that equal values share, and no others; false if it takes too much work. */
  #key(parts: string[], value: JsonValue): boolean {
    if (isList(value)) {
      return (
        this.#part(parts, "[") &&
        value.every((item) => this.#key(parts, item) && this.#part(parts, ",")) &&
        this.#part(parts, "]")
      );
    }
    if (isJsonObject(value)) {
      return (
        this.#part(parts, "{") &&
        Object.keys(value)
          .toSorted()
          .every(
            (key) =>
              this.#part(parts, `${JSON.stringify(key)}:`) &&
              this.#key(parts, value[key] as JsonValue) &&
              this.#part(parts, ","),
          ) &&
        this.#part(parts, "}")
      );
    }
    return this.#part(
      parts,
      isJsonNumber(value) ? canonicalDecimal(numberToken(value)) : JSON.stringify(value),
    );
  }

  #part(parts: string[], text: string): boolean {
    parts.push(text);
    this.#work += PART_WORK + text.length;
    return this.#work <= WORK_MAX;
  }

  /** False also after too much work, which `compare` notices. */
  #isEqual(a: JsonValue, b: JsonValue): boolean {
    this.#work++;
    if (this.#work > WORK_MAX) {
      return false;
    }
    if (isJsonNumber(a) && isJsonNumber(b)) {
      return this.#isSameNumber(a, b);
    }
    if (isList(a) && isList(b)) {
      return (
        a.length === b.length && a.every((item, at) => this.#isEqual(item, b[at] as JsonValue))
      );
    }
    if (isJsonObject(a) && isJsonObject(b)) {
      const keys = Object.keys(a);
      return (
        keys.length === Object.keys(b).length &&
        keys.every(
          (key) => Object.hasOwn(b, key) && this.#isEqual(a[key] as JsonValue, b[key] as JsonValue),
        )
      );
    }
    return a === b;
  }

  #isSameNumber(a: JsonNumber, b: JsonNumber): boolean {
    if (typeof a === "number" && typeof b === "number") {
      return a === b;
    }
    const [aToken, bToken] = [numberToken(a), numberToken(b)];
    this.#work += aToken.length + bToken.length;
    return canonicalDecimal(aToken) === canonicalDecimal(bToken);
  }

  #add(operation: PatchOperation): boolean {
    if (
      this.operations.length === OPERATIONS_MAX ||
      operation.path.length > PATCH_MAX_BYTES ||
      (operation.op !== "remove" && !isShort(operation.value, PATCH_MAX_BYTES))
    ) {
      return false;
    }
    this.operations.push(operation);
    const text = stringifyJson({ ...operation });
    this.#bytes += new TextEncoder().encode(text).byteLength + (this.operations.length > 1 ? 1 : 0);
    return this.#bytes <= PATCH_MAX_BYTES;
  }
}

type JsonNumber = Parameters<typeof numberToken>[0];

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Whether the text of a value may have at most this many characters; visits no more parts than that. */
function isShort(value: JsonValue, maxChars: number): boolean {
  let left = maxChars;
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    left -= 1;
    if (typeof next === "string") {
      left -= next.length;
    } else if (Array.isArray(next)) {
      if (next.length > left) {
        return false;
      }
      open.push(...(next as readonly JsonValue[]));
    } else if (isJsonObject(next)) {
      for (const key in next) {
        left -= key.length + 1;
        if (left < 0) {
          return false;
        }
        open.push(next[key] as JsonValue);
      }
    }
    if (left < 0) {
      return false;
    }
  }
  return true;
}
