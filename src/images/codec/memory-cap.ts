const PAGE_BYTES = 65_536;

/**
 * How far a codec's memory may grow: what a coded frame holds may be more than its header says, and
 * noise takes some codecs several times as much as a photograph.
 */
export class MemoryCap {
  readonly bytesMax: number;
  #isReached = false;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Whether a codec was refused more. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Throws RangeError where so many bytes pass the lid. */
  check(bytes: number): void {
    if (bytes > this.bytesMax) {
      this.#isReached = true;
      throw new RangeError(`A codec asked for more than ${this.bytesMax} bytes.`);
    }
  }

  /** Grows a memory to that many bytes and no more. Throws RangeError where that passes the lid. */
  grow(
    memory: WebAssembly.Memory,
    bytes: number,
    growBy: (pages: number) => number = (pages) => memory.grow(pages),
  ): number {
    this.check(bytes);
    return growBy(Math.max(0, Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES)));
  }
}
