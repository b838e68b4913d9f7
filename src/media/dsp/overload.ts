import type { AudioBlock } from "../audio-block.ts";
import { SampleKernel } from "./sample-kernel.ts";

/** Finds the largest amplitude of a sum, and the gain that brings it to full scale. */
export class OverloadMeter {
  readonly #kernel: SampleKernel;
  #peak = 0;

  /** `kernel` is samples.wasm. */
  constructor(kernel: WebAssembly.Module) {
    this.#kernel = new SampleKernel(kernel);
  }

  add(block: AudioBlock): void {
    this.#peak = Math.max(this.#peak, this.#kernel.peakOf(block));
  }

  /** Largest amplitude so far; 1.0 is full scale. */
  get peak(): number {
    return this.#peak;
  }

  /** Factor that makes the peak 0 dBFS; 1 if nothing exceeds it. */
  get gain(): number {
    return this.#peak > 1 ? 1 / this.#peak : 1;
  }
}

/** A written sound with the gain that keeps it from exceeding full scale. */
export interface WithoutOverload<T> {
  readonly written: T;
  /** In dB, 0 or below. */
  readonly overloadGainDb: number;
}

/** One writing of a sum. */
export interface OverloadAttempt<T> {
  write(block: AudioBlock): Promise<void>;
  end(): Promise<T>;
  /** Removes what was written. */
  abort(): Promise<void>;
}

/**
 * Writes a sum so that nothing of it exceeds full scale. The sum is written as it is computed; if its peak turns out to
 * be above 0 dBFS, that writing is aborted, and the sum is computed again and written with one constant gain. So a sum
 * that does not overload, which is the usual one, is computed and stored once, and nothing else is stored.
 *
 * `kernel` is samples.wasm. `sum` must give the same blocks each time. Errors abort the writing and are rethrown.
 */
export async function writeWithoutOverload<T>(
  kernel: WebAssembly.Module,
  sum: () => AsyncIterable<AudioBlock>,
  begin: () => OverloadAttempt<T>,
): Promise<WithoutOverload<T>> {
  const meter = new OverloadMeter(kernel);
  const first = await attempt(begin(), sum(), (block) => {
    meter.add(block);
    // The rest is computed for its peak only.
    return meter.peak > 1 ? undefined : block;
  });
  if (first !== undefined) {
    return { written: first.written, overloadGainDb: 0 };
  }
  const { gain } = meter;
  const scaled = new GainStage(gain);
  const second = await attempt(begin(), sum(), (block) => scaled.process(block));
  if (second === undefined) {
    throw new Error("A sum that was scaled was not written.");
  }
  return { written: second.written, overloadGainDb: 20 * Math.log10(gain) };
}

/** Writes what `pass` returns of each block. Undefined if it returned nothing for one; then nothing is written. */
async function attempt<T>(
  writing: OverloadAttempt<T>,
  blocks: AsyncIterable<AudioBlock>,
  pass: (block: AudioBlock) => AudioBlock | undefined,
): Promise<{ readonly written: T } | undefined> {
  let isAborted = false;
  const abort = async () => {
    if (!isAborted) {
      isAborted = true;
      await writing.abort();
    }
  };
  try {
    for await (const block of blocks) {
      const passed = pass(block);
      if (passed === undefined) {
        await abort();
      } else if (!isAborted) {
        await writing.write(passed);
      }
    }
    return isAborted ? undefined : { written: await writing.end() };
  } catch (error) {
    await abort();
    throw error;
  }
}

/** Multiplies samples with one constant. */
export class GainStage {
  readonly #gain: number;
  #out: readonly Float32Array[] = [];

  constructor(gain: number) {
    this.#gain = gain;
  }

  /** The result is valid until the next call. */
  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    if (this.#out.length !== block.length || (this.#out[0]?.length ?? 0) < frames) {
      this.#out = block.map(() => new Float32Array(frames));
    }
    return block.map((samples, channel) => {
      const out = (this.#out[channel] as Float32Array).subarray(0, frames);
      for (let i = 0; i < frames; i++) {
        out[i] = (samples[i] as number) * this.#gain;
      }
      return out;
    });
  }
}
