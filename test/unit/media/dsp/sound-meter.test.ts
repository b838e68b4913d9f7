import { describe, expect, test } from "vitest";
import { tapsOf } from "../../../../src/media/dsp/interpolator.ts";
import {
  METER_DEFAULTS,
  type MeterReading,
  SoundMeter,
} from "../../../../src/media/dsp/sound-meter.ts";
import {
  amplitudeOf,
  blocksOf,
  decibelsOf,
  joined,
  noise,
  randomNumbers,
  silence,
  sine,
} from "../../../support/media/signals.ts";

function measure(
  sampleRate: number,
  channels: readonly Float32Array[],
  settings = METER_DEFAULTS,
  seed = 1,
): MeterReading {
  const meter = new SoundMeter({ sampleRate, channels: channels.length }, settings);
  for (const block of blocksOf(channels, seed)) {
    meter.add(block);
  }
  return meter.result();
}

const stereo = (samples: Float32Array) => [samples, samples];
const truePeaks = ({ channelPeaks }: MeterReading) => channelPeaks.map(({ truePeak }) => truePeak);

/** Tones of 1 kHz one after another, as EBU Tech 3341 describes its signals. */
function tones(sampleRate: number, ...parts: readonly (readonly [db: number, seconds: number])[]) {
  return joined(
    ...parts.map(([db, seconds]) =>
      db === Number.NEGATIVE_INFINITY
        ? silence(sampleRate, seconds)
        : sine(sampleRate, seconds, 1000, db),
    ),
  );
}

const NONE = Number.NEGATIVE_INFINITY;

