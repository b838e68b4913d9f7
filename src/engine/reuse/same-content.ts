import { canonicalDecimal } from "../../lib/json/canonical-decimal.ts";
import {
  isJsonNumber,
  isJsonObject,
  type JsonValue,
  numberToken,
} from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { RunValue } from "../../nodes/define-ports.ts";
import type { PlanInput } from "../plan/plan.ts";
import { canonicalKey, contentKeys } from "../values/canonical-json.ts";
import type { CellValue } from "../values/cell-outputs.ts";
import { fileContent } from "../values/element-digest.ts";
import { fitInput } from "../values/fit-input.ts";
import { isSpilled } from "../values.ts";

/**
 * [E36] Whether two values have the same content: JSON by value, without regard to the order of keys and the notation of
 * numbers; a file by its bytes and its media type, without regard to its name and address. A value that is stored in R2
 * is compared by its digest; without one, it equals only another such value with the same bytes.
 */
export function isSameContent(a: CellValue, b: CellValue): boolean {
  if (isSpilled(a) || isSpilled(b)) {
    const [keyA, keyB] = [keyOf(a), keyOf(b)];
    return (
      (keyA !== undefined && keyA === keyB) ||
      (isSpilled(a) && isSpilled(b) && isSameFile(a.spilled, b.spilled))
    );
  }
  if (a instanceof FileRef || b instanceof FileRef) {
    return a instanceof FileRef && b instanceof FileRef && isSameFile(a, b);
  }
  return isSameJson(a, b);
}

/** [E36] The same as a text that is equal for equal contents: undefined for a value that is stored in R2 without a digest. */
export function receivedContent(port: PlanInput, value: CellValue): string | undefined {
  if (value instanceof FileRef) {
    return JSON.stringify([fileContent(value), value.contentType]);
  }
  const isText = port.type === "text" || port.type === "url";
  const received = isText && !isSpilled(value) ? (fitted(port, value) ?? value) : value;
  return received instanceof FileRef ? receivedContent(port, received) : keyOf(received);
}

function keyOf(value: CellValue): string | undefined {
  if (isSpilled(value)) {
    return value.spilled.canonical;
  }
  return value instanceof FileRef ? undefined : canonicalKey(value);
}

/** [E36] The same of two values as their input port receives them: numbers may arrive as text. */
export function isSameReceived(port: PlanInput, a: CellValue, b: CellValue): boolean {
  if (isSameContent(a, b)) {
    return true;
  }
  if ((port.type !== "text" && port.type !== "url") || isSpilled(a) || isSpilled(b)) {
    return false;
  }
  const [fitA, fitB] = [fitted(port, a), fitted(port, b)];
  return fitA !== undefined && fitB !== undefined && isSameContent(fitA, fitB);
}

function fitted(port: PlanInput, value: RunValue): RunValue | undefined {
  try {
    return fitInput(value, port);
  } catch (error) {
    if (error instanceof NodeError) {
      return undefined;
    }
    throw error;
  }
}

function isSameFile(a: FileRef, b: FileRef): boolean {
  return a.contentType === b.contentType && fileContent(a) === fileContent(b);
}

function isSameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) {
    return true;
  }
  if (isJsonNumber(a) || isJsonNumber(b)) {
    return isJsonNumber(a) && isJsonNumber(b) && plain(a) === plain(b);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      isArray(a) &&
      isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => isSameJson(item, b[index] ?? null))
    );
  }
  if (!isJsonObject(a) || !isJsonObject(b)) {
    return false;
  }
  const keys = contentKeys(a);
  return (
    keys.length === contentKeys(b).length &&
    keys.every((key) => {
      const [inA, inB] = [a[key], b[key]];
      return (
        Object.hasOwn(b, key) && inA !== undefined && inB !== undefined && isSameJson(inA, inB)
      );
    })
  );
}

/** `Array.isArray` does not narrow a type of readonly arrays. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function plain(value: Parameters<typeof numberToken>[0]): string {
  return canonicalDecimal(numberToken(value));
}
