/**
 * Stored bytes that are read in parts and never held whole. Two implementations: an object in R2,
 * and bytes in memory (tests, or text that is in memory already).
 */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Version of the bytes; every read fails if the store has another version. */
  readonly etag: string;
  /** The bytes from `from` to `to` - 1, or to the end if there are fewer. */
  read(from: number, to: number): Promise<Uint8Array>;
  /** All bytes from the start. May be called again. */
  stream(): Promise<ReadableStream<Uint8Array>>;
}

/** The store did not return the bytes; another attempt may succeed. */
export class SourceUnavailableError extends Error {
  override readonly name = "SourceUnavailableError";

  constructor(cause: unknown) {
    super("The file store did not respond.", { cause });
  }
}

/**
 * The object of a source was changed or deleted between two reads (docs/contract/problems.md#codes,
 * `source_changed`).
 */
export class SourceChangedError extends Error {
  override readonly name = "SourceChangedError";

  constructor() {
    super(
      "The stored file was changed or deleted while it was being read. Try again, or use another file if this one was deleted.",
    );
  }
}
