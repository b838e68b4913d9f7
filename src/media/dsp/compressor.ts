import type { AudioBlock, SoundShape } from "../audio-block.ts";
import { toAmplitude } from "./decibels.ts";
import type { SoundStage } from "./sound-stage.ts";

const DETECTOR_SECONDS = 0.01;
const ATTACK_SECONDS = 0.005;
const RELEASE_SECONDS = 0.1;
const PER_DECIBEL = Math.LN10 / 20;
const POWER_DECIBELS = 10 / Math.LN10;
/** A reduction below this, in dB, changes no bit of a sample. */
const NOTHING_DB = 1e-12;

/**
 * Turns levels above a threshold down by a ratio, all channels alike, without make-up gain and without delay. The level is an
 * RMS over 10 ms, on which a sine of full scale has 0 dB.
 */
export class Compressor implements SoundStage {
  readonly #thresholdDb: number;
  readonly #slope: number;
  readonly #fall: number;
  readonly #attack: number;
  readonly #release: number;
  /** Mean square of the loudest channel. */
  #power = 0;
  #reduction = 0;
  #output: Float32Array[];

  constructor({ sampleRate, channels }: SoundShape, thresholdDb: number, ratio: number) {
    this.#thresholdDb = thresholdDb;
    this.#slope = 1 - 1 / ratio;
    this.#fall = Math.exp(-1 / (DETECTOR_SECONDS * sampleRate));
    this.#attack = Math.exp(-1 / (ATTACK_SECONDS * sampleRate));
    this.#release = Math.exp(-1 / (RELEASE_SECONDS * sampleRate));
    this.#output = Array.from({ length: channels }, () => new Float32Array(0));
  }

  process(block: AudioBlock): AudioBlock {
    const frames = block[0]?.length ?? 0;
    if ((this.#output[0]?.length ?? 0) < frames) {
      this.#output = this.#output.map(() => new Float32Array(frames));
    }
    const threshold = toAmplitude(this.#thresholdDb) ** 2 / 2;
    for (let i = 0; i < frames; i++) {
      let loudest = 0;
      for (const samples of block) {
        loudest = Math.max(loudest, Math.abs(samples[i] ?? 0));
      }
      this.#power = this.#fall * this.#power + (1 - this.#fall) * loudest * loudest;
      const target =
        this.#power > threshold
          ? -(POWER_DECIBELS * Math.log(2 * this.#power) - this.#thresholdDb) * this.#slope
          : 0;
      const c = target < this.#reduction ? this.#attack : this.#release;
      const reduction = c * this.#reduction + (1 - c) * target;
      this.#reduction = reduction > -NOTHING_DB ? 0 : reduction;
      const gain = this.#reduction === 0 ? 1 : Math.exp(this.#reduction * PER_DECIBEL);
      for (const [channel, samples] of block.entries()) {
        const output = this.#output[channel];
        if (output !== undefined) {
          output[i] = (samples[i] ?? 0) * gain;
        }
      }
    }
    return this.#output.map((samples) => samples.subarray(0, frames));
  }

  end(): AudioBlock {
    return [];
  }
}
