/** A gain that follows the loudness of a sound that streams through once. */
import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";
import { toAmplitude } from "./decibels.ts";
import { integratedLoudness, SHORT_TERM } from "./loudness.ts";
import { EnergyMeter } from "./sound-meter.ts";

/** Largest change of the gain in an interval of 100 ms: 3 dB a second. */
const STEP_DB = 0.3;
/** Intervals between two corrections by the loudness of the output: 3 s. */
const CORRECTED_EVERY = 30;
/** Limits of that correction, in dB. */
const CORRECTION_DB = 6;

export interface RiderSettings {
  readonly targetLufs: number;
  readonly maxGainDb: number;
  /** Integrated loudness of the output so far; null while there is none. */
  readonly loudnessSoFar: () => number | null;
}

/**
 * Brings the loudness of the next 3 s, gated like integrated loudness so that pauses do not count, to the target. The gain
 * changes by at most 3 dB a second once something is audible, and stays as it is in silence. Holds 3 s of samples.
 */
export class LoudnessRider {
  readonly #settings: RiderSettings;
  readonly #energy: EnergyMeter;
  /** A ring of the frames that wait for their gain. */
  readonly #waiting: readonly Float32Array[];
  readonly #size: number;
  #written = 0;
  #read = 0;
  readonly #output: readonly Float32Array[];
  #gainDb = 0;
  #correctionDb = 0;
  #isHeard = false;
  #isLimited = false;
  #interval = 0;

  constructor(shape: SoundShape, settings: RiderSettings) {
    this.#settings = settings;
    this.#energy = new EnergyMeter(shape);
    this.#size = (SHORT_TERM + 1) * this.#energy.intervalFrames + BLOCK_FRAMES_MAX;
    const channels = Array.from({ length: shape.channels });
    this.#waiting = channels.map(() => new Float32Array(this.#size));
    this.#output = channels.map(() => new Float32Array(BLOCK_FRAMES_MAX));
  }

  /** Whether the greatest gain, or the least, was reached. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** The latest gain, in dB. */
  get gainDb(): number {
    return this.#gainDb;
  }

  /** Takes the next frames and yields those of 3 s before, in blocks that are valid until the next one. */
  *add(block: AudioBlock): Generator<AudioBlock> {
    this.#energy.add(block);
    const frames = block[0]?.length ?? 0;
    const at = this.#written % this.#size;
    const first = Math.min(frames, this.#size - at);
    for (const [channel, ring] of this.#waiting.entries()) {
      const samples = block[channel] ?? new Float32Array(frames);
      ring.set(samples.subarray(0, first), at);
      ring.set(samples.subarray(first), 0);
    }
    this.#written += frames;
    while (this.#interval + SHORT_TERM <= this.#energy.intervals.length) {
      yield* this.#takeInterval(this.#energy.intervalFrames);
    }
  }

  /** Yields the frames that are left. */
  *end(): Generator<AudioBlock> {
    while (this.#read < this.#written) {
      yield* this.#takeInterval(Math.min(this.#energy.intervalFrames, this.#written - this.#read));
    }
  }

  /** The frames of the next interval, with a gain that moves linearly, in dB, to its new value. */
  *#takeInterval(frames: number): Generator<AudioBlock> {
    const before = this.#gainDb;
    const wasHeard = this.#isHeard;
    this.#gainDb = this.#nextGain();
    this.#interval += 1;
    // Before the first audible interval there is nothing in which a jump could be heard.
    const start = wasHeard ? before : this.#gainDb;
    const slope = (this.#gainDb - start) / frames;
    for (let from = 0; from < frames; from += BLOCK_FRAMES_MAX) {
      const count = Math.min(BLOCK_FRAMES_MAX, frames - from);
      this.#apply(start + slope * from, slope, count);
      yield this.#output.map((samples) => samples.subarray(0, count));
    }
  }

  #apply(startDb: number, slopeDb: number, frames: number): void {
    const ratio = toAmplitude(slopeDb);
    for (const [channel, ring] of this.#waiting.entries()) {
      const output = this.#output[channel] ?? new Float32Array();
      let gain = toAmplitude(startDb);
      for (let i = 0, at = this.#read % this.#size; i < frames; i++) {
        gain *= ratio;
        output[i] = gain * (ring[at] ?? 0);
        at = at + 1 === this.#size ? 0 : at + 1;
      }
    }
    this.#read += frames;
  }

  #nextGain(): number {
    const { targetLufs, maxGainDb, loudnessSoFar } = this.#settings;
    const intervals = this.#energy.intervals;
    const ahead = integratedLoudness(
      intervals.subarray(this.#interval, this.#interval + SHORT_TERM),
    );
    if (ahead === null) {
      return this.#gainDb;
    }
    if (this.#interval % CORRECTED_EVERY === 0) {
      const soFar = loudnessSoFar();
      this.#correctionDb =
        soFar === null ? 0 : Math.max(-CORRECTION_DB, Math.min(CORRECTION_DB, targetLufs - soFar));
    }
    const wanted = targetLufs - ahead + this.#correctionDb;
    const allowed = Math.max(-maxGainDb, Math.min(maxGainDb, wanted));
    this.#isLimited ||= allowed !== wanted;
    if (!this.#isHeard) {
      this.#isHeard = true;
      return allowed;
    }
    return this.#gainDb + Math.max(-STEP_DB, Math.min(STEP_DB, allowed - this.#gainDb));
  }
}
