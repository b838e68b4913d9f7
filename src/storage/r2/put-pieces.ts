import type { MemoryLease } from "../../lib/memory-budget.ts";
import type { MemorySource } from "../../lib/memory-gate.ts";
import { fileNameMetadata } from "./stored-file-name.ts";

const MB = 1024 * 1024;
const PART_BYTES = 8 * MB;
/** R2 takes at least so much as a part, but for the last. */
const SMALL_PART_BYTES = 5 * MB;
const FIRST_BUFFER_BYTES = 64 * 1024;
/** A file of so many bytes is stored without asking for memory. */
const UNASKED_BYTES = 256 * 1024;
/** What comes in meanwhile, and the buffer that a larger one grew from. */
const OTHER_BYTES = 1.5 * MB;
const QUICK_BYTES = 2 * PART_BYTES + OTHER_BYTES;
/** What storing a stream holds of a caller's own memory. */
export const SPARING_BYTES = SMALL_PART_BYTES + OTHER_BYTES;

export interface PutOptions {
  readonly contentType: string;
  /** What a download is saved as. */
  readonly name?: string;
  /** Undefined where the caller has taken SPARING_BYTES. */
  readonly memory: MemorySource | undefined;
}

export interface StoredObject {
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
}

/**
 * Stores a stream of unknown length at a key, in parts. Where `memory` has room at once it holds two of
 * them, one that fills and one that leaves, else a smaller one, and waits until it has left. A small
 * stream is stored at once. When the stream throws, or storage does, or `memory`, nothing is left at
 * the key, and the error goes on to the caller.
 */
export async function putPieces(
  bucket: R2Bucket,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  { contentType, name, memory }: PutOptions,
): Promise<StoredObject> {
  let lease: MemoryLease | undefined;
  let isSparing = memory === undefined;
  let partBytes = isSparing ? SMALL_PART_BYTES : PART_BYTES;
  const options = {
    httpMetadata: { contentType },
    ...(name !== undefined && { customMetadata: fileNameMetadata(name) }),
  };
  const parts = new Parts(() => bucket.createMultipartUpload(key, options));
  try {
    let buffer = new Uint8Array(FIRST_BUFFER_BYTES);
    // The part under way; free again once the next one is sent.
    let sent: Uint8Array<ArrayBuffer> | undefined;
    let filled = 0;
    let sizeBytes = 0;
    for await (const piece of pieces) {
      sizeBytes += piece.byteLength;
      for (let at = 0; at < piece.byteLength;) {
        if (filled === buffer.byteLength) {
          if (filled === partBytes) {
            await parts.send(buffer);
            if (isSparing) {
              await parts.settle();
            } else {
              [buffer, sent] = [sent ?? new Uint8Array(partBytes), buffer];
            }
            filled = 0;
          } else {
            if (memory !== undefined && lease === undefined && filled >= UNASKED_BYTES) {
              lease = memory.takeNow(QUICK_BYTES);
              isSparing = lease === undefined;
              partBytes = isSparing ? SMALL_PART_BYTES : PART_BYTES;
              lease ??= await memory.take(SPARING_BYTES);
            }
            buffer = grown(buffer, partBytes);
          }
        }
        const count = Math.min(piece.byteLength - at, buffer.byteLength - filled);
        buffer.set(piece.subarray(at, at + count), filled);
        filled += count;
        at += count;
      }
    }
    const rest = buffer.subarray(0, filled);
    if (parts.isEmpty) {
      const { etag } = await bucket.put(key, rest, options);
      return { sizeBytes, etag };
    }
    if (filled > 0) {
      await parts.send(rest);
    }
    const { etag } = await parts.complete();
    return { sizeBytes, etag };
  } catch (error) {
    await parts.abort();
    throw error;
  } finally {
    lease?.release();
  }
}

function grown(buffer: Uint8Array, bytesMax: number): Uint8Array<ArrayBuffer> {
  const times4 = buffer.byteLength * 4;
  // Not twice in a row when it is nearly there.
  const larger = new Uint8Array(times4 * 2 > bytesMax ? bytesMax : times4);
  larger.set(buffer);
  return larger;
}

/** A multipart upload that begins with its first part and has one part under way. */
class Parts {
  readonly #create: () => Promise<R2MultipartUpload>;
  readonly #sent: R2UploadedPart[] = [];
  #upload: R2MultipartUpload | undefined;
  #sending: Promise<R2UploadedPart> | undefined;
  #count = 0;

  constructor(create: () => Promise<R2MultipartUpload>) {
    this.#create = create;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  async send(bytes: Uint8Array): Promise<void> {
    this.#upload ??= await this.#create();
    await this.settle();
    this.#count++;
    this.#sending = this.#upload.uploadPart(this.#count, bytes);
    // Told by the next settle; until then nobody waits for it.
    this.#sending.catch(() => undefined);
  }

  async complete(): Promise<R2Object> {
    await this.settle();
    if (this.#upload === undefined) {
      throw new Error("There is no part to complete.");
    }
    return await this.#upload.complete(this.#sent);
  }

  async abort(): Promise<void> {
    await this.#sending?.catch(() => undefined);
    // R2 forgets an upload that was not completed after seven days, so this is only sooner.
    await this.#upload?.abort().catch(() => undefined);
  }

  /** Waits until what was sent has left. */
  async settle(): Promise<void> {
    if (this.#sending !== undefined) {
      const sending = this.#sending;
      this.#sending = undefined;
      this.#sent.push(await sending);
    }
  }
}
