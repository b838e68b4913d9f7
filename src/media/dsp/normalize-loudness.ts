/** Loudness normalization (docs/contract/media.md#loudness) of a sound that can be decoded again for each pass. */
import type {
  AudioProcessingReport,
  AudioQualityReport,
} from "../../contracts/media/audio-reports.ts";
import type { QualityCheck } from "../../contracts/quality-check.ts";
import type { AudioBlock, SoundShape } from "../audio-block.ts";
import { toAmplitude, toThousandths } from "./decibels.ts";
import { integratedLoudness, MOMENTARY } from "./loudness.ts";
import { LoudnessRider } from "./loudness-rider.ts";
import { PeakLimiter } from "./peak-limiter.ts";
import { buildQualityCheck, checkLoudness, truePeakDb } from "./quality-report.ts";
import { EnergyMeter, type MeterReading, SoundMeter } from "./sound-meter.ts";
import { type SoundStage, StageChain } from "./sound-stage.ts";

/** Decodes the sound from its start; each call is a pass of its own. */
export type SoundPasses = () => AsyncIterable<AudioBlock>;

export interface NormalizeSettings {
  readonly targetLufs: number;
  readonly truePeakDb: number;
  readonly mode: "two_pass" | "single_pass";
  readonly maxGainDb: number;
}

export interface Normalized {
  /** Of the input and of what was written. */
  readonly before: MeterReading;
  readonly after: MeterReading;
  /** The constant gain before the limiter; in a single pass, the gain at the end. */
  readonly gainDb: number;
  readonly limited: boolean;
  readonly limiterMaxReductionDb: number;
  /** How often the sound was decoded. */
  readonly passes: number;
  /** Whether a greater gain than the greatest one would have been needed. */
  readonly gainLimited: boolean;
}

/** How often loudness that the limiter takes away is made up by more gain. */
const MADE_UP_AT_MOST = 3;
/** A loss that is not worth another pass, in LU. */
const LOSS_LU = 0.05;

/** Loudness that a decibel of gain is taken to bring at least, in LU. */
const LEAST_GAINED = 0.25;

/** Multiplies samples with one constant. */
class ConstantGain implements SoundStage {
  readonly #gain: number;

  constructor(db: number) {
    this.#gain = toAmplitude(db);
  }

  process(block: AudioBlock): AudioBlock {
    const gain = this.#gain;
    if (gain === 1) {
      return block;
    }
    return block.map((samples) => {
      // A loop takes a quarter of the time of `map`.
      const louder = new Float32Array(samples.length);
      for (let i = 0; i < samples.length; i++) {
        louder[i] = (samples[i] as number) * gain;
      }
      return louder;
    });
  }

  end(): AudioBlock {
    return [];
  }
}

/** Normalizes and writes the result. Throws what the passes and `write` throw. */
export async function normalizeLoudness(
  passes: SoundPasses,
  shape: SoundShape,
  settings: NormalizeSettings,
  write: (block: AudioBlock) => Promise<void>,
): Promise<Normalized> {
  return settings.mode === "two_pass"
    ? normalizeTwice(passes, shape, settings, write)
    : normalizeOnce(passes, shape, settings, write);
}

async function normalizeTwice(
  passes: SoundPasses,
  shape: SoundShape,
  settings: NormalizeSettings,
  write: (block: AudioBlock) => Promise<void>,
): Promise<Normalized> {
  const meter = new SoundMeter(shape);
  for await (const block of passes()) {
    meter.add(block);
  }
  const before = meter.result();
  const { integrated } = before.loudness;
  if (integrated === null) {
    const after = await writeWith([], passes, shape, write);
    return { ...UNCHANGED, before, after, passes: 2 };
  }
  const clamp = (gain: number) => Math.max(-settings.maxGainDb, Math.min(settings.maxGainDb, gain));
  let wanted = settings.targetLufs - integrated;
  let gainDb = clamp(wanted);
  const peak = truePeakDb(before);
  if (peak === null || peak + gainDb <= settings.truePeakDb) {
    const after = await writeWith([new ConstantGain(gainDb)], passes, shape, write);
    return { ...UNCHANGED, before, after, gainDb, passes: 2, gainLimited: wanted !== gainDb };
  }
  let count = 2;
  let previous: { readonly gainDb: number; readonly reached: number } | undefined;
  for (let madeUp = 0; madeUp < MADE_UP_AT_MOST && gainDb < settings.maxGainDb; madeUp++) {
    const reached = await measureWith(
      [new ConstantGain(gainDb), new PeakLimiter(shape, settings.truePeakDb)],
      passes,
      shape,
    );
    count += 1;
    if (reached === null || settings.targetLufs - reached <= LOSS_LU) {
      break;
    }
    // The more is limited, the less a further decibel of gain brings.
    const gained =
      previous === undefined
        ? 1
        : Math.max(LEAST_GAINED, (reached - previous.reached) / (gainDb - previous.gainDb));
    previous = { gainDb, reached };
    wanted = gainDb + (settings.targetLufs - reached) / Math.min(1, gained);
    gainDb = clamp(wanted);
  }
  const limiter = new PeakLimiter(shape, settings.truePeakDb);
  const after = await writeWith([new ConstantGain(gainDb), limiter], passes, shape, write);
  return {
    before,
    after,
    gainDb,
    limited: limiter.maxReductionDb > 0,
    limiterMaxReductionDb: limiter.maxReductionDb,
    passes: count,
    gainLimited: wanted !== gainDb,
  };
}

const UNCHANGED = {
  gainDb: 0,
  limited: false,
  limiterMaxReductionDb: 0,
  gainLimited: false,
} as const;

