import type { FileRef } from "../../lib/file-ref.ts";
import { getPacked } from "./get-packed.ts";

/** A file's body as it is read from the store, and its size there. */
export interface GotFile {
  readonly sizeBytes: number;
  readonly body: ReadableStream<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * A file that lies in R2, in an object of its own or in a pack. Null where it is gone. Throws what the
 * store throws. Not for a file with `content`.
 */
export async function getFile(bucket: R2Bucket, file: FileRef): Promise<GotFile | null> {
  const found =
    file.pack === undefined
      ? await bucket.get(file.key)
      : await getPacked(bucket, file.pack, 0, file.sizeBytes);
  if (found === null) {
    return null;
  }
  // Nothing was asked on a condition, so there is a body.
  const object = found as R2ObjectBody;
  return {
    sizeBytes: file.pack === undefined ? object.size : file.sizeBytes,
    body: object.body as ReadableStream<Uint8Array>,
    arrayBuffer: () => object.arrayBuffer(),
  };
}
