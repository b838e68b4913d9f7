/**
 * The signals of EBU Tech 3341 and 3342 that are programmes, and those that fall between two blocks of the meter, with a
 * second meter of the tests as judge. The EBU's recordings may not be distributed, so the programmes are made here.
 */
import { describe, expect, test } from "vitest";
import { SoundMeter } from "../../../../src/media/dsp/sound-meter.ts";
import { PLAIN_RATE, type PlainReading, plainMeter } from "../../../support/media/plain-meter.ts";
import {
  amplitudeOf,
  blocksOf,
  joined,
  noise,
  silence,
  sine,
} from "../../../support/media/signals.ts";
import { speechAt48 } from "../../../support/media/speech.ts";

function loudnessOf(channels: readonly Float32Array[]): PlainReading {
  const meter = new SoundMeter({ sampleRate: PLAIN_RATE, channels: channels.length });
  for (const block of blocksOf(channels)) {
    meter.add(block);
  }
  const { integrated, range, momentaryMax, shortTermMax } = meter.result().loudness;
  return {
    integrated: integrated!,
    range: range!,
    momentaryMax: momentaryMax!,
    shortTermMax: shortTermMax!,
  };
}

function expectSame(ours: PlainReading, judge: PlainReading): void {
  for (const figure of ["integrated", "range", "momentaryMax", "shortTermMax"] as const) {
    expect(Math.abs(ours[figure] - judge[figure]), figure).toBeLessThanOrEqual(0.001);
  }
}

/** Speech with pauses at several levels, above a bed of noise that is the same in both channels. */
function programme(levels: readonly number[]): readonly Float32Array[] {
  const speech = speechAt48();
  const voice = joined(...levels.map((db) => speech.map((x) => x * amplitudeOf(db))));
  const bed = noise(voice.length, 0.002, 9);
  return [voice.map((x, i) => x + bed[i]!), voice.map((x, i) => 0.8 * x - bed[i]!)];
}

/** Noise whose level falls evenly in dB, so that its range follows from the shares of Tech 3342. */
function fading(range: number, seconds: number): readonly Float32Array[] {
  // Values of 3 s lie between 1.5 s after the start and 1.5 s before the end.
  const fall = range / (0.95 - 0.1) / ((seconds - 3) / seconds);
  const sound = noise(seconds * PLAIN_RATE, 0.3, 11);
  return [sound.map((x, i) => x * amplitudeOf((-fall * i) / sound.length))];
}

/** Noise on each channel, as loud as it is on others, and none alike. */
const channelsOf = (count: number) =>
  Array.from({ length: count }, (_none, channel) =>
    noise(5 * PLAIN_RATE, 0.05 + 0.01 * channel, 20 + channel),
  );

describe("programmes", () => {
  test.each([
    ["7, of a narrow range,", [-6, -6, -6]],
    ["8, of a wide range,", [-2, -20, -8]],
  ])("as signal %s have -23 LUFS where the judge says so", (_name, levels) => {
    const raw = programme(levels);
    const judge = plainMeter(raw);
    const gain = -23 - judge.integrated;
    const ours = loudnessOf(raw.map((samples) => samples.map((x) => x * amplitudeOf(gain))));
    expect(Math.abs(ours.integrated + 23)).toBeLessThanOrEqual(0.1);
    expectSame(ours, {
      integrated: -23,
      range: judge.range,
      momentaryMax: judge.momentaryMax + gain,
      shortTermMax: judge.shortTermMax + gain,
    });
  });

  test.each([
    ["5", 5],
    ["6", 15],
  ])("as signal %s of Tech 3342 have a range of %d LU", (_name, range) => {
    const sound = fading(range, 30);
    const ours = loudnessOf(sound);
    // The tolerance of Tech 3342 is 1 LU.
    expect(Math.abs(ours.range - range)).toBeLessThanOrEqual(0.2);
    expectSame(ours, plainMeter(sound));
  });

  test("of five and six channels are those of the judge", () => {
    const five = [3, 4, 5, 6, 7].map((seed) => noise(5 * PLAIN_RATE, 0.02 * seed, seed));
    expectSame(loudnessOf(five), plainMeter(five));
    const six = five.toSpliced(3, 0, noise(5 * PLAIN_RATE, 0.9, 8));
    expectSame(loudnessOf(six), plainMeter(six));
  });

  test.each([1, 2, 3, 4, 7, 8])("of %d channels are those of the judge", (count) => {
    const channels = channelsOf(count);
    expectSame(loudnessOf(channels), plainMeter(channels));
  });

  test("of seven and eight channels with another weight of any channel are not", () => {
    for (const count of [7, 8]) {
      const channels = channelsOf(count);
      const ours = loudnessOf(channels);
      const weights = [1, 1, 1, 0, 1.41, 1.41, 1.41, 1.41].slice(0, count);
      for (const [channel, weight] of weights.entries()) {
        const planted = weights.with(channel, weight === 1 ? 1.41 : 1);
        const judge = plainMeter(channels, 0.1, planted);
        expect(Math.abs(ours.integrated - judge.integrated), `${channel}`).toBeGreaterThan(0.01);
      }
    }
  });
});

