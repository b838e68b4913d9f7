import type { FileRef } from "../../lib/file-ref.ts";
import { getFile } from "./get-file.ts";

/** Text of a run's stored value, null when its bytes are gone. */
export async function readValueText(bucket: R2Bucket, file: FileRef): Promise<string | null> {
  if (file.content !== undefined) {
    return new TextDecoder().decode(file.content.bytes);
  }
  const found = await getFile(bucket, file);
  return found === null ? null : new TextDecoder().decode(await found.arrayBuffer());
}

/** Keeps the text of a run's value under a key that the run made unguessable. Repeats give the same bytes. */
export async function writeValueText(
  bucket: R2Bucket,
  file: FileRef,
  bytes: Uint8Array,
): Promise<void> {
  await bucket.put(file.key, bytes, { httpMetadata: { contentType: file.contentType } });
}
