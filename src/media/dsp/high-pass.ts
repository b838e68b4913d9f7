import type { AudioBlock, SoundShape } from "../audio-block.ts";
import type { SoundStage } from "./sound-stage.ts";

const NOTHING = 1e-20;

/** A Butterworth high pass of 12 dB an octave. It delays nothing beyond its phase. */
export class HighPass implements SoundStage {
  readonly #gain: number;
  readonly #a1: number;
  readonly #a2: number;
  readonly #states: readonly { first: number; second: number }[];
  #output: Float32Array[];

  constructor({ sampleRate, channels }: SoundShape, hertz: number) {
    const k = Math.tan((Math.PI * hertz) / sampleRate);
    const a0 = 1 + Math.SQRT2 * k + k * k;
    this.#gain = 1 / a0;
    this.#a1 = (2 * (k * k - 1)) / a0;
    this.#a2 = (1 - Math.SQRT2 * k + k * k) / a0;
    this.#states = Array.from({ length: channels }, () => ({ first: 0, second: 0 }));
    this.#output = this.#states.map(() => new Float32Array(0));
  }

  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    if ((this.#output[0]?.length ?? 0) < frames) {
      this.#output = this.#output.map(() => new Float32Array(frames));
    }
    for (const [channel, state] of this.#states.entries()) {
      const input = block[channel] ?? new Float32Array(frames);
      const output = this.#output[channel] ?? new Float32Array(frames);
      let { first, second } = state;
      for (let i = 0; i < frames; i++) {
        const x = (input[i] ?? 0) * this.#gain;
        const y = x + first;
        first = second - 2 * x - this.#a1 * y;
        second = x - this.#a2 * y;
        output[i] = y;
      }
      state.first = Math.abs(first) < NOTHING ? 0 : first;
      state.second = Math.abs(second) < NOTHING ? 0 : second;
    }
    return this.#output.map((samples) => samples.subarray(0, frames));
  }

  end(): AudioBlock {
    return [];
  }
}
