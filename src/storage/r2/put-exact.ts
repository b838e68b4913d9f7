import type { StoredObject } from "./put-pieces.ts";
import { fileNameMetadata } from "./stored-file-name.ts";

/** A stream was longer or shorter than announced. */
export class SizeError extends Error {
  override readonly name = "SizeError";
  readonly isOver: boolean;

  constructor(isOver: boolean) {
    super(
      isOver ? "The stream is longer than announced." : "The stream is shorter than announced.",
    );
    this.isOver = isOver;
  }
}

export interface ExactPut {
  readonly key: string;
  readonly contentType: string;
  /** File name of a download of the object. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Writes a part of a multipart upload instead of an object. */
  readonly part: { readonly number: number; readonly uploadId: string } | undefined;
  /** The returned piece may change on the next call. */
  readonly read: () => Promise<Uint8Array | undefined>;
  readonly onBytes: (bytes: Uint8Array) => void;
}

/**
 * Stores a stream of a known length, holding one piece at a time. Stores nothing if the stream is longer or shorter
 * (SizeError) or reading it throws.
 */
export async function putExact(bucket: R2Bucket, put: ExactPut): Promise<StoredObject> {
  const { readable, writable } = new FixedLengthStream(put.sizeBytes);
  const storing =
    put.part === undefined
      ? bucket.put(put.key, readable, {
          httpMetadata: { contentType: put.contentType },
          customMetadata: fileNameMetadata(put.name),
        })
      : bucket
          .resumeMultipartUpload(put.key, put.part.uploadId)
          .uploadPart(put.part.number, readable);
  const writer = writable.getWriter();
  const feeding = feed(put, writer);
  const [fed, stored] = await Promise.allSettled([feeding, storing]);
  if (fed.status === "rejected") {
    throw fed.reason;
  }
  if (stored.status === "rejected") {
    throw stored.reason;
  }
  return { sizeBytes: put.sizeBytes, etag: stored.value.etag };
}

async function feed(put: ExactPut, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  let size = 0;
  try {
    for (;;) {
      const piece = await put.read();
      if (piece === undefined) {
        break;
      }
      size += piece.byteLength;
      if (size > put.sizeBytes) {
        throw new SizeError(true);
      }
      put.onBytes(piece);
      // Waiting for the write also lets the source reuse its buffer.
      await writer.write(piece);
    }
    if (size < put.sizeBytes) {
      throw new SizeError(false);
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}
