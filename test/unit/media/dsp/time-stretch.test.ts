import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { extractCodec } from "../../../../scripts/extract-media-codecs.ts";
import { STRETCH_NAMES, TimeStretch } from "../../../../src/media/dsp/time-stretch.ts";
import {
  blocksOf,
  collected,
  decibelsOf,
  noise,
  rmsOf,
  sine,
} from "../../../support/media/signals.ts";
import { speechAt24 } from "../../../support/media/speech.ts";
import { timeStretch } from "../../../support/media/wasm-modules.ts";
import { IS_PROOF } from "../../../support/sizes.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const module = timeStretch();

function stretch(
  sampleRate: number,
  channels: readonly Float32Array[],
  frames: number,
  seed = 1,
): Float32Array[] {
  const stage = new TimeStretch(
    module,
    { sampleRate, channels: channels.length },
    channels[0]!.length,
    frames,
  );
  return collected(
    (function* () {
      for (const block of blocksOf(channels, seed)) {
        yield* stage.add(block);
      }
      yield* stage.end();
    })(),
    channels.length,
  );
}

/** Frequency of a tone by its zero crossings, the edges left out. */
function frequencyOf(samples: Float32Array, sampleRate: number): number {
  const from = Math.floor(samples.length * 0.2);
  const to = Math.floor(samples.length * 0.8);
  const crossings: number[] = [];
  for (let i = from; i < to; i++) {
    const [a, b] = [samples[i]!, samples[i + 1]!];
    if (a < 0 && b >= 0) {
      crossings.push(i + a / (a - b));
    }
  }
  return ((crossings.length - 1) * sampleRate) / (crossings.at(-1)! - crossings[0]!);
}

/** 0.25 to 4 in steps of 0.05. */
const SPEEDS = Array.from({ length: 76 }, (_, i) => Math.round(25 + 5 * i) / 100);
const TRIED = IS_PROOF ? SPEEDS : [0.25, 0.4, 0.5, 0.8, 0.95, 1.05, 1.25, 2, 3, 4];

test("the module is that of the package, and its letters stand for the named functions", async () => {
  expect(readFileSync(join(ROOT, "src/media/codec/time-stretch.wasm"))).toEqual(
    Buffer.from(await extractCodec("time-stretch.wasm")),
  );
  const glue = readFileSync(
    join(ROOT, "node_modules/signalsmith-stretch/SignalsmithStretch.mjs"),
    "utf8",
  );
  for (const [letter, name] of Object.entries(STRETCH_NAMES)) {
    expect(glue).toContain(
      `_${name}"]=wasmExports["${letter}"]`.replace('___wasm_call_ctors"]', "___wasm_call_ctors"),
    );
  }
});

describe("a stretched tone", () => {
  test.each(TRIED)("at speed %d has its length to the sample, its pitch and its level", (speed) => {
    const sampleRate = 44_100;
    const tone = sine(sampleRate, 3, 440, -12);
    const frames = Math.round((tone.length / speed / sampleRate) * sampleRate);
    const [output = new Float32Array()] = stretch(sampleRate, [tone], frames);
    expect(output.length).toBe(frames);
    expect(Math.abs(frequencyOf(output, sampleRate) / 440 - 1)).toBeLessThan(0.005);
    expect(Math.abs(decibelsOf(rmsOf(output) / rmsOf(tone)))).toBeLessThan(1);
  });
});

test("speech keeps its level at every speed", () => {
  const speech = speechAt24();
  for (const speed of TRIED) {
    const frames = Math.round(speech.length / speed);
    const [output = new Float32Array()] = stretch(24_000, [speech], frames);
    expect(output.length).toBe(frames);
    expect(Math.abs(decibelsOf(rmsOf(output) / rmsOf(speech))), `speed ${speed}`).toBeLessThan(1);
  }
});

test("a moment of the input is where it belongs in the output", () => {
  const sampleRate = 48_000;
  for (const speed of [0.5, 0.8, 1.25, 2]) {
    const input = new Float32Array(4 * sampleRate);
    // A burst of 100 ms in the middle.
    input.set(noise(4800, 0.5, 3), 2 * sampleRate);
    const frames = Math.round(input.length / speed);
    const [output = new Float32Array()] = stretch(sampleRate, [input], frames);
    let weight = 0;
    let center = 0;
    for (const [i, sample] of output.entries()) {
      weight += sample * sample;
      center += i * sample * sample;
    }
    const expected = (2 * sampleRate + 2400) / speed;
    expect(Math.abs(center / weight - expected) / sampleRate, `speed ${speed}`).toBeLessThan(0.03);
  }
});

test("the lengths of blocks change nothing, and neither does another instance", () => {
  const sound = [noise(60_000, 0.3, 1), sine(48_000, 1.25, 300, -10)];
  const [first, second] = [1, 2].map((seed) => stretch(48_000, sound, 150_000, seed));
  expect(second).toEqual(first);
  expect(first![0]!.length).toBe(150_000);
});

test.each([
  [8000, 1],
  [192_000, 2],
  [48_000, 8],
])("the instance has bounded memory at %d Hz with %d channels", (sampleRate, channels) => {
  const stage = new TimeStretch(module, { sampleRate, channels }, 1000, 1500);
  expect(stage.memoryBytes).toBeLessThan(24 * 1024 * 1024);
  const sound = Array.from({ length: channels }, () => noise(1000, 0.1, 1));
  expect(stretch(sampleRate, sound, 1500)[0]!.length).toBe(1500);
});

test("a sound of one frame becomes as long as it must", () => {
  expect(stretch(48_000, [Float32Array.of(0.5)], 4)[0]!.length).toBe(4);
});
