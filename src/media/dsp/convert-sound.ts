import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";
import { ChannelMixer } from "./down-mix.ts";
import { Resampler } from "./resampler.ts";

/**
 * Brings sound to another rate and to one or two channels, or to the number that it has, in the order that takes the least work. Its length becomes
 * round(n × to / from) frames. Samples that need neither stay bit-exact. Push `process` until the end, then `end`; each
 * gives blocks of at most BLOCK_FRAMES_MAX frames that are valid until the next one.
 */
export class SoundConverter {
  readonly #mixer: ChannelMixer;
  readonly #resampler: Resampler | undefined;
  readonly #isMixedFirst: boolean;

  /** `kernel` is convolve.wasm. */
  constructor(kernel: WebAssembly.Module, from: SoundShape, to: SoundShape) {
    this.#mixer = new ChannelMixer(from.channels, to.channels);
    this.#isMixedFirst = from.channels > to.channels;
    this.#resampler =
      from.sampleRate === to.sampleRate
        ? undefined
        : new Resampler(
            kernel,
            from.sampleRate,
            to.sampleRate,
            Math.min(from.channels, to.channels),
          );
  }

  get memoryBytes(): number {
    return this.#resampler?.memoryBytes ?? 0;
  }

  process(block: AudioBlock): Generator<AudioBlock> {
    if (this.#resampler === undefined) {
      return blocksOf(this.#mixer.process(block));
    }
    const mixed = this.#isMixedFirst ? this.#mixer.process(block) : block;
    return this.#finish(this.#resampler.process(mixed));
  }

  end(): Generator<AudioBlock> {
    return this.#finish(this.#resampler?.end() ?? []);
  }

  #finish(resampled: AudioBlock): Generator<AudioBlock> {
    return blocksOf(this.#isMixedFirst ? resampled : this.#mixer.process(resampled));
  }
}

/** The same for a whole sound. */
export async function* convertSound(
  kernel: WebAssembly.Module,
  blocks: AsyncIterable<AudioBlock>,
  from: SoundShape,
  to: SoundShape,
): AsyncGenerator<AudioBlock> {
  const converter = new SoundConverter(kernel, from, to);
  for await (const block of blocks) {
    yield* converter.process(block);
  }
  yield* converter.end();
}

/** Parts of at most BLOCK_FRAMES_MAX frames; none of an empty block. */
function* blocksOf(block: AudioBlock): Generator<AudioBlock> {
  const frames = block[0]?.length ?? 0;
  if (frames > 0 && frames <= BLOCK_FRAMES_MAX) {
    yield block;
    return;
  }
  for (let from = 0; from < frames; from += BLOCK_FRAMES_MAX) {
    yield block.map((samples) => samples.subarray(from, from + BLOCK_FRAMES_MAX));
  }
}
