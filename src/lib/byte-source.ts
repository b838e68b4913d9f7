/**
 * Stored bytes that can be read in parts, never held whole. Two implementations: an object in R2,
 * and bytes in memory (tests, text that is already there).
 */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Names these very bytes; every read fails when the store holds others by now. */
  readonly etag: string;
  /** The bytes from `from` to `to` - 1, at most what there is. */
  read(from: number, to: number): Promise<Uint8Array>;
  /** All bytes, from the start. May be called again. */
  stream(): Promise<ReadableStream<Uint8Array>>;
}

/** The store did not hand the bytes over; another attempt may go well. */
export class SourceUnavailableError extends Error {
  override readonly name = "SourceUnavailableError";

  constructor(cause: unknown) {
    super("The file store did not respond.", { cause });
  }
}

/** The object at a source changed or went away between two reads (docs/contract/problems.md#codes, `source_changed`). */
export class SourceChangedError extends Error {
  override readonly name = "SourceChangedError";

  constructor() {
    super(
      "The stored file was changed or deleted before it was read to its end. Try again, with another file when this one is gone.",
    );
  }
}
