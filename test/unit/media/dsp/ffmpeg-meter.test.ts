import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { SoundMeter } from "../../../../src/media/dsp/sound-meter.ts";
import {
  type FfmpegReading,
  hasFfmpeg,
  readWithFfmpeg,
} from "../../../support/media/ffmpeg-meter.ts";
import { type CorpusSound, METER_CORPUS } from "../../../support/media/meter-corpus.ts";
import { blocksOf, decibelsOf, noise } from "../../../support/media/signals.ts";
import { IS_PROOF } from "../../../support/sizes.ts";

/** Read by FFmpeg 5.1.9 on 2026-11-23, with the filters of `readWithFfmpeg`. */
const RECORDED: Readonly<Record<string, FfmpegReading>> = {
  "pink-48000-2": {
    integrated: -17.655,
    range: 0.05,
    momentaryMax: -17.507,
    shortTermMax: -17.627,
    truePeak: 0.424,
    samplePeak: 0.424,
    silences: [],
  },
  "clipped-44100-2": {
    integrated: 4.353,
    range: 0,
    momentaryMax: 4.406,
    shortTermMax: 4.36,
    truePeak: 2.225,
    samplePeak: 1,
    silences: [],
  },
  "chord-48000-1": {
    integrated: -11.199,
    range: 0,
    momentaryMax: -11.11,
    shortTermMax: -11.191,
    truePeak: 0.797,
    samplePeak: 0.797,
    silences: [],
  },
  "clicks-48000-6": {
    integrated: -28.097,
    range: 0.37,
    momentaryMax: -26.384,
    shortTermMax: -28.076,
    truePeak: 0.9,
    samplePeak: 0.9,
    silences: [],
  },
  "pink-16000-1": {
    integrated: -21.685,
    range: 0.04,
    momentaryMax: -21.46,
    shortTermMax: -21.658,
    truePeak: 0.418,
    samplePeak: 0.408,
    silences: [],
  },
  "bursts-44100-2": {
    integrated: -7.369,
    range: 3.01,
    momentaryMax: -2.856,
    shortTermMax: -8.78,
    truePeak: 1.223,
    samplePeak: 0.702,
    silences: [
      [0.991293, 1.74324],
      [3.44302, 4.82785],
      [6.42669, 7.75937],
      [8.90837, 9.4471],
    ],
  },
};

/**
 * The loudness range of each sound by libebur128 1.2.6, read on 2026-11-24. It takes a short-term value a second; ten of its
 * states, of which each begins 100 ms after the one before, have those of every 100 ms, and `ebur128_loudness_range_multiple`
 * gates and ranks them together.
 */
const RANGES_BY_LIBEBUR128 = JSON.parse(
  readFileSync(
    fileURLToPath(new URL("../../../golden/media/loudness-ranges.json", import.meta.url).href),
    "utf8",
  ),
) as Readonly<Record<string, number>>;

/** 6.1 and 7.1, read by FFmpeg 5.1 with the same filters: noise on each channel, of another level. */
const RECORDED_WIDE: Readonly<
  Record<number, Pick<FfmpegReading, "integrated" | "momentaryMax" | "shortTermMax" | "samplePeak">>
> = {
  7: { integrated: -8.781, momentaryMax: -8.745, shortTermMax: -8.772, samplePeak: 0.23 },
  8: { integrated: -7.041, momentaryMax: -7.012, shortTermMax: -7.033, samplePeak: 0.26 },
};

const wideSound = (count: number): readonly Float32Array[] =>
  Array.from({ length: count }, (_none, channel) =>
    noise(5 * 48_000, 0.05 + 0.03 * channel, 40 + channel),
  );

function measuredWide(channels: readonly Float32Array[]) {
  const meter = new SoundMeter({ sampleRate: 48_000, channels: channels.length });
  for (const block of blocksOf(channels)) {
    meter.add(block);
  }
  const { loudness, channelPeaks } = meter.result();
  const samplePeak = Math.max(...channelPeaks.map((peaks) => peaks.samplePeak));
  return { channels, ours: { ...loudness, samplePeak } };
}

function expectWide(
  ours: ReturnType<typeof measuredWide>["ours"],
  theirs: (typeof RECORDED_WIDE)[number],
): void {
  for (const figure of ["integrated", "momentaryMax", "shortTermMax"] as const) {
    expect(Math.abs(ours[figure]! - theirs[figure]), figure).toBeLessThanOrEqual(0.05);
  }
  // FFmpeg prints amplitudes with three decimals.
  expect(Math.abs(ours.samplePeak - theirs.samplePeak)).toBeLessThanOrEqual(0.0006);
}

/** Short-term loudness in LUFS: 3 s every 100 ms, whole ones only. */
function shortTermOf(intervals: Float64Array): readonly number[] {
  return Array.from({ length: Math.max(0, intervals.length - 29) }, (_none, at) => {
    const energy = intervals.subarray(at, at + 30).reduce((sum, value) => sum + value, 0) / 30;
    return -0.691 + 10 * Math.log10(energy);
  });
}

const powerOf = (level: number) => 10 ** (level / 10);
const meanLevel = (levels: readonly number[]) =>
  10 * Math.log10(levels.reduce((sum, level) => sum + powerOf(level), 0) / levels.length);

