import { type AudioBlock, BLOCK_FRAMES_MAX } from "../audio-block.ts";

/** Reads exactly as many frames as are asked for; silence follows the end of the sound. */
class SteadyReader {
  readonly #blocks: AsyncIterator<AudioBlock>;
  readonly #out: readonly Float32Array[];
  #block: AudioBlock = [];
  #at = 0;
  #isOver = false;

  constructor(blocks: AsyncIterable<AudioBlock>, channels: number) {
    this.#blocks = blocks[Symbol.asyncIterator]();
    this.#out = Array.from({ length: channels }, () => new Float32Array(BLOCK_FRAMES_MAX));
  }

  /** At most BLOCK_FRAMES_MAX frames; valid until the next call. */
  async read(frames: number): Promise<AudioBlock> {
    let filled = 0;
    while (filled < frames && !this.#isOver) {
      const left = (this.#block[0]?.length ?? 0) - this.#at;
      if (left === 0) {
        const next = await this.#blocks.next();
        this.#isOver = next.done === true;
        this.#block = next.done === true ? [] : next.value;
        this.#at = 0;
        continue;
      }
      const count = Math.min(left, frames - filled);
      for (const [channel, samples] of this.#out.entries()) {
        const source = this.#block[channel] as Float32Array;
        samples.set(source.subarray(this.#at, this.#at + count), filled);
      }
      this.#at += count;
      filled += count;
    }
    return this.#out.map((samples) => {
      samples.fill(0, filled, frames);
      return samples.subarray(0, frames);
    });
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/** Two sounds with the same channels in blocks of the same length, `frames` in all; silence where one has ended. */
export async function* pairSounds(
  first: AsyncIterable<AudioBlock>,
  second: AsyncIterable<AudioBlock>,
  channels: number,
  frames: number,
): AsyncGenerator<readonly [AudioBlock, AudioBlock]> {
  const readers = [new SteadyReader(first, channels), new SteadyReader(second, channels)] as const;
  try {
    for (let at = 0; at < frames; at += BLOCK_FRAMES_MAX) {
      const count = Math.min(BLOCK_FRAMES_MAX, frames - at);
      yield [await readers[0].read(count), await readers[1].read(count)];
    }
  } finally {
    await readers[0].close();
    await readers[1].close();
  }
}

/**
 * A sound again and again, without an end. One without a frame ends at once: a few samples may round to none at a lower
 * rate.
 */
export async function* looped(open: () => AsyncIterable<AudioBlock>): AsyncGenerator<AudioBlock> {
  let hasFrames = true;
  while (hasFrames) {
    hasFrames = false;
    for await (const block of open()) {
      hasFrames ||= (block[0]?.length ?? 0) > 0;
      yield block;
    }
  }
}
