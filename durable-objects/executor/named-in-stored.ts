import { namedFiles } from "../../src/engine/reuse/cache-entry.ts";
import type { FileRef } from "../../src/lib/files/file-ref.ts";
import { parseJson } from "../../src/lib/json/exact-json.ts";
import { getFile } from "../../src/storage/r2/get-file.ts";

/** Longer JSON texts that may name a file are not parsed: a value takes up to fifty times the memory of its text. */
export const PARSED_CHARS_MAX = 512 * 1024;
/** What a text contains that names a stored file, also with escaped letters. */
const MAY_NAME = /storage:|\\u00/i;
const OVERLAP = 8;

/**
 * Returns the keys of the files of run `execution` that the stored JSON text names. Undefined if the text is gone, names a file of
 * another run, or is too long to tell. Rethrows errors of the store, and of a text that is not JSON.
 */
export async function namedInStored(
  bucket: R2Bucket,
  workspaceId: string,
  execution: string,
  file: FileRef,
): Promise<readonly string[] | undefined> {
  const object = await getFile(bucket, file);
  if (object === null) {
    return undefined;
  }
  let [text, tail, mayName, chars] = ["", "", false, 0];
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  for await (const piece of object.body.pipeThrough(decoder)) {
    mayName ||= MAY_NAME.test(tail + piece);
    tail = (tail + piece).slice(-OVERLAP);
    chars += piece.length;
    text = chars > PARSED_CHARS_MAX ? "" : text + piece;
  }
  if (!mayName) {
    return [];
  }
  return chars > PARSED_CHARS_MAX ? undefined : namedFiles(workspaceId, execution, parseJson(text));
}
