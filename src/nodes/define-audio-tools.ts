import type {
  AudioProcessingReport,
  AudioQualityReport,
} from "../contracts/media/audio-reports.ts";
import type { SoundParameters } from "../contracts/media/sound-formats.ts";
import type { QualityCheck } from "../contracts/quality-check.ts";
import type { FileRef } from "../lib/files/file-ref.ts";
import type { Segment } from "./define-segments.ts";
import type { DubTools } from "./define-dub-tools.ts";

/** What `audio/quality_report` measures by and checks against (docs/contract/media.md#meter). */
export interface QualityLimits {
  readonly silence_threshold_db: number;
  readonly min_silence_seconds: number;
  readonly near_clip_db: number;
  readonly target_lufs?: number | null | undefined;
  readonly loudness_tolerance_lu: number;
  readonly max_true_peak_db: number;
  readonly max_near_clipped_samples: number;
  readonly max_silence_ratio: number;
}

/** The form in which parts of a sound are written. */
export interface SplitRequest extends Pick<SoundParameters, "bitrate_kbps" | "bit_depth"> {
  /** `source`: as in the input. */
  readonly format: SoundParameters["format"] | "source";
}

export interface ConcatRequest extends SoundParameters {
  readonly gap_seconds: number;
  readonly crossfade_ms: number;
}

export interface MixRequest extends SoundParameters {
  /** In dB, one for each track; missing ones are 0. */
  readonly gains_db: readonly number[];
  readonly length: "longest" | "shortest" | "first";
}

export interface NormalizeRequest extends SoundParameters {
  readonly target_lufs: number;
  readonly true_peak_db: number;
  readonly mode: "two_pass" | "single_pass";
  readonly tolerance_lu: number;
  readonly max_gain_db: number;
}

export interface FitRequest extends SoundParameters {
  readonly target_duration?: number | null | undefined;
  readonly min_speed: number;
  readonly max_speed: number;
  readonly on_out_of_range: "fail" | "clamp" | "warn";
  readonly pad_short: boolean;
  readonly tolerance_seconds: number;
}

/** Seconds that the inputs of `audio/fit_duration` have. */
export interface FitWindow {
  readonly targetStart: number | undefined;
  readonly targetEnd: number | undefined;
  readonly targetDuration: number | undefined;
}

type Control = number | null | undefined;

export interface DuckRequest extends SoundParameters {
  readonly profile: "voice_over" | "podcast" | "music_bed" | "custom";
  readonly threshold_db?: Control;
  readonly ratio?: Control;
  readonly attack_ms?: Control;
  readonly release_ms?: Control;
  readonly max_reduction_db?: Control;
  readonly background_gain_db?: Control;
  readonly foreground_gain_db?: Control;
  readonly length: "longest" | "foreground" | "background";
  readonly loop_background: boolean;
}

export interface EnhanceRequest extends SoundParameters {
  readonly profile: "light" | "podcast" | "dialogue" | "custom";
  readonly denoise_technique: "auto" | "spectral" | "neural" | "none";
  readonly denoise_mix?: Control;
  readonly highpass_hz?: Control;
  readonly deess_db?: Control;
  readonly compress_ratio?: Control;
  readonly compress_threshold_db?: Control;
}

/** A stored sound with its report. */
export interface MadeSound {
  readonly audio: FileRef;
  readonly report: AudioProcessingReport;
}

/** The same with its checks. */
export interface CheckedSound extends MadeSound {
  readonly check: QualityCheck;
}

/**
 * Reads and makes sound (docs/contract/media.md). Every call reads its files by ranges and holds a few blocks of samples,
 * whatever the duration. Throws NodeError with the codes of docs/contract/media.md#bad-files, `FILE_MISSING`,
 * `SOURCE_CHANGED` and `STORAGE_UNAVAILABLE` (can be retried). Implemented by the media Worker.
 */
export interface AudioTools extends DubTools {
  /** Measures a sound and checks it. */
  measure(
    file: FileRef,
    limits: QualityLimits,
  ): Promise<{ readonly metrics: AudioQualityReport; readonly check: QualityCheck }>;
  /** Writes a sound in another form. */
  convert(file: FileRef, form: SoundParameters): Promise<FileRef>;
  /**
   * Cuts a sound, exact to the sample. Throws also `SEGMENT_OUT_OF_RANGE`, before anything is stored. The files are in the order of the
   * segments.
   */
  split(
    file: FileRef,
    segments: readonly Segment[],
    request: SplitRequest,
  ): Promise<readonly FileRef[]>;
  /** Joins sounds, in order. */
  concat(clips: readonly FileRef[], request: ConcatRequest): Promise<MadeSound>;
  /** Adds sounds that begin at the same time. */
  mix(tracks: readonly FileRef[], request: MixRequest): Promise<MadeSound>;
  /** Brings a sound to a loudness, and measures it before and after. */
  normalize(
    file: FileRef,
    request: NormalizeRequest,
  ): Promise<
    CheckedSound & { readonly before: AudioQualityReport; readonly after: AudioQualityReport }
  >;
  /**
   * Gives a sound a duration. Throws also `FIT_TARGET_MISSING`, `FIT_TARGET_INVALID` and `FIT_OUT_OF_RANGE`. `seconds`: of
   * the result.
   */
  fit(
    file: FileRef,
    request: FitRequest,
    window: FitWindow,
  ): Promise<CheckedSound & { readonly seconds: number }>;
  /** Turns a background down under a foreground, and adds both. */
  duck(
    foreground: FileRef,
    background: FileRef,
    request: DuckRequest,
  ): Promise<CheckedSound & { readonly background: FileRef }>;
  /** Removes noise from a voice. */
  enhance(file: FileRef, request: EnhanceRequest): Promise<CheckedSound>;
}