/** The loudness range as EBU Tech 3342 (2023) computes it in section 5, with its indices from 1. */
function rangeOfTech3342(shortTerm: readonly number[]): number {
  const audible = shortTerm.filter((level) => level >= -70);
  const gate = meanLevel(audible) - 20;
  const sorted = audible.filter((level) => level >= gate).toSorted((a, b) => a - b);
  const rank = (percent: number) => Math.round(((sorted.length - 1) * percent) / 100 + 1);
  return sorted[rank(95) - 1]! - sorted[rank(10) - 1]!;
}

/**
 * The same by FFmpeg's filter ebur128: the 29 values before the first whole block count as -70 LUFS in its gate, and its
 * ranks are round(n × share) from 1.
 */
function rangeOfFfmpeg(shortTerm: readonly number[]): number {
  const audible = [
    ...Array.from({ length: 29 }, () => -70),
    ...shortTerm.filter((level) => level >= -70),
  ];
  const gate = meanLevel(audible) - 20;
  const sorted = audible.filter((level) => level >= gate).toSorted((a, b) => a - b);
  const rank = (share: number) => Math.floor(sorted.length * share + 0.5);
  return sorted[rank(0.95) - 1]! - sorted[rank(0.1) - 1]!;
}

/** Returns by how many LU the range differs from that of FFmpeg. */
function compare(
  { name, sampleRate, make }: CorpusSound,
  theirs: FfmpegReading | undefined,
): number {
  const channels = make();
  const expected = theirs ?? readWithFfmpeg(sampleRate, channels);
  const meter = new SoundMeter({ sampleRate, channels: channels.length });
  for (let at = 0; at < channels[0]!.length; at += 8192) {
    meter.add(channels.map((samples) => samples.subarray(at, at + 8192)));
  }
  const { loudness, channelPeaks, silence } = meter.result();
  const within = (what: string, ours: number, other: number, most: number) => {
    expect(Math.abs(ours - other), `${name}: ${what}`).toBeLessThanOrEqual(most);
  };
  within("integrated", loudness.integrated!, expected.integrated, 0.05);
  within("momentary", loudness.momentaryMax!, expected.momentaryMax, 0.05);
  within("short-term", loudness.shortTermMax!, expected.shortTermMax, 0.05);
  const shortTerm = shortTermOf(meter.intervals);
  within("range by the text of EBU Tech 3342", loudness.range!, rangeOfTech3342(shortTerm), 1e-9);
  within("range by libebur128", loudness.range!, RANGES_BY_LIBEBUR128[name]!, 0.01);
  // FFmpeg departs from that text; with its gate and its ranks, our values give its range on every sound.
  within("range as FFmpeg ranks it", rangeOfFfmpeg(shortTerm), expected.range, 0.1);
  const [truePeak, samplePeak] = (["truePeak", "samplePeak"] as const).map((kind) =>
    Math.max(...channelPeaks.map((peaks) => peaks[kind])),
  );
  // FFmpeg prints amplitudes with three decimals. Our interpolator is longer than its own: see tones near a quarter of the rate.
  const rounding = decibelsOf(1 + 0.0005 / expected.samplePeak);
  within(
    "true peak",
    decibelsOf(truePeak!),
    decibelsOf(expected.truePeak),
    rounding + (name.startsWith("quarter") ? 0.3 : 0.1),
  );
  within("sample peak", decibelsOf(samplePeak!), decibelsOf(expected.samplePeak), rounding + 0.01);
  expect(silence.count, name).toBe(expected.silences.length);
  for (const [i, { start, end }] of silence.segments.entries()) {
    within("silence", start / sampleRate, expected.silences[i]![0], 0.01);
    within("silence", end / sampleRate, expected.silences[i]![1], 0.01);
  }
  return Math.abs(loudness.range! - expected.range);
}

describe("the meter agrees with that of FFmpeg", () => {
  test.each(Object.entries(RECORDED))("on %s, as it was recorded", (name, theirs) => {
    compare(
      METER_CORPUS.find((sound) => sound.name === name)!,
      theirs,
    );
  });

  test.each([7, 8])("on sounds of %d channels, as it was recorded", (count) => {
    const sound = wideSound(count);
    const { channels, ours } = measuredWide(sound);
    const theirs = RECORDED_WIDE[count]!;
    expect(channels).toHaveLength(count);
    expectWide(ours, theirs);
  });

  test.skipIf(!hasFfmpeg).each([7, 8])("on sounds of %d channels", (count) => {
    const { channels, ours } = measuredWide(wideSound(count));
    expectWide(ours, readWithFfmpeg(48_000, channels));
  });

  if (IS_PROOF) {
    test.skipIf(!hasFfmpeg)(
      "on 75 sounds, in the range too on 60 of them",
      { timeout: 600_000 },
      () => {
        const differences = METER_CORPUS.map((sound) => compare(sound, undefined));
        expect(differences).toHaveLength(75);
        expect(differences.filter((difference) => difference <= 0.1).length).toBeGreaterThanOrEqual(
          60,
        );
      },
    );
  }
});