describe("EBU Tech 3341", () => {
  test.each([
    ["1", -23, [[-23, 20]]],
    ["2", -33, [[-33, 20]]],
    [
      "3",
      -23,
      [
        [-36, 10],
        [-23, 60],
        [-36, 10],
      ],
    ],
    [
      "4",
      -23,
      [
        [-72, 10],
        [-36, 10],
        [-23, 60],
        [-36, 10],
        [-72, 10],
      ],
    ],
    [
      "5",
      -23,
      [
        [-26, 20],
        [-20, 20.1],
        [-26, 20],
      ],
    ],
  ] as const)("signal %s has an integrated loudness of %d LUFS", (_, expected, parts) => {
    for (const sampleRate of [44_100, 48_000]) {
      const { loudness } = measure(sampleRate, stereo(tones(sampleRate, ...parts)));
      expect(Math.abs(loudness.integrated! - expected)).toBeLessThanOrEqual(0.1);
    }
  });

  test("signals 1 and 2 have the same momentary and short-term loudness", () => {
    for (const db of [-23, -33]) {
      const { loudness } = measure(48_000, stereo(tones(48_000, [db, 20])));
      expect(Math.abs(loudness.momentaryMax! - db)).toBeLessThanOrEqual(0.1);
      expect(Math.abs(loudness.shortTermMax! - db)).toBeLessThanOrEqual(0.1);
    }
  });

  test("signal 6, with five channels, has -23 LUFS; with a silent LFE too", () => {
    const five = [-28, -28, -24, -30, -30].map((db) => tones(48_000, [db, 20]));
    const six = five.toSpliced(3, 0, silence(48_000, 20));
    const loudLfe = five.toSpliced(3, 0, tones(48_000, [-10, 20]));
    for (const channels of [five, six, loudLfe]) {
      const { loudness } = measure(48_000, channels);
      expect(Math.abs(loudness.integrated! + 23)).toBeLessThanOrEqual(0.1);
    }
  });

  test("signal 9 has a short-term loudness of -23 LUFS from 3 s on", () => {
    const parts = Array.from(
      { length: 5 },
      () =>
        [
          [-20, 1.34],
          [-30, 1.66],
        ] as const,
    ).flat();
    const sound = tones(48_000, ...parts);
    const { loudness } = measure(48_000, stereo(sound));
    expect(Math.abs(loudness.shortTermMax! + 23)).toBeLessThanOrEqual(0.1);
    // The least of all short-term values: that of any 3 s.
    for (let at = 0; at + 3 <= 15; at += 0.5) {
      const part = sound.subarray(at * 48_000, (at + 3) * 48_000);
      const { shortTermMax } = measure(48_000, stereo(part)).loudness;
      expect(Math.abs(shortTermMax! + 23)).toBeLessThanOrEqual(0.1);
    }
  });

  test("signals 10 have a maximum short-term loudness of -23 LUFS", () => {
    for (let i = 0; i < 20; i++) {
      const sound = tones(48_000, [NONE, 0.15 * i], [-23, 3], [NONE, 1]);
      const { loudness } = measure(48_000, stereo(sound));
      expect(Math.abs(loudness.shortTermMax! + 23), `after ${i}`).toBeLessThanOrEqual(0.1);
    }
  });

  test("signal 11 has rising maxima of the short-term loudness", () => {
    const meter = new SoundMeter({ sampleRate: 48_000, channels: 2 });
    for (let i = 0; i < 20; i++) {
      const sound = tones(48_000, [NONE, 0.15 * i], [-38 + i, 3], [NONE, 3 - 0.15 * i]);
      for (const block of blocksOf(stereo(sound))) {
        meter.add(block);
      }
      const { shortTermMax } = meter.loudness();
      expect(Math.abs(shortTermMax! - (-38 + i))).toBeLessThanOrEqual(0.1);
    }
  });

  test("signal 12 has a momentary loudness of -23 LUFS from 1 s on", () => {
    const parts = Array.from(
      { length: 25 },
      () =>
        [
          [-20, 0.18],
          [-30, 0.22],
        ] as const,
    ).flat();
    const sound = tones(48_000, ...parts);
    for (let at = 1; at + 0.4 <= 10; at += 0.5) {
      const part = sound.subarray(at * 48_000, (at + 1.4) * 48_000);
      const { momentaryMax } = measure(48_000, stereo(part)).loudness;
      expect(Math.abs(momentaryMax! + 23)).toBeLessThanOrEqual(0.1);
    }
  });

  test.each([
    ["15", 4, 0, 0.5, -6],
    ["16", 4, 45, 0.5, -6],
    ["17", 6, 60, 0.5, -6],
    ["18", 8, 67.5, 0.5, -6],
    ["19", 4, 45, 1.41, 3],
  ])(
    "signal %s, a sine of a period of %d samples, has its true peak",
    (_, period, degrees, amplitude, expected) => {
      const sound = sine(
        48_000,
        2,
        48_000 / period,
        decibelsOf(amplitude),
        (degrees * Math.PI) / 180,
      );
      // The signals fade in and out, since a hard edge rings.
      for (let i = 0; i < 960; i++) {
        sound[i]! *= i / 960;
        sound[sound.length - 1 - i]! *= i / 960;
      }
      const [peak = 0] = truePeaks(measure(48_000, stereo(sound)));
      expect(decibelsOf(peak) - expected).toBeLessThanOrEqual(0.2);
      expect(decibelsOf(peak) - expected).toBeGreaterThanOrEqual(-0.4);
    },
  );

  test.each([0, 0.25, 0.5, 0.75])(
    "a pulse that peaks %d samples after a sample has 0 dBTP",
    (offset) => {
      // As signals 20 to 23: of full scale and limited in its band, moved by quarters of a sample.
      const sound = Float32Array.from({ length: 4800 }, (_, i) => {
        const t = i - 2400 - offset;
        const x = t / 2;
        const pulse = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
        return pulse * Math.exp(-((t / 60) ** 2));
      });
      const [peak = 0] = truePeaks(measure(48_000, stereo(sound)));
      expect(decibelsOf(peak)).toBeLessThanOrEqual(0.2);
      expect(decibelsOf(peak)).toBeGreaterThanOrEqual(-0.4);
    },
  );
});

describe("EBU Tech 3342", () => {
  test.each([
    ["1", 10, [-20, -30]],
    ["2", 5, [-20, -15]],
    ["3", 20, [-40, -20]],
    ["4", 15, [-50, -35, -20, -35, -50]],
  ] as const)("signal %s has a loudness range of %d LU", (_, expected, levels) => {
    const sound = tones(48_000, ...levels.map((db) => [db, 20] as const));
    const { loudness } = measure(48_000, stereo(sound));
    expect(Math.abs(loudness.range! - expected)).toBeLessThanOrEqual(1);
  });
});

