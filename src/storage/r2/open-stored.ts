import type { StoredFile } from "../../contracts/runs/zip-export.ts";
import { getPacked } from "./get-packed.ts";

/** Returns the bytes of a file for an archive. Null if it is gone or has another size. Rethrows errors of the store. */
export async function openStored(
  bucket: R2Bucket,
  { key, size_bytes: size, offset }: StoredFile,
): Promise<ReadableStream<Uint8Array> | null> {
  if (offset !== undefined) {
    const packed = await getPacked(bucket, { key, offset }, 0, size);
    return packed !== null && "body" in packed ? (packed as R2ObjectBody).body : null;
  }
  const object = await bucket.get(key);
  if (object?.size !== size) {
    await object?.body.cancel();
    return null;
  }
  return object.body;
}
