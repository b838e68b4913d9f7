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
 * The loudness range of each sound by libebur128 1.2.6, read on 2026-11-24, and by FFmpeg 5.1.9, on 2026-11-28. libebur128 takes a
 * short-term value a second; ten of its states, of which each begins 100 ms after the one before, have those of every 100 ms, and
 * `ebur128_loudness_range_multiple` gates and ranks them together.
 */
const RANGES = JSON.parse(
  readFileSync(
    fileURLToPath(new URL("../../../golden/media/loudness-ranges.json", import.meta.url).href),
    "utf8",
  ),
) as Readonly<Record<string, { readonly libebur128: number; readonly ffmpeg: number }>>;

/** Sounds that are measured fast. */
const SHORT = /-16000-1$/;

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

/** What FFmpeg's filter ebur128 does otherwise than EBU Tech 3342. */
interface Departures {
  /** The 29 values before the first whole block count as -70 LUFS in the gate. */
  readonly gate: boolean;
  /** Ranks are round(n × share) from 1, and not round((n - 1) × share) from 0. */
  readonly ranks: boolean;
}

/** The loudness range as EBU Tech 3342 (2023) computes it in section 5, or with what FFmpeg does otherwise. */
function rangeOf(
  shortTerm: readonly number[],
  { gate: hasGate, ranks }: Departures = { gate: false, ranks: false },
): number {
  const heard = shortTerm.filter((level) => level >= -70);
  const audible = hasGate ? [...Array.from({ length: 29 }, () => -70), ...heard] : heard;
  const gate = meanLevel(audible) - 20;
  const sorted = audible.filter((level) => level >= gate).toSorted((a, b) => a - b);
  const at = (percent: number) =>
    ranks
      ? Math.floor((sorted.length * percent) / 100 + 0.5) - 1
      : Math.round(((sorted.length - 1) * percent) / 100);
  return sorted[at(95)]! - sorted[at(10)]!;
}

/** Our range of a sound, and its short-term levels. */
function measuredRange({ sampleRate, make }: CorpusSound) {
  const channels = make();
  const meter = new SoundMeter({ sampleRate, channels: channels.length });
  for (const block of blocksOf(channels)) {
    meter.add(block);
  }
  const shortTerm = shortTermOf(meter.intervals);
  return { range: meter.result().loudness.range!, shortTerm };
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
  within("range by the text of EBU Tech 3342", loudness.range!, rangeOf(shortTerm), 1e-9);
  within("range by libebur128", loudness.range!, RANGES[name]!.libebur128, 0.01);
  // FFmpeg departs from that text; with its gate and its ranks, our values give its range on every sound.
  const asTheirs = rangeOf(shortTerm, { gate: true, ranks: true });
  within("range as FFmpeg ranks it", asTheirs, expected.range, 0.1);
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

  // Without FFmpeg too: its ranges are those that were recorded.
  test("in the range, once its ranks are taken for those of Tech 3342 and of docs/contract/media.md", () => {
    const differing: Record<string, string[]> = { ours: [], gate: [], ranks: [], both: [] };
    const sounds = IS_PROOF ? METER_CORPUS : METER_CORPUS.filter(({ name }) => SHORT.test(name));
    for (const sound of sounds) {
      const { name } = sound;
      const { libebur128, ffmpeg } = RANGES[name]!;
      const { range, shortTerm } = measuredRange(sound);
      // The text decides, and another meter that was written from it agrees.
      expect(Math.abs(range - rangeOf(shortTerm)), name).toBeLessThanOrEqual(1e-9);
      expect(Math.abs(range - libebur128), name).toBeLessThanOrEqual(0.005);
      for (const [way, found] of Object.entries({
        ours: range,
        gate: rangeOf(shortTerm, { gate: true, ranks: false }),
        ranks: rangeOf(shortTerm, { gate: false, ranks: true }),
        both: rangeOf(shortTerm, { gate: true, ranks: true }),
      })) {
        if (Math.abs(found - ffmpeg) > 0.1) {
          differing[way]?.push(name);
        }
      }
    }
    // The ranks alone make every difference; the gate alone makes one of them smaller.
    expect([differing["ranks"], differing["both"]]).toEqual([[], []]);
    expect(differing["ours"]).toEqual(
      IS_PROOF ? expect.arrayContaining(["steps-48000-2"]) : ["bursts-16000-1", "steps-16000-1"],
    );
    expect(differing["ours"]).toHaveLength(IS_PROOF ? 14 : 2);
    expect(differing["gate"]).toHaveLength(IS_PROOF ? 13 : 2);
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
