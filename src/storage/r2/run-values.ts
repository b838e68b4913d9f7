import type { FileRef } from "../../lib/file-ref.ts";

/** Text of a run's stored value, null when its bytes are gone. */
export async function readValueText(bucket: R2Bucket, file: FileRef): Promise<string | null> {
  const object = await bucket.get(file.key);
  return object === null ? null : object.text();
}

/** Keeps the text of a run's value under a key that the run made unguessable. Repeats give the same bytes. */
export async function writeValueText(
  bucket: R2Bucket,
  file: FileRef,
  bytes: Uint8Array,
): Promise<void> {
  await bucket.put(file.key, bytes, { httpMetadata: { contentType: file.contentType } });
}