/** A tone of 0.4 s and silence, as a part of 1.4 s in which the tone begins after `place` × 20 ms. */
const burst = (place: number, db: number) => {
  const sound = joined(
    silence(PLAIN_RATE, 0.02 * place),
    sine(PLAIN_RATE, 0.4, 1000, db),
    silence(PLAIN_RATE, 1 - 0.02 * place),
  );
  return [sound, sound];
};

/** The greatest momentary loudness of five meters, of which each begins 20 ms after the one before. */
function momentaryOfFive(sound: readonly Float32Array[]): number {
  const maxima = [0, 1, 2, 3, 4].map((late) => {
    const meter = new SoundMeter({ sampleRate: PLAIN_RATE, channels: sound.length });
    for (const block of blocksOf(sound.map((x) => x.subarray(0.02 * late * PLAIN_RATE)))) {
      meter.add(block);
    }
    return meter.loudness().momentaryMax!;
  });
  return Math.max(...maxima);
}

const PLACES = Array.from({ length: 20 }, (_none, place) => place);
/** In dB, what the best block of 400 ms lacks of the burst, where blocks begin every 100 ms. */
function lackAt(place: number): number {
  const missed = 0.02 * Math.min(place % 5, 5 - (place % 5));
  return -10 * Math.log10((0.4 - missed) / 0.4);
}

describe("a burst of 400 ms at any place", () => {
  test("is that of signals 13 of Tech 3341: blocks that begin every 10 ms find all of it", () => {
    for (const place of PLACES) {
      const { momentaryMax } = plainMeter(burst(place, -23), 0.01);
      expect(Math.abs(momentaryMax + 23), `${place}`).toBeLessThanOrEqual(0.1);
    }
  });

  test("has -23 LUFS at each of the 20 places of signals 13 where blocks begin every 20 ms, as five meters have them", () => {
    for (const place of PLACES) {
      const sound = burst(place, -23);
      expect(Math.abs(momentaryOfFive(sound) + 23), `${place}`).toBeLessThanOrEqual(0.1);
    }
  });

  test("has the maximum of the blocks that begin every 100 ms: every fifth has -23 LUFS, the others up to 0.46 less", () => {
    for (const place of PLACES) {
      const sound = burst(place, -23);
      const meter = new SoundMeter({ sampleRate: PLAIN_RATE, channels: 2 });
      for (const block of blocksOf(sound)) {
        meter.add(block);
      }
      const most = meter.loudness().momentaryMax!;
      expect(Math.abs(most - plainMeter(sound).momentaryMax), `${place}`).toBeLessThanOrEqual(
        0.001,
      );
      expect(Math.abs(most - (-23 - lackAt(place))), `${place}`).toBeLessThanOrEqual(0.1);
    }
    expect(PLACES.filter((place) => lackAt(place) === 0)).toEqual([0, 5, 10, 15]);
    expect(Math.max(...PLACES.map(lackAt))).toBeCloseTo(0.46, 2);
  });

  test("of rising levels, as signal 14, is seen while the sound goes on", () => {
    const meter = new SoundMeter({ sampleRate: PLAIN_RATE, channels: 2 });
    for (const place of PLACES) {
      for (const block of blocksOf(burst(place, -38 + place))) {
        meter.add(block);
      }
      const most = meter.loudness().momentaryMax!;
      expect(Math.abs(most - (-38 + place - lackAt(place))), `${place}`).toBeLessThanOrEqual(0.1);
    }
  });
});