describe("the gates", () => {
  test("blocks at the absolute gate do not count, and those above it do", () => {
    const above = measure(48_000, stereo(tones(48_000, [-69.9, 5]))).loudness;
    const below = measure(48_000, stereo(tones(48_000, [-70.1, 5]))).loudness;
    expect(above.integrated).toBeCloseTo(-69.9, 1);
    expect(below.integrated).toBeNull();
    expect(below.threshold).toBeNull();
    expect(below.momentaryMax).toBeCloseTo(-70.1, 1);
  });

  /** A minute of tones at -20 LUFS and one at another level; the gates lie below the mean of both, about -22.8 LUFS. */
  const besides = (db: number) =>
    measure(8_000, stereo(tones(8_000, [-20, 60], [db, 60]))).loudness;

  test("the relative gate of the integrated loudness is 10 LU below the mean, and that of the range 20 LU", () => {
    const [counted, left] = [besides(-32.5), besides(-33.1)];
    expect(counted.integrated).toBeCloseTo(-22.8, 1);
    expect(left.integrated).toBeCloseTo(-20, 1);
    expect([counted.threshold, left.threshold]).toEqual([
      expect.closeTo(-32.8, 1),
      expect.closeTo(-32.8, 1),
    ]);
    expect(besides(-42.6).range).toBeCloseTo(22.6, 1);
    // Blocks that have a part of both minutes remain.
    expect(besides(-43.4).range).toBeLessThan(5);
  });

  test("a whole number of blocks counts: 4 intervals make one, 3 none", () => {
    const at = (frames: number) =>
      measure(48_000, [sine(48_000, 1, 1000, -20).subarray(0, frames)]).loudness;
    expect(at(19_199).integrated).toBeNull();
    expect(at(19_200).integrated).not.toBeNull();
    expect(at(143_999 / 3).shortTermMax).toBeNull();
    const long = (frames: number) =>
      measure(48_000, [sine(48_000, 4, 1000, -20).subarray(0, frames)]).loudness;
    expect(long(143_999).shortTermMax).toBeNull();
    expect(long(143_999).range).toBeNull();
    expect(long(144_000).shortTermMax).not.toBeNull();
    expect(long(144_000).range).toBeCloseTo(0, 6);
  });
});

describe("any shape", () => {
  test.each([8000, 11_025, 22_050, 32_000, 44_100, 96_000, 176_400, 192_000])(
    "a tone at %d Hz has its level",
    (sampleRate) => {
      const { loudness } = measure(sampleRate, [sine(sampleRate, 4, 997, -20)]);
      // Mono counts once: 3.01 dB less than the same in both channels of stereo.
      expect(Math.abs(loudness.integrated! + 23.01)).toBeLessThan(0.06);
    },
  );

  test("the lengths of blocks change nothing", () => {
    const sound = [noise(100_000, 0.5, 3), noise(100_000, 0.3, 4)];
    const readings = [1, 2, 3].map((seed) => measure(48_000, sound, METER_DEFAULTS, seed));
    expect(readings[1]!.channelPeaks).toEqual(readings[0]!.channelPeaks);
    expect(readings[2]!.silence).toEqual(readings[0]!.silence);
    expect(readings[1]!.loudness.integrated).toBeCloseTo(readings[0]!.loudness.integrated!, 9);
  });

  test("digital silence and nothing at all have no levels", () => {
    for (const frames of [0, 5, 200_000]) {
      const reading = measure(48_000, stereo(new Float32Array(frames)));
      expect(reading.loudness).toEqual({
        integrated: null,
        threshold: null,
        range: null,
        momentaryMax: null,
        shortTermMax: null,
      });
      expect(truePeaks(reading)).toEqual([0, 0]);
    }
  });
});

/** The true peak by its definition: every value of every phase, none passed over. */
function slowTruePeak(samples: Float32Array, phases: readonly number[]): number {
  const taps = phases.map((phase) => tapsOf(phase));
  let peak = 0;
  for (let at = -40; at < samples.length + 40; at++) {
    peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    for (const phase of taps) {
      let sum = 0;
      for (let k = -15; k <= 16; k++) {
        sum += phase[k + 15]! * (samples[at + k] ?? 0);
      }
      peak = Math.max(peak, Math.abs(sum));
    }
  }
  return peak;
}