async function normalizeOnce(
  passes: SoundPasses,
  shape: SoundShape,
  settings: NormalizeSettings,
  write: (block: AudioBlock) => Promise<void>,
): Promise<Normalized> {
  const meter = new SoundMeter(shape);
  const written = new SoundMeter(shape);
  const rider = new LoudnessRider(shape, {
    targetLufs: settings.targetLufs,
    maxGainDb: settings.maxGainDb,
    loudnessSoFar: () => integratedLoudness(written.intervals),
  });
  const limiter = new PeakLimiter(shape, settings.truePeakDb);
  const ride = async (block: AudioBlock) => {
    for (const part of rider.add(block)) {
      await emit(limiter.process(part), written, write);
    }
  };
  // A sound without a whole block has no loudness, and is not changed.
  const measurable = MOMENTARY * Math.round(shape.sampleRate / 10);
  let held: AudioBlock[] | undefined = [];
  let frames = 0;
  for await (const block of passes()) {
    meter.add(block);
    frames += block[0]?.length ?? 0;
    if (held === undefined) {
      await ride(block);
      continue;
    }
    held.push(block.map((samples) => samples.slice()));
    if (frames >= measurable) {
      for (const one of held) {
        await ride(one);
      }
      held = undefined;
    }
  }
  if (held !== undefined) {
    for (const one of held) {
      await emit(one, written, write);
    }
    return { ...UNCHANGED, before: meter.result(), after: written.result(), passes: 1 };
  }
  if (meter.loudness().integrated === null) {
    // Only the frames behind the last whole block may be loud. The rider still has them, with a gain of 1.
    await emit(limiter.end(), written, write);
    for (const part of rider.end()) {
      await emit(part, written, write);
    }
    return { ...UNCHANGED, before: meter.result(), after: written.result(), passes: 1 };
  }
  for (const part of rider.end()) {
    await emit(limiter.process(part), written, write);
  }
  await emit(limiter.end(), written, write);
  return {
    before: meter.result(),
    after: written.result(),
    gainDb: rider.gainDb,
    limited: limiter.maxReductionDb > 0,
    limiterMaxReductionDb: limiter.maxReductionDb,
    passes: 1,
    gainLimited: rider.isLimited,
  };
}

async function emit(
  block: AudioBlock,
  meter: SoundMeter,
  write: (block: AudioBlock) => Promise<void>,
): Promise<void> {
  if ((block[0]?.length ?? 0) > 0) {
    meter.add(block);
    await write(block);
  }
}

/** Writes a pass through these stages and returns what the meter reads of it. */
async function writeWith(
  stages: readonly SoundStage[],
  passes: SoundPasses,
  shape: SoundShape,
  write: (block: AudioBlock) => Promise<void>,
): Promise<MeterReading> {
  const chain = new StageChain(stages);
  const meter = new SoundMeter(shape);
  for await (const block of passes()) {
    await emit(chain.process(block), meter, write);
  }
  await emit(chain.end(), meter, write);
  return meter.result();
}

/** The integrated loudness behind these stages. */
async function measureWith(
  stages: readonly SoundStage[],
  passes: SoundPasses,
  shape: SoundShape,
): Promise<number | null> {
  const chain = new StageChain(stages);
  const meter = new EnergyMeter(shape);
  for await (const block of passes()) {
    meter.add(chain.process(block));
  }
  meter.add(chain.end());
  return integratedLoudness(meter.intervals);
}

/** `results` of the processing report of `audio/loudness_normalize`. */
export function normalizationResults(normalized: Normalized): AudioProcessingReport["results"] {
  return {
    gain_db: toThousandths(normalized.gainDb),
    limited: normalized.limited,
    limiter_max_reduction_db: toThousandths(normalized.limiterMaxReductionDb),
    passes: normalized.passes,
    overload_gain_db: 0,
  };
}

/** Largest true peak above the requested one that still passes, in dB. */
const PEAK_TOLERANCE_DB = 0.05;

/** The checks of `audio/loudness_normalize`, from the reports of the input and of the result. */
export function checkNormalization(
  reports: { readonly before: AudioQualityReport; readonly after: AudioQualityReport },
  { gainLimited }: Pick<Normalized, "gainLimited">,
  settings: NormalizeSettings & { readonly toleranceLu: number },
): QualityCheck {
  const before = reports.before.loudness.integrated_lufs;
  const peak = reports.after.peaks.true_peak_dbtp;
  return buildQualityCheck("Normalized sound", [
    {
      id: "measurable",
      passed: before !== null,
      severity: "error",
      measured: before,
      expected: "an integrated loudness",
      message:
        before === null
          ? "The input has no integrated loudness; its samples were not changed."
          : "The input has an integrated loudness.",
    },
    checkLoudness(
      reports.after.loudness.integrated_lufs,
      settings.targetLufs,
      settings.toleranceLu,
    ),
    {
      id: "true_peak",
      passed: peak === null || peak <= settings.truePeakDb + PEAK_TOLERANCE_DB,
      severity: "error",
      measured: peak,
      expected: { at_most: settings.truePeakDb },
      message:
        peak === null
          ? "The result is digital silence."
          : `The true peak is ${peak} dBTP; at most ${settings.truePeakDb} dBTP is expected.`,
    },
    {
      id: "gain_limited",
      passed: !gainLimited,
      severity: "warning",
      measured: gainLimited,
      expected: { max_gain_db: settings.maxGainDb },
      message: gainLimited
        ? `More gain than ${settings.maxGainDb} dB would have been needed.`
        : `The gain stayed within ${settings.maxGainDb} dB.`,
    },
  ]);
}
