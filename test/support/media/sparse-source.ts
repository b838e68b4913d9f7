import type { ByteSource } from "../../../src/lib/files/byte-source.ts";

/** A file of a stated size that is zeros apart from some pieces, so that a test needs no memory for its size. */
export class SparseSource implements ByteSource {
  readonly etag = "sparse";
  readonly sizeBytes: number;
  readonly #pieces: readonly (readonly [at: number, bytes: Uint8Array])[];

  constructor(sizeBytes: number, ...pieces: readonly (readonly [number, Uint8Array])[]) {
    this.sizeBytes = sizeBytes;
    this.#pieces = pieces;
  }

  read(from: number, to: number): Promise<Uint8Array> {
    const out = new Uint8Array(Math.max(0, Math.min(to, this.sizeBytes) - from));
    for (const [at, bytes] of this.#pieces) {
      const start = Math.max(from, at);
      const end = Math.min(from + out.byteLength, at + bytes.byteLength);
      if (start < end) {
        out.set(bytes.subarray(start - at, end - at), start - from);
      }
    }
    return Promise.resolve(out);
  }

  stream(): Promise<ReadableStream<Uint8Array>> {
    throw new Error("A sparse file is read by ranges.");
  }
}
