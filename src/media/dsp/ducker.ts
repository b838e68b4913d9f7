/**
 * Turns a background down where a foreground is heard (docs/contract/media.md#speech). Typed arrays are read within their
 * bounds; `as number` removes the `undefined` that the type checker adds.
 */
import type { AudioProcessingReport } from "../../contracts/media/audio-reports.ts";
import type { QualityCheck } from "../../contracts/quality-check.ts";
import { type AudioBlock, BLOCK_FRAMES_MAX, type SoundShape } from "../audio-block.ts";
import { toAmplitude, toThousandths } from "./decibels.ts";
import { buildQualityCheck } from "./quality-report.ts";

/** Levels in dB, times in ms. */
export interface DuckControls {
  readonly thresholdDb: number;
  readonly ratio: number;
  readonly attackMs: number;
  readonly releaseMs: number;
  readonly maxReductionDb: number;
  readonly backgroundGainDb: number;
  readonly foregroundGainDb: number;
}

/** Controls of each profile; those of `custom` that it does not define must be set. */
export const DUCK_PROFILES = {
  voice_over: {
    thresholdDb: -35,
    ratio: 8,
    attackMs: 20,
    releaseMs: 400,
    maxReductionDb: 18,
    backgroundGainDb: 0,
    foregroundGainDb: 0,
  },
  podcast: {
    thresholdDb: -30,
    ratio: 4,
    attackMs: 50,
    releaseMs: 800,
    maxReductionDb: 12,
    backgroundGainDb: -6,
    foregroundGainDb: 0,
  },
  music_bed: {
    thresholdDb: -40,
    ratio: 20,
    attackMs: 10,
    releaseMs: 250,
    maxReductionDb: 24,
    backgroundGainDb: -3,
    foregroundGainDb: 0,
  },
  custom: { maxReductionDb: 60, backgroundGainDb: 0, foregroundGainDb: 0 },
} as const satisfies Readonly<Record<string, Partial<DuckControls>>>;

/** The detector falls back by 1 / e in this time. */
const DETECTOR_SECONDS = 0.01;
/** A reduction below this, in dB, changes no bit of a sample; without this floor it would never reach 0. */
const NOTHING_DB = 1e-12;
const ACTIVE_DB = -1;
const PER_DECIBEL = Math.LN10 / 20;
const DECIBELS = 20 / Math.LN10;

/** What a ducker has done. */
export interface Ducking {
  /** Frames of the whole. */
  readonly frames: number;
  readonly maxReductionDb: number;
  readonly meanReductionDb: number;
  /** Duration with a reduction of at least 1 dB. */
  readonly activeSeconds: number;
  /** The greatest magnitude of the sum of foreground and ducked background. */
  readonly peak: number;
}

/** Processes both sounds frame by frame: of one rate and one number of channels, silence where one has ended. */
export class Ducker {
  readonly #sampleRate: number;
  readonly #controls: DuckControls;
  #envelope = 0;
  #reduction = 0;
  #least = 0;
  #sum = 0;
  #active = 0;
  #frames = 0;
  #peak = 0;
  readonly #loudest = new Float64Array(BLOCK_FRAMES_MAX);
  readonly #gains = new Float64Array(BLOCK_FRAMES_MAX);
  readonly #ducked: readonly Float32Array[];
  readonly #mixed: readonly Float32Array[];

  constructor({ sampleRate, channels }: SoundShape, controls: DuckControls) {
    this.#sampleRate = sampleRate;
    this.#controls = controls;
    const all = Array.from({ length: channels });
    this.#ducked = all.map(() => new Float32Array(BLOCK_FRAMES_MAX));
    this.#mixed = all.map(() => new Float32Array(BLOCK_FRAMES_MAX));
  }

  /** Both blocks have the same length. The results are valid until the next call. */
  process(
    foreground: AudioBlock,
    background: AudioBlock,
  ): { readonly mixed: AudioBlock; readonly ducked: AudioBlock } {
    const frames = background[0]?.length ?? 0;
    const foregroundGain = toAmplitude(this.#controls.foregroundGainDb);
    this.#findLoudest(foreground, frames, foregroundGain);
    this.#followGain(frames);
    for (const [channel, ducked] of this.#ducked.entries()) {
      this.#apply(
        foreground[channel] ?? new Float32Array(frames),
        background[channel] ?? new Float32Array(frames),
        ducked,
        this.#mixed[channel] ?? new Float32Array(frames),
        foregroundGain,
      );
    }
    this.#frames += frames;
    return {
      mixed: this.#mixed.map((samples) => samples.subarray(0, frames)),
      ducked: this.#ducked.map((samples) => samples.subarray(0, frames)),
    };
  }

