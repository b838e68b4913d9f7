/** Bits, the least significant first, into bytes that grow. */
export class BitWriter {
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;
  #held = 0;
  #heldBits = 0;

  /** At most 16 bits. */
  write(value: number, count: number): void {
    this.#held |= value << this.#heldBits;
    this.#heldBits += count;
    while (this.#heldBits >= 8) {
      this.#put(this.#held & 255);
      this.#held >>>= 8;
      this.#heldBits -= 8;
    }
  }

  finish(): Uint8Array {
    if (this.#heldBits > 0) {
      this.#put(this.#held & 255);
    }
    return this.#bytes.slice(0, this.#length);
  }

  #put(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }
}
