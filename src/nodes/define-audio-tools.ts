import type { AudioProcessingReport, AudioQualityReport } from "../contracts/audio-reports.ts";
import type { SoundParameters } from "../contracts/sound-formats.ts";
import type { QualityCheck } from "../contracts/quality-check.ts";
import type { FileRef } from "../lib/file-ref.ts";

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

export interface ConcatRequest extends SoundParameters {
  readonly gap_seconds: number;
  readonly crossfade_ms: number;
}

export interface MixRequest extends SoundParameters {
  /** In dB, in the order of the tracks; missing ones are 0. */
  readonly gains_db: readonly number[];
  readonly length: "longest" | "shortest" | "first";
}

/** A stored sound with its report. */
export interface MadeSound {
  readonly audio: FileRef;
  readonly report: AudioProcessingReport;
}

/**
 * Reads and makes sound (docs/contract/media.md). Every call reads its files by ranges and holds a few blocks of samples,
 * whatever the duration. Throws NodeError with the codes of docs/contract/media.md#bad-files, `FILE_MISSING`,
 * `SOURCE_CHANGED` and `STORAGE_UNAVAILABLE` (can be retried). Implemented by the media Worker.
 */
export interface AudioTools {
  /** Measures a sound and checks it. */
  measure(
    file: FileRef,
    limits: QualityLimits,
  ): Promise<{ readonly metrics: AudioQualityReport; readonly check: QualityCheck }>;
  /** Writes a sound in another form. */
  convert(file: FileRef, form: SoundParameters): Promise<FileRef>;
  /** Joins sounds, in order. */
  concat(clips: readonly FileRef[], request: ConcatRequest): Promise<MadeSound>;
  /** Adds sounds that begin at the same time. */
  mix(tracks: readonly FileRef[], request: MixRequest): Promise<MadeSound>;
}
