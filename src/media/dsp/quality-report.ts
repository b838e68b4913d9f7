/** The report and the checks of `audio/quality_report` (docs/contract/media.md#meter). */
import type { AudioQualityReport } from "../../contracts/media/audio-reports.ts";
import type { QualityCheck, QualityCheckItem } from "../../contracts/quality-check.ts";
import type { SoundShape } from "../audio-block.ts";
import { toDecibels, toThousandths } from "./decibels.ts";
import type { MeterReading, MeterSettings } from "./sound-meter.ts";

/** What is known of a sound besides its samples. */
export interface SoundOrigin {
  readonly container: string;
  readonly codec: string;
  readonly bitDepth: number | null;
  readonly decodeErrors: number;
}

/** Length and shape as all contracts name them; the duration has six decimals. */
export function soundFields({ sampleRate, channels }: SoundShape, frames: number) {
  return {
    duration_seconds: Math.round((frames / sampleRate) * 1e6) / 1e6,
    samples: frames,
    sample_rate: sampleRate,
    channels,
  };
}

/** The greatest true peak of all channels, in dB; null for digital silence. */
export function truePeakDb({ channelPeaks }: MeterReading): number | null {
  return toDecibels(Math.max(...channelPeaks.map(({ truePeak }) => truePeak)));
}

/** A reading as `svc.audio-quality-report/v1`, all levels with three decimals. */
export function buildQualityReport(
  reading: MeterReading,
  settings: MeterSettings,
  origin: SoundOrigin,
): AudioQualityReport {
  const { loudness, silence, channelPeaks, frames, sampleRate } = reading;
  const inSeconds = (count: number) => toThousandths(count / sampleRate);
  const levels = (truePeak: number, samplePeak: number) => ({
    true_peak_dbtp: toThousandths(toDecibels(truePeak)),
    sample_peak_dbfs: toThousandths(toDecibels(samplePeak)),
  });
  return {
    schema: "svc.audio-quality-report/v1",
    ...soundFields(reading, frames),
    container: origin.container,
    codec: origin.codec,
    bit_depth: origin.bitDepth,
    loudness: {
      integrated_lufs: toThousandths(loudness.integrated),
      threshold_lufs: toThousandths(loudness.threshold),
      range_lu: toThousandths(loudness.range),
      momentary_max_lufs: toThousandths(loudness.momentaryMax),
      short_term_max_lufs: toThousandths(loudness.shortTermMax),
    },
    peaks: {
      ...levels(
        Math.max(...channelPeaks.map(({ truePeak }) => truePeak)),
        Math.max(...channelPeaks.map(({ samplePeak }) => samplePeak)),
      ),
      channels: channelPeaks.map(({ truePeak, samplePeak }) => levels(truePeak, samplePeak)),
    },
    near_clipped: { threshold_db: settings.nearClipDb, samples: reading.nearClipped },
    silence: {
      threshold_db: settings.silenceThresholdDb,
      min_seconds: settings.minSilenceSeconds,
      total_seconds: inSeconds(silence.frames),
      ratio: frames === 0 ? 0 : toThousandths(silence.frames / frames),
      count: silence.count,
      leading_seconds: inSeconds(silence.leadingFrames),
      trailing_seconds: inSeconds(silence.trailingFrames),
      segments: silence.segments.map(({ start, end }) => ({
        start: inSeconds(start),
        end: inSeconds(end),
      })),
    },
    decode_errors: origin.decodeErrors,
  };
}

/** The limits of the checks of `audio/quality_report`, as its parameters name them. */
export interface QualityLimits {
  readonly targetLufs: number | null;
  readonly loudnessToleranceLu: number;
  readonly maxTruePeakDb: number;
  readonly maxNearClippedSamples: number;
  readonly maxSilenceRatio: number;
}

/** A check whose severity decides nothing else than `passed` of the whole. */
export function buildQualityCheck(
  subject: string,
  checks: readonly QualityCheckItem[],
): QualityCheck {
  return {
    schema: "svc.quality-check/v1",
    subject,
    passed: checks.every(({ passed, severity }) => passed || severity !== "error"),
    checks: [...checks],
  };
}

/** The check that an integrated loudness is near its target; a sound without one fails. */
export function checkLoudness(
  measured: number | null,
  targetLufs: number,
  toleranceLu: number,
): QualityCheckItem {
  const passed = measured !== null && Math.abs(measured - targetLufs) <= toleranceLu + ROUNDING;
  return {
    id: "integrated_loudness",
    passed,
    severity: "error",
    measured,
    expected: { target_lufs: targetLufs, tolerance_lu: toleranceLu },
    message:
      measured === null
        ? "The sound has no integrated loudness."
        : `The integrated loudness is ${measured} LUFS; ${targetLufs} ± ${toleranceLu} LUFS is expected.`,
  };
}

/** Of sums and differences of figures with three decimals. */
const ROUNDING = 1e-9;

/** The checks of `audio/quality_report`, in the order of the contract. */
export function checkQuality(report: AudioQualityReport, limits: QualityLimits): QualityCheck {
  const { loudness, peaks, near_clipped: nearClipped, silence } = report;
  const integrated = loudness.integrated_lufs;
  const atMost = (
    id: string,
    measured: number | null,
    most: number,
    message: string,
  ): QualityCheckItem => ({
    id,
    passed: measured === null || measured <= most,
    severity: "warning",
    measured,
    expected: { at_most: most },
    message,
  });
  return buildQualityCheck("Measured sound", [
    {
      id: "audible",
      passed: integrated !== null,
      severity: "error",
      measured: integrated,
      expected: "an integrated loudness",
      message:
        integrated === null
          ? "Nothing in the sound is above the gate of -70 LUFS for 400 ms."
          : "The sound has an integrated loudness.",
    },
    ...(limits.targetLufs === null
      ? []
      : [checkLoudness(integrated, limits.targetLufs, limits.loudnessToleranceLu)]),
    atMost(
      "true_peak",
      peaks.true_peak_dbtp,
      limits.maxTruePeakDb,
      peaks.true_peak_dbtp === null
        ? "The sound is digital silence."
        : `The true peak is ${peaks.true_peak_dbtp} dBTP; at most ${limits.maxTruePeakDb} dBTP is expected.`,
    ),
    atMost(
      "near_clipping",
      nearClipped.samples,
      limits.maxNearClippedSamples,
      `${nearClipped.samples} samples reach ${nearClipped.threshold_db} dBFS; at most ${limits.maxNearClippedSamples} are expected.`,
    ),
    atMost(
      "silence",
      silence.ratio,
      limits.maxSilenceRatio,
      `A share of ${silence.ratio} is silent; at most ${limits.maxSilenceRatio} is expected.`,
    ),
    atMost(
      "decode_errors",
      report.decode_errors,
      0,
      `${report.decode_errors} packets could not be decoded and became silence; none is expected.`,
    ),
  ]);
}
