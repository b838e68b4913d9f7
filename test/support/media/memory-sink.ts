import { type MediaSink, PATCHED_BYTES_MAX } from "../../../src/media/container/media-sink.ts";

/** A sink in memory that accepts what that of the store accepts. */
export class MemorySink implements MediaSink {
  readonly #pieces: Uint8Array[] = [];
  readonly #patches: { readonly position: number; readonly bytes: Uint8Array }[] = [];
  sizeBytes = 0;

  append(bytes: Uint8Array): Promise<void> {
    this.#pieces.push(bytes.slice());
    this.sizeBytes += bytes.byteLength;
    return Promise.resolve();
  }

  patch(position: number, bytes: Uint8Array): void {
    const end = position + bytes.byteLength;
    if (end > Math.min(this.sizeBytes, PATCHED_BYTES_MAX)) {
      throw new RangeError(`Bytes ${position} to ${end} cannot be changed.`);
    }
    this.#patches.push({ position, bytes: bytes.slice() });
  }

  /** The file. */
  bytes(): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(this.sizeBytes);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.byteLength;
    }
    for (const { position, bytes } of this.#patches) {
      all.set(bytes, position);
    }
    return all;
  }
}
