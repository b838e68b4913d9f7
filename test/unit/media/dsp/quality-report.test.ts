import { expect, test } from "vitest";
import { AudioQualityReport } from "../../../../src/contracts/media/audio-reports.ts";
import { QualityCheck } from "../../../../src/contracts/quality-check.ts";
import {
  buildQualityReport,
  checkQuality,
  type QualityLimits,
} from "../../../../src/media/dsp/quality-report.ts";
import { METER_DEFAULTS, SoundMeter } from "../../../../src/media/dsp/sound-meter.ts";
import { joined, silence, sine } from "../../../support/media/signals.ts";
import { ofContract } from "../../../support/results/contract-faults.ts";

const LIMITS: QualityLimits = {
  targetLufs: null,
  loudnessToleranceLu: 1,
  maxTruePeakDb: -1,
  maxNearClippedSamples: 0,
  maxSilenceRatio: 0.5,
};

function reportOf(samples: Float32Array, decodeErrors = 0) {
  const meter = new SoundMeter({ sampleRate: 48_000, channels: 2 });
  for (let at = 0; at < samples.length; at += 8192) {
    const part = samples.subarray(at, at + 8192);
    meter.add([part, part]);
  }
  const report = buildQualityReport(meter.result(), METER_DEFAULTS, {
    container: "flac",
    codec: "flac",
    bitDepth: 24,
    decodeErrors,
  });
  return AudioQualityReport.parse(ofContract("svc.audio-quality-report/v1", report));
}

function check(report: AudioQualityReport, limits: Partial<QualityLimits> = {}) {
  const whole = QualityCheck.parse(
    ofContract("svc.quality-check/v1", checkQuality(report, { ...LIMITS, ...limits })),
  );
  return {
    passed: whole.passed,
    failed: whole.checks.filter(({ passed }) => !passed).map(({ id }) => id),
    ids: whole.checks.map(({ id }) => id),
  };
}

test("the report has the figures of the sound with three decimals", () => {
  const tone = sine(48_000, 4, 997, -23);
  expect(reportOf(joined(silence(48_000, 1), tone), 2)).toEqual({
    schema: "svc.audio-quality-report/v1",
    duration_seconds: 5,
    samples: 240_000,
    sample_rate: 48_000,
    channels: 2,
    container: "flac",
    codec: "flac",
    bit_depth: 24,
    loudness: {
      integrated_lufs: expect.closeTo(-23.1, 0) as number,
      threshold_lufs: expect.closeTo(-33.2, 0) as number,
      range_lu: expect.any(Number) as number,
      momentary_max_lufs: -22.999,
      short_term_max_lufs: -23,
    },
    peaks: {
      true_peak_dbtp: -23,
      sample_peak_dbfs: -23,
      channels: [
        { true_peak_dbtp: -23, sample_peak_dbfs: -23 },
        { true_peak_dbtp: -23, sample_peak_dbfs: -23 },
      ],
    },
    near_clipped: { threshold_db: -0.1, samples: 0 },
    silence: {
      threshold_db: -50,
      min_seconds: 0.5,
      total_seconds: 1,
      ratio: 0.2,
      count: 1,
      leading_seconds: 1,
      trailing_seconds: 0,
      segments: [{ start: 0, end: 1 }],
    },
    decode_errors: 2,
  });
});

test("each check fails for its own reason, and only errors fail the whole", () => {
  const tone = reportOf(sine(48_000, 4, 997, -23));
  expect(check(tone)).toEqual({
    passed: true,
    failed: [],
    ids: ["audible", "true_peak", "near_clipping", "silence", "decode_errors"],
  });
  expect(check(tone, { targetLufs: -23.9 })).toMatchObject({ passed: true, failed: [] });
  expect(check(tone, { targetLufs: -24.1 })).toMatchObject({
    passed: false,
    failed: ["integrated_loudness"],
  });
  expect(check(tone, { maxTruePeakDb: -23.1 }).failed).toEqual(["true_peak"]);
  expect(check(reportOf(sine(48_000, 1, 100, 0)))).toMatchObject({
    passed: true,
    failed: ["true_peak", "near_clipping"],
  });
  expect(check(reportOf(silence(48_000, 1)))).toMatchObject({
    passed: false,
    failed: ["audible", "silence"],
  });
  expect(check(reportOf(silence(48_000, 1)), { targetLufs: -16 }).failed).toEqual([
    "audible",
    "integrated_loudness",
    "silence",
  ]);
  expect(check(reportOf(sine(48_000, 1, 100, -9), 1)).failed).toEqual(["decode_errors"]);
});

test("levels of digital silence and of nothing are null", () => {
  for (const frames of [0, 48_000]) {
    const { peaks, loudness } = reportOf(new Float32Array(frames));
    expect(Object.values(loudness)).toEqual([null, null, null, null, null]);
    expect(peaks.true_peak_dbtp).toBeNull();
    expect(peaks.channels[1]!.sample_peak_dbfs).toBeNull();
  }
});
