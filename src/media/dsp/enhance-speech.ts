/** Speech enhancement (docs/contract/media.md#speech): its settings, its chain of stages, its report and its checks. */
import type { AudioProcessingReport } from "../../contracts/media/audio-reports.ts";
import type { QualityCheck } from "../../contracts/quality-check.ts";
import type { SoundShape } from "../audio-block.ts";
import { Compressor } from "./compressor.ts";
import { toThousandths } from "./decibels.ts";
import { createDeEsser } from "./de-esser.ts";
import { HighPass } from "./high-pass.ts";
import { type CreateRateConverter, NeuralDenoise, WetDry } from "./neural-denoise.ts";
import { buildQualityCheck } from "./quality-report.ts";
import { type SoundStage, StageChain } from "./sound-stage.ts";
import { createSpectralDenoise } from "./spectral-denoise.ts";
import type { SpeechLevels } from "./speech-levels.ts";

export const ENHANCE_PROFILES = ["light", "podcast", "dialogue", "custom"] as const;
export type EnhanceProfile = (typeof ENHANCE_PROFILES)[number];

/** The controls of the node; unset ones are those of the profile. */
export interface EnhanceControls {
  readonly denoiseTechnique?: "auto" | "spectral" | "neural" | "none" | undefined;
  readonly denoiseMix?: number | undefined;
  readonly highpassHz?: number | undefined;
  readonly deessDb?: number | undefined;
  readonly compressRatio?: number | undefined;
  readonly compressThresholdDb?: number | undefined;
}

/** What runs. Null: the step is left out. */
export interface Enhancement {
  readonly denoise: { readonly technique: "spectral" | "neural"; readonly mix: number } | null;
  readonly highpassHz: number | null;
  readonly deessDb: number | null;
  readonly compress: { readonly ratio: number; readonly thresholdDb: number } | null;
}

interface ProfileControls {
  readonly technique: "spectral" | "neural";
  readonly mix: number;
  readonly highpassHz: number | null;
  readonly deessDb: number;
  readonly ratio: number;
  readonly thresholdDb: number;
}

const PROFILES: Readonly<Record<EnhanceProfile, ProfileControls>> = {
  light: {
    technique: "spectral",
    mix: 0.6,
    highpassHz: 60,
    deessDb: 0,
    ratio: 1,
    thresholdDb: -20,
  },
  podcast: {
    technique: "neural",
    mix: 0.85,
    highpassHz: 80,
    deessDb: 4,
    ratio: 2,
    thresholdDb: -14,
  },
  dialogue: {
    technique: "neural",
    mix: 0.95,
    highpassHz: 100,
    deessDb: 0,
    ratio: 1.5,
    thresholdDb: -14,
  },
  custom: {
    technique: "neural",
    mix: 0,
    highpassHz: null,
    deessDb: 0,
    ratio: 1,
    thresholdDb: -20,
  },
};

/** The steps of a profile with the controls that outrank it. A step that would change nothing is left out. */
export function resolveEnhancement(
  profile: EnhanceProfile,
  controls: EnhanceControls,
): Enhancement {
  const own = PROFILES[profile];
  const mix = controls.denoiseMix ?? own.mix;
  const technique = controls.denoiseTechnique ?? "auto";
  const deessDb = controls.deessDb ?? own.deessDb;
  const ratio = controls.compressRatio ?? own.ratio;
  return {
    denoise:
      technique === "none" || mix === 0
        ? null
        : { technique: technique === "auto" ? own.technique : technique, mix },
    highpassHz: controls.highpassHz ?? own.highpassHz,
    deessDb: deessDb === 0 ? null : deessDb,
    compress:
      ratio === 1 ? null : { ratio, thresholdDb: controls.compressThresholdDb ?? own.thresholdDb },
  };
}

/** What the chain is made of besides its own code. */
export interface EnhanceParts {
  /** simple-rnnoise-wasm. */
  readonly rnnoise: WebAssembly.Module;
  readonly createConverter: CreateRateConverter;
}

/** High pass, denoise, de-ess, compress, in this order; as long as the input, to the frame. */
export function createEnhancer(
  shape: SoundShape,
  { denoise, highpassHz, deessDb, compress }: Enhancement,
  parts: EnhanceParts,
): StageChain {
  const stages: SoundStage[] = [];
  if (highpassHz !== null) {
    stages.push(new HighPass(shape, highpassHz));
  }
  if (denoise !== null) {
    const stage =
      denoise.technique === "neural"
        ? new NeuralDenoise(parts.rnnoise, shape, parts.createConverter)
        : createSpectralDenoise(shape);
    stages.push(denoise.mix === 1 ? stage : new WetDry(stage, shape.channels, denoise.mix));
  }
  if (deessDb !== null) {
    stages.push(createDeEsser(shape, deessDb));
  }
  if (compress !== null) {
    stages.push(new Compressor(shape, compress.thresholdDb, compress.ratio));
  }
  return new StageChain(stages);
}

/** `settings` of the processing report: the steps that ran. */
export function enhanceSettings(
  profile: EnhanceProfile,
  { denoise, highpassHz, deessDb, compress }: Enhancement,
): AudioProcessingReport["settings"] {
  return {
    profile,
    denoise_technique: denoise?.technique ?? "none",
    ...(denoise !== null && { denoise_mix: denoise.mix }),
    ...(highpassHz !== null && { highpass_hz: highpassHz }),
    ...(deessDb !== null && { deess_db: deessDb }),
    ...(compress !== null && {
      compress_ratio: compress.ratio,
      compress_threshold_db: compress.thresholdDb,
    }),
  };
}

/** `results` of the processing report. */
export function enhanceResults(
  before: SpeechLevels,
  after: SpeechLevels,
): AudioProcessingReport["results"] {
  return {
    noise_floor_before_db: toThousandths(before.noiseFloorDb),
    noise_floor_after_db: toThousandths(after.noiseFloorDb),
    speech_level_before_db: toThousandths(before.speechLevelDb),
    speech_level_after_db: toThousandths(after.speechLevelDb),
  };
}

/** A noise floor at or below this has nothing to reduce. */
const CLEAN_DB = -90;
const LEVEL_CHANGE_DB = 3;

/** The checks of `audio/speech_enhance`. */
export function checkEnhancement(
  { denoise }: Enhancement,
  before: SpeechLevels,
  after: SpeechLevels,
): QualityCheck {
  const reduction = toThousandths(before.noiseFloorDb - after.noiseFloorDb);
  const change = toThousandths(after.speechLevelDb - before.speechLevelDb);
  return buildQualityCheck("Enhanced speech", [
    {
      id: "noise_reduced",
      passed: denoise === null || reduction > 0 || before.noiseFloorDb <= CLEAN_DB,
      severity: "warning",
      measured: reduction,
      expected: "above 0 dB where noise is reduced",
      message:
        denoise === null
          ? "No noise reduction was asked for."
          : `The noise floor is ${reduction} dB lower.`,
    },
    {
      id: "speech_level",
      passed: Math.abs(change) <= LEVEL_CHANGE_DB,
      severity: "warning",
      measured: change,
      expected: { at_most: LEVEL_CHANGE_DB },
      message: `The level of speech changed by ${change} dB; at most ${LEVEL_CHANGE_DB} dB is expected.`,
    },
  ]);
}
