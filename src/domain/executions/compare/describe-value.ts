/** What a comparison shows of a value, and of the difference of two values. */
import { createHash } from "node:crypto";
import type { ItemDifference } from "../../../contracts/runs/comparison.ts";
import type { StoredValue } from "../../../contracts/runs/task.ts";
import { decodeValue, isSpilled } from "../../../engine/values.ts";
import { jsonPatch } from "../../../lib/diff/json-patch.ts";
import { lineDiff, NO_LINE_DIFF } from "../../../lib/diff/line-diff.ts";
import { FileRef } from "../../../lib/files/file-ref.ts";
import { jsonMemory } from "../../../lib/json/json-memory.ts";
import { parseJson, stringifyJson } from "../../../lib/json/exact-json.ts";
import type { CallerContext } from "../../../platform/context.ts";
import type { RequestMemory } from "../../../platform/request-memory.ts";
import { readValueText } from "../../../storage/r2/run-values.ts";

/** Bytes of two values together up to which their difference is made. */
const DIFFERENCE_BYTES_MAX = 8 * 1024 * 1024;
/** Memory of two parsed values up to which their patch is made: lists of empty lists have fourteen times their text. */
const PARSED_BYTES_MAX = 64 * 1024 * 1024;
/** Memory for bytes and their text, which has at most two bytes per character. */
const READ_COPIES = 3;

/** A value as a comparison shows it. */
export interface DescribedValue {
  readonly sha256: string | null;
  readonly size_bytes: number;
  readonly content_type: string;
  /** The text of a text or of JSON, or the R2 object that has it; null for a file. */
  readonly text: string | FileRef | null;
}

/** `type` is that of the output or the input. */
export function describeValue(stored: StoredValue, type: string): DescribedValue {
  const value = decodeValue(stored);
  if (value instanceof FileRef || isSpilled(value)) {
    const file = value instanceof FileRef ? value : value.spilled;
    const isShown = isSpilled(value) || type === "text";
    const { sha256 = null, sizeBytes, contentType } = file;
    return {
      sha256,
      size_bytes: sizeBytes,
      content_type: contentType,
      text: isShown ? file : null,
    };
  }
  const isText = type === "text" && typeof value === "string";
  const text = isText ? value : stringifyJson(value);
  return {
    sha256: createHash("sha256").update(text).digest("hex"),
    size_bytes: Buffer.byteLength(text),
    content_type: isText ? "text/plain; charset=utf-8" : "application/json",
    text,
  };
}

interface Difference {
  readonly patch?: ReturnType<typeof jsonPatch>;
  readonly text?: ReturnType<typeof lineDiff>;
}

/**
 * The difference of two values of this type; null where they are too large for one. Nothing for files, and where the
 * bytes of a value are gone.
 */
async function differenceOf(
  a: DescribedValue,
  b: DescribedValue,
  type: string,
  files: R2Bucket,
  memory: RequestMemory,
): Promise<Difference> {
  if (a.text === null || b.text === null) {
    return {};
  }
  const isText = type === "text";
  const bytes = a.size_bytes + b.size_bytes;
  if (bytes > DIFFERENCE_BYTES_MAX) {
    return isText ? { text: NO_LINE_DIFF } : { patch: null };
  }
  const texts = await memory.use(READ_COPIES * bytes, () =>
    Promise.all([textOf(a.text, files), textOf(b.text, files)]),
  );
  const [before, after] = texts;
  if (before === null || after === null) {
    return {};
  }
  if (isText) {
    return { text: await memory.use(READ_COPIES * bytes, () => lineDiff(before, after)) };
  }
  const parsed = jsonMemory(before) + jsonMemory(after);
  if (parsed > PARSED_BYTES_MAX) {
    return { patch: null };
  }
  // Not before: two requests that hold memory and wait for more would both be refused.
  return memory.use(2 * bytes + parsed, () => ({
    patch: jsonPatch(parseJson(before), parseJson(after)),
  }));
}

/** Null if the bytes are gone, and for a file. */
async function textOf(text: DescribedValue["text"], files: R2Bucket): Promise<string | null> {
  return text instanceof FileRef ? readValueText(files, text) : text;
}

/** The difference of two values as an item or an input states it. */
export async function shownDifference(
  ctx: CallerContext,
  a: DescribedValue,
  b: DescribedValue,
  type: string,
): Promise<Pick<ItemDifference, "patch" | "text">> {
  const { patch, text } = await differenceOf(a, b, type, ctx.env.FILES, ctx.memory);
  return {
    ...(patch !== undefined && { patch: patch === null ? null : [...patch] }),
    ...(text !== undefined && { text }),
  };
}
