/** The meter of all nodes: loudness, peaks, near-clipped samples and silence of a sound that streams through. */
import type { AudioBlock, SoundShape } from "../audio-block.ts";
import { toAmplitude } from "./decibels.ts";
import { channelWeights, KWeighting } from "./k-weighting.ts";
import { type Loudness, measureLoudness } from "./loudness.ts";
import { CHUNK, SampleLine, ZEROS_AFTER } from "./sample-line.ts";
import { type Silence, SilenceFinder } from "./silence-finder.ts";

export interface MeterSettings {
  /** A frame is silent if no channel exceeds this level, in dB. */
  readonly silenceThresholdDb: number;
  /** Minimum duration of a silence, in seconds. */
  readonly minSilenceSeconds: number;
  /** Samples at or above this level, in dB, are near-clipped. */
  readonly nearClipDb: number;
}

/** The defaults of `audio/quality_report`. */
export const METER_DEFAULTS: MeterSettings = {
  silenceThresholdDb: -50,
  minSilenceSeconds: 0.5,
  nearClipDb: -0.1,
};

/** Greatest magnitudes, 1.0 is full scale. */
export interface Peaks {
  readonly truePeak: number;
  readonly samplePeak: number;
}

export interface MeterReading extends SoundShape {
  readonly frames: number;
  readonly loudness: Loudness;
  readonly channelPeaks: readonly Peaks[];
  readonly nearClipped: number;
  readonly silence: Silence;
}

/** Mean energies of successive intervals of 100 ms (round(sample rate / 10) frames), whole ones only. */
export class EnergyMeter {
  /** Frames of an interval. */
  readonly intervalFrames: number;
  readonly #filters: readonly KWeighting[];
  readonly #weights: readonly number[];
  #intervals = new Float64Array(1024);
  #count = 0;
  #sum = 0;
  #frames = 0;

  constructor({ sampleRate, channels }: SoundShape) {
    this.intervalFrames = Math.round(sampleRate / 10);
    this.#weights = channelWeights(channels);
    this.#filters = this.#weights.map(() => new KWeighting(sampleRate));
  }

  /** All energies so far. Valid until the next block is added. */
  get intervals(): Float64Array {
    return this.#intervals.subarray(0, this.#count);
  }

  add(block: AudioBlock): void {
    const frames = block[0]?.length ?? 0;
    for (let from = 0; from < frames;) {
      const to = Math.min(frames, from + this.intervalFrames - this.#frames);
      for (const [channel, samples] of block.entries()) {
        const weight = this.#weights[channel] ?? 0;
        if (weight > 0) {
          this.#sum += weight * (this.#filters[channel]?.sumOfSquares(samples, from, to) ?? 0);
        }
      }
      this.#frames += to - from;
      from = to;
      if (this.#frames === this.intervalFrames) {
        this.#push(this.#sum / this.intervalFrames);
        this.#sum = 0;
        this.#frames = 0;
      }
    }
  }

  #push(energy: number): void {
    if (this.#count === this.#intervals.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#intervals);
      this.#intervals = larger;
    }
    this.#intervals[this.#count] = energy;
    this.#count += 1;
  }
}

/**
 * Measures 1 to 8 channels of any rate (docs/contract/media.md#meter). Memory does not depend on the duration, except for
 * 8 bytes for each 100 ms. Samples must be finite.
 */
export class SoundMeter {
  readonly #shape: SoundShape;
  readonly #energy: EnergyMeter;
  readonly #lines: readonly SampleLine[];
  readonly #silence: SilenceFinder;
  readonly #nearClip: number;
  readonly #truePeaks: Float64Array;
  readonly #samplePeaks: Float64Array;
  #nearClipped = 0;
  #frames = 0;
  /** Frames of the complete chunks. */
  #scanned = 0;

  constructor(shape: SoundShape, settings: MeterSettings = METER_DEFAULTS) {
    const { sampleRate, channels } = shape;
    this.#shape = shape;
    this.#energy = new EnergyMeter(shape);
    this.#lines = Array.from({ length: channels }, () => new SampleLine(sampleRate));
    this.#silence = new SilenceFinder(
      toAmplitude(settings.silenceThresholdDb),
      Math.round(settings.minSilenceSeconds * sampleRate),
    );
    this.#nearClip = toAmplitude(settings.nearClipDb);
    this.#truePeaks = new Float64Array(channels);
    this.#samplePeaks = new Float64Array(channels);
  }

  add(block: AudioBlock): void {
    this.#energy.add(block);
    this.#frames += block[0]?.length ?? 0;
    this.#addLines(block);
  }

  #addLines(block: AudioBlock): void {
    let first = 0;
    let complete = 0;
    for (const [channel, line] of this.#lines.entries()) {
      const samples = block[channel] ?? new Float32Array();
      first = line.firstNew;
      complete = line.append(samples, 0, samples.length);
      let peak = this.#samplePeaks[channel] ?? 0;
      for (let chunk = first; chunk < complete; chunk++) {
        const magnitude = line.magnitudes[chunk] ?? 0;
        peak = Math.max(peak, magnitude);
        if (magnitude >= this.#nearClip) {
          this.#countNearClipped(line.samples, chunk * CHUNK, CHUNK);
        }
      }
      this.#samplePeaks[channel] = peak;
      // From the sample peak on, since the true peak is at least that.
      let truePeak = Math.max(peak, this.#truePeaks[channel] ?? 0);
      for (let chunk = first - 1; chunk < complete - 1; chunk++) {
        truePeak = line.peakOf(chunk, truePeak);
      }
      this.#truePeaks[channel] = truePeak;
    }
    for (let chunk = first; chunk < complete; chunk++) {
      this.#silence.addChunk(this.#lines, chunk, this.#scanned);
      this.#scanned += CHUNK;
    }
    for (const line of this.#lines) {
      line.shift();
    }
  }

  #countNearClipped(samples: Float32Array, from: number, frames: number): void {
    for (let i = from; i < from + frames; i++) {
      if (Math.abs(samples[i] ?? 0) >= this.#nearClip) {
        this.#nearClipped += 1;
      }
    }
  }

  /** Integrated and other loudness up to now, without ending the measurement. */
  loudness(): Loudness {
    return measureLoudness(this.#energy.intervals);
  }

  /** Mean energies of the intervals of 100 ms up to now. Valid until the next block is added. */
  get intervals(): Float64Array {
    return this.#energy.intervals;
  }

  /** Ends the measurement. Called once, after the last block. */
  result(): MeterReading {
    const silence = this.#silence.end(
      this.#lines,
      (this.#lines[0]?.firstNew ?? 0) * CHUNK,
      this.#frames - this.#scanned,
      this.#frames,
    );
    // The zeros complete the last chunk and all windows; they change no other figure.
    const zeros = new Float32Array(ZEROS_AFTER + CHUNK);
    this.#addLines(this.#lines.map(() => zeros));
    return {
      ...this.#shape,
      frames: this.#frames,
      loudness: this.loudness(),
      channelPeaks: this.#lines.map((_, channel) => ({
        truePeak: this.#truePeaks[channel] ?? 0,
        samplePeak: this.#samplePeaks[channel] ?? 0,
      })),
      nearClipped: this.#nearClipped,
      silence,
    };
  }
}
