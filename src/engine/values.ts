/**
 * How a value is stored and sent: JSON text of a tag and a payload. `["j", <json>]` is a JSON value with its number
 * tokens kept, `["f", {…}]` a file, `["s", {…}]` a JSON value whose text is in R2 because it exceeds
 * VALUE_INLINE_MAX_BYTES. The tag ensures that a customer's JSON is never taken for a file.
 */
import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "../lib/json/exact-json.ts";
import { FileContent } from "../lib/files/file-content.ts";
import { type FilePack, FileRef } from "../lib/files/file-ref.ts";
import type { StoredValue } from "../contracts/runs/task.ts";
import type { RunValue } from "../nodes/define-ports.ts";
import { jsonMemory } from "../lib/json/json-memory.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";
import { NodeError } from "../lib/errors/node-error.ts";

/** Longer JSON texts are stored in R2, with a reference in the row (ARCHITECTURE.md). */
export const VALUE_INLINE_MAX_BYTES = LIMITS.value_inline.value;

/** Most bytes of one value's JSON text; a longer one is `VALUE_TOO_LARGE` (docs/contract/conventions.md#numbers). */
export const VALUE_MAX_BYTES = LIMITS.value.value;

/**
 * Throws NodeError `VALUE_TOO_LARGE` for the JSON text of a value that would take too much memory once it is parsed:
 * 16 MiB of empty arrays take more than an isolate has. `source` begins the message.
 */
export function checkValueMemory(text: string, source: string): void {
  if (jsonMemory(text) > LIMITS.value_memory.value) {
    throw new NodeError(
      "VALUE_TOO_LARGE",
      `${source} has too many parts to be held in memory as one value. Split it, or write it to a file.`,
    );
  }
}

/** A JSON value whose text must be read from R2 and parsed with `parseJson`. */
export interface SpilledValue {
  readonly spilled: FileRef;
}

const JSON_START = '["j",';

function fileText(tag: "f" | "s", file: FileRef): StoredValue {
  const { key, name, contentType, sizeBytes, etag, sha256, canonical, pack, content } = file;
  // The content is last: rows that share it contain it up to there (`run/block-text`).
  const inline = content?.base64;
  const stored = { key, name, contentType, sizeBytes, etag, sha256, canonical, pack, inline };
  return JSON.stringify([tag, stored]);
}

function readFileRef(payload: JsonValue | undefined): FileRef {
  if (payload !== undefined && isJsonObject(payload)) {
    const { key, name, contentType, sizeBytes, etag, sha256, canonical, pack, inline } = payload;
    if (
      typeof key === "string" &&
      typeof name === "string" &&
      typeof contentType === "string" &&
      typeof sizeBytes === "number"
    ) {
      return new FileRef({
        key,
        name,
        contentType,
        sizeBytes,
        ...(typeof etag === "string" && { etag }),
        ...(typeof sha256 === "string" && { sha256 }),
        ...(typeof canonical === "string" && { canonical }),
        ...(pack !== undefined && { pack: readPack(pack) }),
        ...(typeof inline === "string" && { content: FileContent.ofBase64(inline) }),
      });
    }
  }
  throw new TypeError("A stored file reference lacks key, name, contentType or sizeBytes.");
}

function readPack(pack: JsonValue): FilePack {
  if (isJsonObject(pack)) {
    const { key, offset } = pack;
    if (typeof key === "string" && typeof offset === "number" && Number.isSafeInteger(offset)) {
      return { key, offset };
    }
  }
  throw new TypeError("A stored file reference has a pack without key or offset.");
}

/** The stored form of a value in memory. Throws TypeError for values that JSON cannot represent. */
export function encodeValue(value: RunValue): StoredValue {
  if (value instanceof FileRef) {
    return fileText("f", value);
  }
  const text = stringifyJson(value) as string | undefined;
  if (text === undefined) {
    throw new TypeError(`A ${typeof value} is not a JSON value.`);
  }
  return encodeJsonText(text);
}

/** The stored form of a JSON value that is given as text. */
export function encodeJsonText(text: string): StoredValue {
  return `${JSON_START}${text}]`;
}

/** The stored form of a JSON value whose text was written to R2 as `file`. */
export function encodeSpilled(file: FileRef): StoredValue {
  return fileText("s", file);
}

/** Decodes a stored value. Throws TypeError or SyntaxError for a text that `encodeValue` did not make. */
export function decodeValue(stored: StoredValue): RunValue | SpilledValue {
  if (stored.startsWith(JSON_START)) {
    return parseJson(stored.slice(JSON_START.length, -1));
  }
  return readStored(parseJson(stored));
}

/**
 * The JSON of a stored value for a reader of its texts, since numbers may have lost digits; undefined for a file, and for a
 * value whose text is in R2. Throws SyntaxError like `decodeValue`.
 */
export function decodeTexts(stored: StoredValue): JsonValue | undefined {
  return stored.startsWith(JSON_START)
    ? (JSON.parse(stored.slice(JSON_START.length, -1)) as JsonValue)
    : undefined;
}

/** The same for a stored value that was parsed as part of a larger text. */
export function readStored(parsed: JsonValue): RunValue | SpilledValue {
  if (Array.isArray(parsed) && parsed.length === 2) {
    const [tag, payload] = parsed as readonly JsonValue[];
    if (tag === "j" && payload !== undefined) {
      return payload;
    }
    if (tag === "f") {
      return readFileRef(payload);
    }
    if (tag === "s") {
      return { spilled: readFileRef(payload) };
    }
  }
  throw new TypeError("A stored value has no known tag.");
}

/** Distinguishes a spilled value from JSON with a member of that name. */
export function isSpilled(value: RunValue | SpilledValue): value is SpilledValue {
  return (
    typeof value === "object" &&
    value !== null &&
    "spilled" in value &&
    (value as SpilledValue).spilled instanceof FileRef
  );
}
