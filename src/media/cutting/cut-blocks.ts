import type { AudioBlock } from "../audio-block.ts";

/** Takes ranges of frames out of a sound that is decoded once, in rising order and without an overlap. */
export class BlockCutter {
  readonly #blocks: AsyncIterator<AudioBlock>;
  #block: AudioBlock = [];
  /** Position of the first frame of the block. */
  #at = 0;

  constructor(blocks: AsyncIterable<AudioBlock>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  /** The frames of a range, or as many of them as the sound has. */
  async *take(from: number, to: number): AsyncGenerator<AudioBlock> {
    for (let next = from; next < to;) {
      const end = this.#at + (this.#block[0]?.length ?? 0);
      if (end <= next) {
        // oxlint-disable-next-line no-await-in-loop -- one block after another
        const { done, value } = await this.#blocks.next();
        if (done === true) {
          return;
        }
        this.#at = end;
        this.#block = value;
        continue;
      }
      const [first, last] = [next - this.#at, Math.min(to, end) - this.#at];
      next = this.#at + last;
      yield this.#block.map((plane) => plane.subarray(first, last));
    }
  }

  /** Ends decoding; to be called also after an error. */
  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}
