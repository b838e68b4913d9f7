import type { ByteSource } from "../../lib/files/byte-source.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";

/** Files whose first bytes are requested before they are needed: the store then answers while others are decoded. */
const FILES_AHEAD = 4;

/**
 * Requests the first bytes of the files that are read next, so that a task of many small files does not wait for the store
 * between one file and the next. Memory: the first bytes of FILES_AHEAD files.
 */
export class ReadAhead {
  readonly #open: (file: FileRef) => Promise<ByteSource>;
  readonly #bytesOf: (file: FileRef) => number;
  readonly #files: readonly FileRef[];
  /** Of a file that is read more than once, the last one. */
  readonly #places: ReadonlyMap<FileRef, number>;
  readonly #begun = new Map<FileRef, Promise<HeadedSource>>();

  /** `files`: in the order in which they will be read. `bytesOf`: how many bytes at the beginning of a file to request. */
  constructor(
    files: readonly FileRef[],
    open: (file: FileRef) => Promise<ByteSource>,
    bytesOf: (file: FileRef) => number,
  ) {
    this.#files = files;
    this.#open = open;
    this.#bytesOf = bytesOf;
    this.#places = new Map(files.map((file, place) => [file, place]));
  }

  /** The bytes of a file, the first of which may be here already. Begins to request those of the files after it. */
  async take(file: FileRef): Promise<ByteSource> {
    const place = this.#places.get(file);
    if (place === undefined) {
      return await this.#open(file);
    }
    const taken = this.#begun.get(file) ?? this.#begin(file);
    this.#begun.delete(file);
    for (const next of this.#files.slice(place + 1, place + 1 + FILES_AHEAD)) {
      if (this.#begun.size < FILES_AHEAD && !this.#begun.has(next)) {
        const begun = this.#begin(next);
        this.#begun.set(next, begun);
        // Who takes the file gets the error; a task that ends before does not.
        begun.catch(() => undefined);
      }
    }
    return await taken;
  }

  async #begin(file: FileRef): Promise<HeadedSource> {
    const source = await this.#open(file);
    const bytes = Math.min(source.sizeBytes, this.#bytesOf(file));
    return new HeadedSource(source, await source.read(0, bytes));
  }
}

/** A source whose first bytes are in memory. */
class HeadedSource implements ByteSource {
  readonly sizeBytes: number;
  readonly etag: string;
  readonly #source: ByteSource;
  /** Dropped with the first read behind them: files are read from their beginning to their end. */
  #head: Uint8Array | undefined;

  constructor(source: ByteSource, head: Uint8Array) {
    this.#source = source;
    this.#head = head;
    this.sizeBytes = source.sizeBytes;
    this.etag = source.etag;
  }

  async read(from: number, to: number): Promise<Uint8Array> {
    const head = this.#head;
    const end = Math.min(to, this.sizeBytes);
    if (head !== undefined && end <= head.byteLength) {
      return head.subarray(from, Math.max(from, end));
    }
    this.#head = undefined;
    return await this.#source.read(from, to);
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    return this.#source.stream();
  }
}
