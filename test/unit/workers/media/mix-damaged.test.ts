/** `audio/mix` with sounds that are damaged, for each length that the sum can have. */
import { scheduler } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AudioProcessingReport } from "../../../../src/contracts/media/audio-reports.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import { NodeInputs } from "../../../../src/nodes/define-ports.ts";
import { audioMix } from "../../../../src/nodes/audio/mix.ts";
import { resultContext } from "../../../support/results/result-context.ts";
import { wavFile } from "../../../support/media/wav-file.ts";

const RATE = 8_000;
const SECOND = RATE;
const LONG = 20 * SECOND;

beforeAll(() => {
  // The tools give their turn away with it, as in Workers; Node has it in a module.
  vi.stubGlobal("scheduler", scheduler);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

/** A sound of 0.25 with damaged frames in some places. */
function sound(frames: number, ...damaged: readonly (readonly [from: number, to: number])[]) {
  const samples = new Float32Array(frames).fill(0.25);
  for (const [from, to] of damaged) {
    samples.fill(Number.NaN, from, to);
  }
  return wavFile({
    samples: new Uint8Array(samples.buffer),
    tag: 3,
    bits: 32,
    channels: 1,
    rate: RATE,
  });
}

/** The samples of the mix, or the code of its failure and the files that it leaves. */
async function mix(length: "longest" | "shortest" | "first", ...tracks: readonly Uint8Array[]) {
  const made = resultContext();
  const files = tracks.map((bytes, i) => made.add(`${i}.wav`, "audio/wav", bytes));
  const inputs = new NodeInputs(new Map([["tracks", files]]));
  const params = audioMix.params.parse({ length, bit_depth: 32 });
  try {
    const outputs = await audioMix.run(made.context, inputs, params);
    const report = AudioProcessingReport.parse(outputs.get("processing_report"));
    const bytes = made.bytesOf(outputs.get("audio") as (typeof files)[0]);
    const samples = new Float32Array(bytes.slice(-4 * report.output.samples).buffer);
    return { frames: samples.length, at: (frame: number) => samples[frame] };
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code;
    }
    throw error;
  }
}

const GOOD = sound(2 * SECOND);
const UNREADABLE = "MEDIA_UNREADABLE";

describe("a mix with a sound of which more than 1 % is damaged", () => {
  const atStart = sound(LONG, [0, 0.5 * SECOND]);

  it.each(["longest", "shortest", "first"] as const)(
    "fails where the damage is among what is read (%s)",
    async (length) => {
      expect(await mix(length, atStart, GOOD)).toBe(UNREADABLE);
      expect(await mix(length, GOOD, atStart)).toBe(UNREADABLE);
    },
  );

  it("does not see damage behind the last frame that it needs, and sees it where it needs all", async () => {
    const atEnd = sound(LONG, [LONG - 0.5 * SECOND, LONG]);
    expect(await mix("shortest", atEnd, GOOD)).toMatchObject({ frames: 2 * SECOND });
    expect(await mix("first", GOOD, atEnd)).toMatchObject({ frames: 2 * SECOND });
    expect(await mix("first", atEnd, GOOD)).toBe(UNREADABLE);
    expect(await mix("longest", GOOD, atEnd)).toBe(UNREADABLE);
  });
});

describe("a mix with a sound of which less is damaged", () => {
  it.each([
    ["longest", LONG],
    ["shortest", 2 * SECOND],
    ["first", LONG],
  ] as const)(
    "has silence of its length there, of the share of the whole (%s)",
    async (length, frames) => {
      // 0.05 s are 2.5 % of the two seconds that the shortest length reads, and 0.25 % of the sound.
      const made = await mix(length, sound(LONG, [100, 100 + 0.05 * SECOND]), GOOD);
      expect(made).toMatchObject({ frames });
      const at = (frame: number) => (typeof made === "string" ? made : made.at(frame));
      expect([99, 100, 499, 500].map(at)).toEqual([0.5, 0.25, 0.25, 0.5]);
      expect(at(2 * SECOND - 1)).toBe(0.5);
      expect(at(2 * SECOND)).toBe(frames > 2 * SECOND ? 0.25 : undefined);
    },
  );
});

it("a damaged sound that is shorter than the others decides the length all the same", async () => {
  const damaged = sound(SECOND, [200, 260]);
  expect(await mix("shortest", GOOD, damaged)).toMatchObject({ frames: SECOND });
  expect(await mix("first", damaged, GOOD)).toMatchObject({ frames: SECOND });
});
