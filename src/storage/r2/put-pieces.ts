import type { MemoryLease } from "../../lib/memory/memory-budget.ts";
import type { MemorySource } from "../../lib/memory/memory-gate.ts";
import { fileNameMetadata } from "./stored-file-name.ts";

const MB = 1024 * 1024;
const PART_BYTES = 8 * MB;
/** Smallest part that R2 accepts, except for the last. */
const SMALL_PART_BYTES = 5 * MB;
const FIRST_BUFFER_BYTES = 64 * 1024;
/** Files up to this size are stored without asking for memory. */
const UNASKED_BYTES = 256 * 1024;
/** Data that arrives meanwhile, and the old buffer while a larger one replaces it. */
const OTHER_BYTES = 1.5 * MB;
const QUICK_BYTES = 2 * PART_BYTES + OTHER_BYTES;
/** Memory of the caller that storing a stream takes. */
export const SPARING_BYTES = SMALL_PART_BYTES + OTHER_BYTES;

export interface PutOptions {
  readonly contentType: string;
  /** File name of a download. */
  readonly name?: string;
  /** Undefined if the caller has already taken SPARING_BYTES. */
  readonly memory: MemorySource | undefined;
}

export interface StoredObject {
  readonly sizeBytes: number;
  /** Without quotes. */
  readonly etag: string;
}

/**
 * Stores a stream of unknown length at a key, in parts. If `memory` has room at once, it holds two parts, one being
 * filled and one being sent; otherwise one smaller part, and it waits until that part is sent. A small stream is stored
 * in a single request. If the stream, storage or `memory` throws, nothing is left at the key and the error is rethrown.
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
    // The part being sent; its buffer is free once the next part is sent.
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
  // Avoids a second growth when the buffer is nearly large enough.
  const larger = new Uint8Array(times4 * 2 > bytesMax ? bytesMax : times4);
  larger.set(buffer);
  return larger;
}

/** A multipart upload that starts with its first part and sends one part at a time. */
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
    // The next settle reports this failure; until then nothing awaits it.
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
    // R2 drops an incomplete upload after seven days, so an abort only frees it sooner.
    await this.#upload?.abort().catch(() => undefined);
  }

  /** Waits until the part under way is sent. */
  async settle(): Promise<void> {
    if (this.#sending !== undefined) {
      const sending = this.#sending;
      this.#sending = undefined;
      this.#sent.push(await sending);
    }
  }
}
