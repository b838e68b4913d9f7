/** A text for the content of a value: equal for equal contents (docs/contract/executions.md#comparison). */
import { hash } from "node:crypto";
import { FileRef } from "../../lib/files/file-ref.ts";
import { isSpilled } from "../values.ts";
import { canonicalDigest, canonicalJson } from "./canonical-json.ts";
import {
  arePlainOutputs,
  type CellValue,
  PLAIN_OUTPUTS_CHARS_MAX,
  plainOutput,
  readOutputs,
} from "./cell-outputs.ts";
import { fileContent } from "./element-digest.ts";

/** Characters of a canonical text that is its own key; hashing 10,000 elements takes a tenth of a second. */
const PLAIN_CHARS_MAX = 64;

/** Longer texts are hashed by parts. */
const AT_ONCE_CHARS_MAX = 64 * 1024;

/**
 * Returns a key of at most `plainCharsMax` characters, or 400. JSON is compared by value: numbers in any notation,
 * members in any order. A file is compared by its bytes and its media type, a value in R2 by the digest that is stored
 * with it.
 */
export function contentKey(value: CellValue, plainCharsMax = PLAIN_CHARS_MAX): string {
  if (value instanceof FileRef) {
    return ofFile(value);
  }
  if (isSpilled(value)) {
    const { canonical } = value.spilled;
    if (canonical === undefined) {
      return ofFile(value.spilled);
    }
    return canonical.startsWith("=") ? canonical : `#${canonical}`;
  }
  if (typeof value === "string" && value.length > AT_ONCE_CHARS_MAX) {
    return `#${canonicalDigest(value)}`;
  }
  return keyOfText(canonicalJson(value), plainCharsMax);
}

/** Returns the key of the first of a row's outputs; undefined if there is none. */
export function firstContentKey(outputs: string): string | undefined {
  const plain = plainOutput(outputs);
  if (plain !== undefined) {
    return keyOfText(plain, PLAIN_CHARS_MAX);
  }
  const [value] = readOutputs(outputs).values();
  return value === undefined ? undefined : contentKey(value);
}

/** Returns a key of all of a row's outputs, with their ports. */
export function outputsKey(outputs: string): string {
  if (arePlainOutputs(outputs)) {
    return outputs;
  }
  const parts = [...readOutputs(outputs)].map(([port, value]) => {
    const key = contentKey(value, PLAIN_OUTPUTS_CHARS_MAX);
    // In the notation of plain outputs: 1.0 is the same number as 1.
    const text = key.startsWith("=") ? `["j",${key.slice(1)}]` : JSON.stringify(key);
    return `[${JSON.stringify(port)},${text}]`;
  });
  return `[${parts.join()}]`;
}

function keyOfText(text: string, plainCharsMax: number): string {
  return text.length <= plainCharsMax ? `=${text}` : `#${hash("sha256", text, "base64url")}`;
}

function ofFile(file: FileRef): string {
  return `f${hash("sha256", JSON.stringify([fileContent(file), file.contentType]), "base64url")}`;
}