describe("peaks", () => {
  const sounds: readonly (readonly [string, Float32Array])[] = [
    ["white noise", noise(3000, 0.9, 5)],
    ["clipped noise", noise(3000, 3, 6).map((x) => Math.max(-1, Math.min(1, x)))],
    ["a low tone", sine(48_000, 0.1, 440, -1, 0.3)],
    ["a high tone with hard edges", sine(48_000, 0.1, 17_000, -1, 0.3)],
    ["one sample", Float32Array.of(0.7)],
    ["a last sample", joined(new Float32Array(1000), Float32Array.of(-0.7, 0.7))],
    ["a step", joined(new Float32Array(37), new Float32Array(500).fill(0.8))],
    ["quiet, then loud", joined(noise(2000, 0.01, 7), noise(100, 0.9, 8), noise(900, 0.01, 9))],
  ];

  test.each(sounds)("of %s are those of the definition", (_, samples) => {
    for (const [sampleRate, phases] of [
      [48_000, [0.25, 0.5, 0.75]],
      [96_000, [0.5]],
      [192_000, []],
    ] as const) {
      const [peak] = truePeaks(measure(sampleRate, [samples]));
      expect(peak).toBeCloseTo(slowTruePeak(samples, phases), 12);
    }
  });

  test("of sounds that change from one 16 samples to the next are those of the definition", () => {
    // Windows reach into both neighbors: their figures decide whether a window is passed over.
    for (let seed = 1; seed <= 200; seed++) {
      const next = randomNumbers(seed);
      const parts = Array.from({ length: 5 }, () => {
        const level = next() < 0.5 ? 0.9 : 0.3;
        const hertz = next() < 0.5 ? 300 : 23_000 * next();
        const frames = 1 + Math.floor(24 * next());
        return sine(48_000, frames / 48_000, hertz, decibelsOf(level), 6 * next());
      });
      const samples = joined(...parts);
      const [peak] = truePeaks(measure(48_000, [samples]));
      expect(peak, `seed ${seed}`).toBeCloseTo(slowTruePeak(samples, [0.25, 0.5, 0.75]), 12);
    }
  });

  test("near-clipped samples of all channels are counted, the last ones too", () => {
    const limit = amplitudeOf(-0.1);
    const one = Float32Array.from({ length: 1003 }, (_, i) => (i % 100 === 0 ? limit : 0.98));
    const two = new Float32Array(1003);
    two[1002] = -1;
    // The amplitude of the limit itself, as a float above or below it.
    const reached = one[0]! >= limit ? 11 : 0;
    expect(measure(48_000, [one, two]).nearClipped).toBe(reached + 1);
    one.fill(limit * (1 + 1e-6), 0, 7);
    expect(measure(48_000, [one, two]).nearClipped).toBeGreaterThanOrEqual(8);
  });
});

describe("silence", () => {
  const settings = { ...METER_DEFAULTS, minSilenceSeconds: 0.1 };
  const tone = (frames: number) => new Float32Array(frames).fill(0.5);
  const found = (...parts: readonly Float32Array[]) =>
    measure(48_000, [joined(...parts)], settings).silence;

  test("of the shortest duration counts, and one frame less does not", () => {
    for (const before of [1, 15, 16, 17, 1000]) {
      expect(found(tone(before), new Float32Array(4800), tone(77)).segments).toEqual([
        { start: before, end: before + 4800 },
      ]);
      expect(found(tone(before), new Float32Array(4799), tone(77)).count).toBe(0);
    }
  });

  test("at the start and at the end is leading and trailing", () => {
    expect(found(new Float32Array(5000), tone(100), new Float32Array(4801))).toEqual({
      frames: 9801,
      count: 2,
      segments: [
        { start: 0, end: 5000 },
        { start: 5100, end: 9901 },
      ],
      leadingFrames: 5000,
      trailingFrames: 4801,
    });
    expect(found(new Float32Array(5001))).toMatchObject({
      frames: 5001,
      count: 1,
      leadingFrames: 5001,
      trailingFrames: 5001,
    });
    expect(found(new Float32Array(100), tone(50), new Float32Array(100))).toMatchObject({
      leadingFrames: 0,
      trailingFrames: 0,
    });
  });

  test("needs all channels, and a level at the threshold is silent", () => {
    const at = Math.fround(amplitudeOf(-50));
    const quiet = new Float32Array(10_000).fill(at <= amplitudeOf(-50) ? at : at * (1 - 1e-7));
    const other = joined(new Float32Array(3000), tone(7000));
    expect(measure(48_000, [quiet, quiet], settings).silence.frames).toBe(10_000);
    expect(measure(48_000, [quiet, other], settings).silence.frames).toBe(0);
    const above = new Float32Array(10_000).fill(amplitudeOf(-49.99));
    expect(measure(48_000, [above], settings).silence.frames).toBe(0);
  });

  test("only the first 100 segments are listed, and all are counted", () => {
    const part = [new Float32Array(4800), tone(1)];
    const parts = Array.from({ length: 120 }, () => part).flat();
    const { count, segments, frames } = found(...parts);
    expect([count, segments.length, frames]).toEqual([120, 100, 120 * 4800]);
  });
});
