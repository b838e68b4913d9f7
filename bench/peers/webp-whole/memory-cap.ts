const PAGE_BYTES = 65_536;

/**
 * Limit for the growth of a codec's memory: a coded frame may be larger than its header states, and
 * noise needs several times as much memory as a photograph in some codecs.
 */
export class MemoryCap {
  readonly bytesMax: number;
  #isReached = false;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Whether a codec was refused more memory. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Throws RangeError if that many bytes exceed the cap. */
  check(bytes: number): void {
    if (bytes > this.bytesMax) {
      this.#isReached = true;
      throw new RangeError(`A codec asked for more than ${this.bytesMax} bytes.`);
    }
  }

  /** Grows a memory to exactly that many bytes. Throws RangeError if that exceeds the cap. */
  grow(
    memory: WebAssembly.Memory,
    bytes: number,
    growBy: (pages: number) => number = (pages) => memory.grow(pages),
  ): number {
    this.check(bytes);
    return growBy(Math.max(0, Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES)));
  }
}
