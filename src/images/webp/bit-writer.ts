import { ByteWriter } from "../byte-writer.ts";

/** Bits, the least significant first, into bytes. */
export class BitWriter {
  readonly #out = new ByteWriter();
  #held = 0;
  #heldBits = 0;

  /** At most 16 bits. */
  write(value: number, count: number): void {
    this.#held |= value << this.#heldBits;
    this.#heldBits += count;
    while (this.#heldBits >= 8) {
      this.#out.put(this.#held & 255);
      this.#held >>>= 8;
      this.#heldBits -= 8;
    }
  }

  finish(): Uint8Array[] {
    if (this.#heldBits > 0) {
      this.#out.put(this.#held & 255);
    }
    return this.#out.take();
  }
}
