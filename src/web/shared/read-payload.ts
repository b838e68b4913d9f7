import { PAYLOAD_BYTES_MAX } from "./protocol.ts";

/** Levels of arrays and objects. */
const DEPTH_MAX = 64;
/** Values, members and elements; shared parts count each time, so that they cannot multiply. */
const VALUES_MAX = 200_000;

export type ReadPayload =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: "too_large" | "not_json" };

class NotJson extends Error {
  override readonly name = "NotJson";
}

/**
 * Copies the payload of a message. The copy contains what JSON has, `NaN` and infinite numbers as they are, and files
 * (`Blob`, `File`). Its objects have no prototype, so that a key like `__proto__` is a key like any other; members that
 * are undefined are left out. Cyclic values and other objects, such as dates, maps and buffers, are refused, and so is
 * a payload of more than 1 MiB of JSON, in which a file counts as an empty object.
 */
export function readPayload(given: unknown): ReadPayload {
  const left = { values: VALUES_MAX };
  try {
    const value = copy(given, 0, left);
    return left.values < 0 || isTooLarge(value)
      ? { ok: false, reason: "too_large" }
      : { ok: true, value };
  } catch {
    // Not only `NotJson`: a getter of an object that no browser has cloned can throw anything.
    return { ok: false, reason: left.values < 0 ? "too_large" : "not_json" };
  }
}

function copy(given: unknown, depth: number, left: { values: number }): unknown {
  left.values -= 1;
  if (left.values < 0 || depth > DEPTH_MAX) {
    throw new NotJson();
  }
  switch (typeof given) {
    case "string":
    case "number":
    case "boolean":
    case "undefined":
      return given;
    case "object":
      return given === null ? null : copyObject(given, depth, left);
    default:
      throw new NotJson();
  }
}

function copyObject(given: object, depth: number, left: { values: number }): unknown {
  if (given instanceof Blob) {
    return given;
  }
  if (Array.isArray(given)) {
    // Before the elements: an array without elements can have any length.
    left.values -= given.length;
    if (left.values < 0) {
      throw new NotJson();
    }
    return Array.from(given, (element) => {
      left.values += 1;
      return copy(element, depth + 1, left) ?? null;
    });
  }
  const prototype: unknown = Object.getPrototypeOf(given);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new NotJson();
  }
  const made = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of Object.entries(given)) {
    const value = copy(member, depth + 1, left);
    if (value !== undefined) {
      made[key] = value;
    }
  }
  return made;
}

function isTooLarge(value: unknown): boolean {
  const text = JSON.stringify(value) ?? "";
  // A UTF-16 unit takes at most three bytes.
  return (
    text.length > PAYLOAD_BYTES_MAX ||
    (text.length * 3 > PAYLOAD_BYTES_MAX &&
      new TextEncoder().encode(text).length > PAYLOAD_BYTES_MAX)
  );
}
