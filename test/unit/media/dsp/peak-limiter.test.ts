import { expect, test } from "vitest";
import { PeakLimiter } from "../../../../src/media/dsp/peak-limiter.ts";
import { SoundMeter } from "../../../../src/media/dsp/sound-meter.ts";
import {
  amplitudeOf,
  decibelsOf,
  joined,
  noise,
  processed,
  randomNumbers,
  sine,
} from "../../../support/media/signals.ts";

function truePeakDbOf(sampleRate: number, channels: readonly Float32Array[]): number {
  const meter = new SoundMeter({ sampleRate, channels: channels.length });
  for (let at = 0; at < channels[0]!.length; at += 8192) {
    meter.add(channels.map((samples) => samples.subarray(at, at + 8192)));
  }
  const { channelPeaks } = meter.result();
  return decibelsOf(Math.max(...channelPeaks.map(({ truePeak }) => truePeak)));
}

/** Noise whose level jumps at random, with clicks and tones near a quarter of the rate. */
function harsh(sampleRate: number, seed: number): Float32Array {
  const next = randomNumbers(seed);
  const parts = Array.from({ length: 12 }, (_, i) => {
    const frames = 50 + Math.floor(next() * 0.08 * sampleRate);
    const level = 4 * next() ** 2;
    if (i % 3 === 0) {
      return sine(
        sampleRate,
        frames / sampleRate,
        sampleRate * (0.01 + 0.48 * next()),
        decibelsOf(level + 0.01),
        1,
      );
    }
    return i % 3 === 1 ? noise(frames, level, seed * 100 + i) : new Float32Array(frames);
  });
  const sound = joined(...parts);
  for (let i = 0; i < 5; i++) {
    sound[Math.floor(next() * sound.length)] = next() > 0.5 ? 3 : -3;
  }
  return sound;
}

test.each([8000, 16_000, 44_100, 48_000, 96_000, 192_000])(
  "harsh sounds at %d Hz keep the ceiling and their length",
  (sampleRate) => {
    for (let seed = 1; seed <= 6; seed++) {
      for (const ceilingDb of [-9, -1, 0]) {
        const left = harsh(sampleRate, seed);
        const right = harsh(sampleRate, seed + 50);
        const frames = Math.min(left.length, right.length);
        const sound = [left.subarray(0, frames), right.subarray(0, frames)];
        const limiter = new PeakLimiter({ sampleRate, channels: 2 }, ceilingDb);
        const limited = processed(limiter, sound, seed);
        expect(limited[0]!.length).toBe(frames);
        expect(truePeakDbOf(sampleRate, limited)).toBeLessThanOrEqual(ceilingDb + 0.01);
        expect(limiter.maxReductionDb).toBeGreaterThan(3);
      }
    }
  },
);

test("a sound below the ceiling keeps every bit", () => {
  const sound = [noise(30_000, 0.2, 1), sine(48_000, 0.625, 997, -12)];
  const limiter = new PeakLimiter({ sampleRate: 48_000, channels: 2 }, -1);
  expect(processed(limiter, sound)).toEqual(sound);
  expect(limiter.maxReductionDb).toBe(0);
});

test("a peak turns all channels down alike, from 5 ms before it, and they return in time", () => {
  const left = new Float32Array(48_000).fill(0.1);
  left[24_000] = 1;
  const right = new Float32Array(48_000).fill(0.0625);
  const limiter = new PeakLimiter({ sampleRate: 48_000, channels: 2 }, decibelsOf(0.5));
  const [a, b] = processed(limiter, [left, right]);
  const gainAt = (i: number) => b![i]! / 0.0625;
  expect(gainAt(24_000)).toBeLessThanOrEqual(0.5 + 1e-6);
  expect(gainAt(24_000)).toBeGreaterThan(0.45);
  expect(a![23_990]! / 0.1).toBeCloseTo(gainAt(23_990), 5);
  // The second pass begins at most as early again as the first.
  expect(gainAt(24_000 - 2 * 240 - 40)).toBeCloseTo(1, 6);
  expect(gainAt(24_000 - 180)).toBeLessThan(1);
  // After 50 ms a third of the reduction is left, after a second none.
  expect(1 - gainAt(24_000 + 2400 + 120)).toBeCloseTo(0.5 / Math.E, 1);
  expect(gainAt(47_999)).toBeCloseTo(1, 4);
});

test("a peak at the very start and at the very end is held", () => {
  for (const at of [0, 1, 4799]) {
    const sound = new Float32Array(4800).fill(0.01);
    sound[at] = 2;
    const limited = processed(new PeakLimiter({ sampleRate: 48_000, channels: 1 }, -1), [sound]);
    expect(Math.abs(limited[0]![at]!)).toBeLessThanOrEqual(amplitudeOf(-1) + 1e-6);
    expect(truePeakDbOf(48_000, limited)).toBeLessThanOrEqual(-0.99);
    expect(limited[0]!.length).toBe(4800);
  }
});
