import { assertWorkspaceKey } from "./assert-workspace-key.ts";
import type { StoredObject } from "./put-pieces.ts";

const MB = 1024 * 1024;
/** R2 requires parts of one size, except for the last. The first part stays open, so what can be changed has this size. */
const PART_BYTES = 8 * MB;
const FIRST_BUFFER_BYTES = 64 * 1024;

/** An object as a media writer stores it. */
export interface MediaPut extends StoredObject {
  readonly key: string;
}

/**
 * A file that is written from its beginning to its end, and whose first 8 MiB can be changed until `end`, as media
 * containers need it. A file of up to 8 MiB is stored in one request. A larger one is stored in parts of 8 MiB, the first
 * of them last. Nothing is at the key before `end`, nor after `abort`. The caller takes
 * `MEMORY_BYTES_MAX` of memory.
 */
export class MediaFile {
  /** Most memory of one file: the first part, and the one that is being filled or sent. */
  static readonly MEMORY_BYTES_MAX = 2 * PART_BYTES;

  readonly #bucket: R2Bucket;
  readonly #key: string;
  readonly #contentType: string;
  /** Bytes of the first part, in a buffer that grows to PART_BYTES. */
  #first = new Uint8Array(FIRST_BUFFER_BYTES);
  /** The part that is being filled, from the second on; undefined before. */
  #part: Uint8Array<ArrayBuffer> | undefined;
  #filled = 0;
  #size = 0;
  #upload: R2MultipartUpload | undefined;
  /** Parts that are stored, from the second on. */
  readonly #stored: R2UploadedPart[] = [];
  #isOver = false;

  /** Throws if the key does not belong to the workspace. */
  constructor(
    bucket: R2Bucket,
    workspaceId: string,
    file: { readonly key: string; readonly contentType: string },
  ) {
    assertWorkspaceKey(workspaceId, file.key);
    this.#bucket = bucket;
    this.#key = file.key;
    this.#contentType = file.contentType;
  }

  /** Memory that the file holds now. */
  get memoryBytes(): number {
    return this.#first.byteLength + (this.#part?.byteLength ?? 0);
  }

  get sizeBytes(): number {
    return this.#size;
  }

  /** The first 8 MiB, or fewer while there are fewer; valid until the next call. */
  get head(): Uint8Array {
    return this.#first.subarray(0, Math.min(this.#size, PART_BYTES));
  }

  /** All bytes so far, while they are at most 8 MiB; valid until the next call. */
  get whole(): Uint8Array | undefined {
    return this.#part === undefined ? this.#first.subarray(0, this.#size) : undefined;
  }

  /** Takes a copy of the bytes; resolves when the next ones can be taken. Rethrows errors of the store. */
  async append(bytes: Uint8Array): Promise<void> {
    this.#assertOpen();
    let at = 0;
    if (this.#size < PART_BYTES) {
      at = Math.min(bytes.byteLength, PART_BYTES - this.#size);
      this.#reserve(this.#size + at);
      this.#first.set(bytes.subarray(0, at), this.#size);
      this.#size += at;
    }
    while (at < bytes.byteLength) {
      this.#part ??= new Uint8Array(PART_BYTES);
      const count = Math.min(bytes.byteLength - at, PART_BYTES - this.#filled);
      this.#part.set(bytes.subarray(at, at + count), this.#filled);
      this.#filled += count;
      this.#size += count;
      at += count;
      if (this.#filled === PART_BYTES) {
        await this.#sendPart(this.#part);
        this.#filled = 0;
      }
    }
  }

  /** Replaces bytes that were appended within the first 8 MiB. Throws RangeError for others. */
  patch(position: number, bytes: Uint8Array): void {
    this.#assertOpen();
    const end = position + bytes.byteLength;
    if (position < 0 || end > Math.min(this.#size, PART_BYTES)) {
      throw new RangeError(`Bytes ${position} to ${end} of a file cannot be changed any more.`);
    }
    this.#first.set(bytes, position);
  }

  /** Stores the file. If it throws, nothing is at the key. */
  async end(): Promise<MediaPut> {
    this.#assertOpen();
    const first = this.#first.subarray(0, Math.min(this.#size, PART_BYTES));
    try {
      const { etag } = await this.#store(first);
      this.#isOver = true;
      this.#forget();
      return { key: this.#key, sizeBytes: this.#size, etag };
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  /** Leaves nothing at the key, and frees the memory. May be called again, and after `end`, where it does nothing. */
  async abort(): Promise<void> {
    if (this.#isOver) {
      return;
    }
    this.#isOver = true;
    this.#forget();
    // R2 drops an incomplete upload after seven days, so an abort only frees it sooner.
    await this.#upload?.abort().catch(() => undefined);
  }

  async #store(first: Uint8Array): Promise<R2Object> {
    const part = this.#part;
    if (part === undefined) {
      return await this.#bucket.put(this.#key, first, {
        httpMetadata: { contentType: this.#contentType },
      });
    }
    if (this.#filled > 0) {
      await this.#sendPart(part.subarray(0, this.#filled));
    }
    const upload = await this.#open();
    const stored = await upload.uploadPart(1, first);
    return await upload.complete([stored, ...this.#stored]);
  }

  async #sendPart(part: Uint8Array): Promise<void> {
    const upload = await this.#open();
    this.#stored.push(await upload.uploadPart(this.#stored.length + 2, part));
  }

  async #open(): Promise<R2MultipartUpload> {
    return (this.#upload ??= await this.#bucket.createMultipartUpload(this.#key, {
      httpMetadata: { contentType: this.#contentType },
    }));
  }

  /** Makes room for so many bytes of the first part. */
  #reserve(bytes: number): void {
    if (bytes <= this.#first.byteLength) {
      return;
    }
    const larger = new Uint8Array(
      Math.min(PART_BYTES, Math.max(bytes, this.#first.byteLength * 4)),
    );
    larger.set(this.#first.subarray(0, this.#size));
    this.#first = larger;
  }

  #forget(): void {
    this.#first = new Uint8Array();
    this.#part = undefined;
  }

  #assertOpen(): void {
    if (this.#isOver) {
      throw new Error("The file is complete or was aborted.");
    }
  }
}
