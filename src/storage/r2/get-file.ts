import type { FileRef } from "../../lib/files/file-ref.ts";
import { getPacked } from "./get-packed.ts";

/** A file's body as a stream from the store, and its stored size. */
export interface GotFile {
  readonly sizeBytes: number;
  readonly body: ReadableStream<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Returns a file that is stored in R2, in its own object or in a pack. Null if it is gone. Rethrows errors of the
 * store. Not for a file with `content`.
 */
export async function getFile(bucket: R2Bucket, file: FileRef): Promise<GotFile | null> {
  const found =
    file.pack === undefined
      ? await bucket.get(file.key)
      : await getPacked(bucket, file.pack, 0, file.sizeBytes);
  if (found === null) {
    return null;
  }
  // The request has no condition, so the result has a body.
  const object = found as R2ObjectBody;
  return {
    sizeBytes: file.pack === undefined ? object.size : file.sizeBytes,
    body: object.body as ReadableStream<Uint8Array>,
    arrayBuffer: () => object.arrayBuffer(),
  };
}
