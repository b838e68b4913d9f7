import type { ByteSource } from "../../../src/lib/files/byte-source.ts";

/** Bytes that are already in memory, as a source. */
export class MemorySource implements ByteSource {
  readonly etag: string;
  readonly #bytes: Uint8Array;
  readonly #chunkBytes: number;

  /** `chunkBytes` is the size of the pieces that `stream` gives. */
  constructor(bytes: Uint8Array, chunkBytes = 65_536, etag = "memory") {
    this.#bytes = bytes;
    this.#chunkBytes = chunkBytes;
    this.etag = etag;
  }

  get sizeBytes(): number {
    return this.#bytes.length;
  }

  read(from: number, to: number): Promise<Uint8Array> {
    return Promise.resolve(this.#bytes.slice(from, to));
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    let at = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= this.#bytes.length) {
          controller.close();
          return;
        }
        controller.enqueue(this.#bytes.slice(at, at + this.#chunkBytes));
        at += this.#chunkBytes;
      },
    });
    return Promise.resolve(stream);
  }
}
