import type { BuildState, ExportSink } from "../../src/domain/exports/batch/build-export.ts";
import { ExportTooLargeError } from "../../src/domain/exports/batch/export-host.ts";
import type { ExportStore } from "./export-store.ts";

/** Bytes of one row: a row has at most 2 MB. */
export const PIECE_BYTES = 1024 * 1024;
/** Pieces of a part of an upload: R2 requires the same size for all parts but the last, 5 MiB or more. */
const PART_PIECES = 8;
/** R2 has no more parts of an upload. */
const PARTS_MAX = 10_000;

const SUPERSEDED = "The export was begun again, or has ended.";

/** Another request has begun the export again, or it has ended. */
export class SupersededError extends Error {
  override readonly name = "SupersededError";
}

/**
 * The bytes of an export on their way into the store: in rows until they fill a part of an upload. Two pieces of them are
 * in memory, and a part while it is sent. Bytes that were not committed are dropped by the next spool.
 */
export class ExportSpool implements ExportSink {
  readonly #store: ExportStore;
  readonly #bucket: R2Bucket;
  readonly #contentType: string;
  readonly #generation: number;
  #tail = new Uint8Array(PIECE_BYTES);
  /** Bytes of the file, and those of them that are committed. */
  #length: number;
  #committed: number;
  #newEntries: Uint8Array[] = [];

  constructor(store: ExportStore, bucket: R2Bucket, contentType: string) {
    this.#store = store;
    this.#bucket = bucket;
    this.#contentType = contentType;
    this.#generation = store.generation;
    this.#committed = store.committed;
    this.#length = this.#committed;
    const rest = store.dropUncommitted(this.#committed, PIECE_BYTES);
    this.#tail.set(rest);
  }

  get uncommitted(): number {
    return this.#length - this.#committed;
  }

  append(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.byteLength;) {
      const at = this.#length % PIECE_BYTES;
      const count = Math.min(bytes.byteLength - from, PIECE_BYTES - at);
      this.#tail.set(bytes.subarray(from, from + count), at);
      from += count;
      this.#length += count;
      if (at + count === PIECE_BYTES) {
        this.#requireCurrent();
        this.#store.putPiece(this.#length / PIECE_BYTES - 1, this.#tail);
      }
    }
  }

  keepEntry(entry: Uint8Array): void {
    this.#newEntries.push(entry);
  }

  *entries(): Iterable<Uint8Array> {
    yield* this.#store.entries();
    yield* this.#newEntries;
  }

  commit(state: BuildState): void {
    this.#requireCurrent();
    const rest = this.#length % PIECE_BYTES;
    this.#store.transaction(() => {
      if (rest > 0) {
        this.#store.putPiece(Math.floor(this.#length / PIECE_BYTES), this.#tail.subarray(0, rest));
      }
      this.#store.addEntries(this.#newEntries);
      this.#store.commit(state, this.#length);
    });
    this.#newEntries = [];
    this.#committed = this.#length;
  }

  async send(): Promise<void> {
    while (this.#store.sentPieces + PART_PIECES <= Math.floor(this.#committed / PIECE_BYTES)) {
      await this.#sendPart();
    }
  }

  async endFile(state: BuildState): Promise<void> {
    await this.send();
    const { key, upload_id } = this.#store.file;
    if (upload_id === null) {
      const bytes = this.#store.pieces(0, PART_PIECES);
      await this.#bucket.put(key, bytes, { httpMetadata: { contentType: this.#contentType } });
    } else {
      await this.#complete(key, upload_id);
    }
    if (!this.#isCurrent) {
      // The files of this build were deleted when it was superseded, perhaps before this one was there.
      await this.#bucket.delete(key);
      throw new SupersededError(SUPERSEDED);
    }
    this.#store.endFile(state, this.#committed);
    this.#length = 0;
    this.#committed = 0;
  }

  async #complete(key: string, uploadId: string): Promise<void> {
    if (this.#store.sentPieces * PIECE_BYTES < this.#committed) {
      await this.#sendPart();
    }
    try {
      await this.#bucket.resumeMultipartUpload(key, uploadId).complete(this.#store.parts());
    } catch (error) {
      // A build that was interrupted right after this point has completed the upload already.
      if ((await this.#bucket.head(key))?.size !== this.#committed) {
        throw error;
      }
    }
  }

  /** Sends the next pieces as a part, of which the last of a file may be shorter. */
  async #sendPart(): Promise<void> {
    const from = this.#store.sentPieces;
    const number = from / PART_PIECES + 1;
    if (number > PARTS_MAX) {
      throw new ExportTooLargeError("The file has more than 10,000 parts of 8 MiB.");
    }
    const { key, upload_id } = this.#store.file;
    let upload: R2MultipartUpload;
    if (upload_id === null) {
      upload = await this.#bucket.createMultipartUpload(key, {
        httpMetadata: { contentType: this.#contentType },
      });
      if (!this.#isCurrent) {
        await upload.abort();
        throw new SupersededError(SUPERSEDED);
      }
      this.#store.beganUpload(upload.uploadId);
    } else {
      upload = this.#bucket.resumeMultipartUpload(key, upload_id);
    }
    const { etag } = await upload.uploadPart(number, this.#store.pieces(from, PART_PIECES));
    this.#requireCurrent();
    this.#store.sentPart(number, etag, from + PART_PIECES);
  }

  get #isCurrent(): boolean {
    return this.#store.generation === this.#generation;
  }

  #requireCurrent(): void {
    if (!this.#isCurrent) {
      throw new SupersededError(SUPERSEDED);
    }
  }
}
