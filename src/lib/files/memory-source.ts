import type { ByteSource } from "./byte-source.ts";

/** A source of bytes that are in memory. */
export class MemorySource implements ByteSource {
  readonly etag: string;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, etag: string) {
    this.#bytes = bytes;
    this.etag = etag;
  }

  get sizeBytes(): number {
    return this.#bytes.byteLength;
  }

  read(from: number, to: number): Promise<Uint8Array> {
    return Promise.resolve(this.#bytes.subarray(from, Math.max(from, to)));
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    const bytes = this.#bytes;
    return Promise.resolve(
      new ReadableStream<Uint8Array>({
        start(controller) {
          if (bytes.byteLength > 0) {
            controller.enqueue(bytes);
          }
          controller.close();
        },
      }),
    );
  }
}
