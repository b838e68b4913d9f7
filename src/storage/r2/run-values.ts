import type { FileRef } from "../../lib/files/file-ref.ts";
import { getFile } from "./get-file.ts";

/** Returns the text of a run's stored value, null if its bytes are gone. */
export async function readValueText(bucket: R2Bucket, file: FileRef): Promise<string | null> {
  if (file.content !== undefined) {
    return new TextDecoder().decode(file.content.bytes);
  }
  const found = await getFile(bucket, file);
  return found === null ? null : new TextDecoder().decode(await found.arrayBuffer());
}

/** Stores the text of a run's value under an unguessable key that the run generated. Repeats store the same bytes. */
export async function writeValueText(
  bucket: R2Bucket,
  file: FileRef,
  bytes: Uint8Array,
): Promise<void> {
  await bucket.put(file.key, bytes, { httpMetadata: { contentType: file.contentType } });
}