  /** The greatest magnitude of all channels, for each frame. */
  #findLoudest(foreground: AudioBlock, frames: number, gain: number): void {
    const loudest = this.#loudest;
    loudest.fill(0, 0, frames);
    for (const samples of foreground) {
      for (let i = 0; i < frames; i++) {
        const magnitude = Math.abs((samples[i] as number) * gain);
        if (magnitude > (loudest[i] as number)) {
          loudest[i] = magnitude;
        }
      }
    }
  }

  #followGain(frames: number): void {
    const { thresholdDb, ratio, attackMs, releaseMs, maxReductionDb, backgroundGainDb } =
      this.#controls;
    const fall = Math.exp(-1 / (DETECTOR_SECONDS * this.#sampleRate));
    const attack = Math.exp(-1000 / (attackMs * this.#sampleRate));
    const release = Math.exp(-1000 / (releaseMs * this.#sampleRate));
    const threshold = toAmplitude(thresholdDb);
    const slope = 1 - 1 / ratio;
    const backgroundGain = toAmplitude(backgroundGainDb);
    let e = this.#envelope;
    let g = this.#reduction;
    let sum = 0;
    for (let i = 0; i < frames; i++) {
      const d = this.#loudest[i] as number;
      e = Math.max(d, e * fall);
      let target = 0;
      if (e > threshold) {
        target = -Math.min((DECIBELS * Math.log(e) - thresholdDb) * slope, maxReductionDb);
      }
      const c = target < g ? attack : release;
      g = c * g + (1 - c) * target;
      if (g > -NOTHING_DB) {
        g = 0;
      }
      this.#gains[i] = g === 0 ? backgroundGain : backgroundGain * Math.exp(g * PER_DECIBEL);
      sum += g;
      if (g < this.#least) {
        this.#least = g;
      }
      if (g <= ACTIVE_DB) {
        this.#active += 1;
      }
    }
    this.#sum += sum;
    this.#envelope = e;
    this.#reduction = g;
  }

  #apply(
    foreground: Float32Array,
    background: Float32Array,
    ducked: Float32Array,
    mixed: Float32Array,
    foregroundGain: number,
  ): void {
    let peak = this.#peak;
    for (let i = 0; i < background.length; i++) {
      const quiet = (background[i] as number) * (this.#gains[i] as number);
      const sum = Math.fround((foreground[i] as number) * foregroundGain + quiet);
      ducked[i] = quiet;
      mixed[i] = sum;
      if (sum > peak) {
        peak = sum;
      } else if (-sum > peak) {
        peak = -sum;
      }
    }
    this.#peak = peak;
  }

  result(): Ducking {
    return {
      frames: this.#frames,
      maxReductionDb: -this.#least + 0,
      meanReductionDb: this.#frames === 0 ? 0 : -this.#sum / this.#frames + 0,
      activeSeconds: this.#active / this.#sampleRate,
      peak: this.#peak,
    };
  }
}

/** How long the result of `audio/duck` is, in frames. */
export function duckFrames(
  length: "longest" | "foreground" | "background",
  loopBackground: boolean,
  foregroundFrames: number,
  backgroundFrames: number,
): number {
  if (length === "longest") {
    return loopBackground ? foregroundFrames : Math.max(foregroundFrames, backgroundFrames);
  }
  return length === "foreground" ? foregroundFrames : backgroundFrames;
}

/** `results` of the ducking report. */
export function duckResults(
  ducking: Ducking,
  overloadGainDb: number,
): AudioProcessingReport["results"] {
  return {
    max_reduction_db: toThousandths(ducking.maxReductionDb),
    mean_reduction_db: toThousandths(ducking.meanReductionDb),
    active_seconds: toThousandths(ducking.activeSeconds),
    overload_gain_db: toThousandths(overloadGainDb),
  };
}

/** The checks of `audio/duck`. */
export function checkDucking(ducking: Ducking, overloadGainDb: number): QualityCheck {
  const active = toThousandths(ducking.activeSeconds);
  const overload = toThousandths(overloadGainDb);
  return buildQualityCheck("Ducked background", [
    {
      id: "ducked",
      passed: ducking.activeSeconds > 0,
      severity: "warning",
      measured: active,
      expected: "above 0 s",
      message: `The background was turned down by at least 1 dB for ${active} s.`,
    },
    {
      id: "overload",
      passed: overloadGainDb === 0,
      severity: "warning",
      measured: overload,
      expected: 0,
      message:
        overloadGainDb === 0
          ? "The sum does not exceed full scale."
          : `The sum exceeded full scale and was turned down by ${-overload} dB.`,
    },
  ]);
}
