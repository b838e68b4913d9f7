import { describe, expect, test } from "vitest";
import { AudioTimeline } from "../../../../src/contracts/media/audio-timeline.ts";
import { QualityCheck } from "../../../../src/contracts/quality-check.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import {
  buildTimeline,
  checkTimeline,
  type CueRules,
  orderCues,
  placeCues,
  type PlacementRules,
  type TimelineElement,
} from "../../../../src/media/timeline/place-cues.ts";
import { sumTimeline } from "../../../../src/media/timeline/sum-timeline.ts";
import { blocksOf, joined, noise, randomNumbers } from "../../../support/media/signals.ts";
import { ofContract } from "../../../support/results/contract-faults.ts";

const RATE = 8000;
const RULES: CueRules & PlacementRules = {
  sampleRate: RATE,
  overlapPolicy: "mix",
  missingCuePolicy: "warn",
  fadeMs: 5,
  durationSeconds: null,
};

const element = (
  index: number,
  start: number | null,
  end: number | null,
  changed: Partial<TimelineElement> = {},
): TimelineElement => ({
  index,
  cueId: `c${index}`,
  speaker: null,
  start,
  end,
  hasClip: true,
  ...changed,
});

function place(
  elements: readonly TimelineElement[],
  lengths: readonly number[],
  changed: Partial<CueRules & PlacementRules> = {},
) {
  const rules = { ...RULES, ...changed };
  return placeCues(orderCues(elements, rules), (index) => lengths[index]!, rules);
}

function failureOf(work: () => unknown): readonly [string, string] {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(NodeError);
    return [(error as NodeError).code, (error as NodeError).message];
  }
  return ["none", ""];
}

async function render(
  placed: ReturnType<typeof place>,
  clips: readonly (readonly Float32Array[])[],
  channels: number,
) {
  const open = new Set<number>();
  let mostOpen = 0;
  const parts: Float32Array[][] = Array.from({ length: channels }, () => []);
  const blocks = sumTimeline(placed, channels, async function* (index) {
    open.add(index);
    mostOpen = Math.max(mostOpen, open.size);
    try {
      yield* blocksOf(clips[index]!, index + 1);
    } finally {
      open.delete(index);
    }
  });
  for await (const block of blocks) {
    for (const [channel, samples] of block.entries()) {
      parts[channel]!.push(samples.slice());
    }
  }
  expect(open.size).toBe(0);
  return { output: parts.map((part) => joined(...part)), mostOpen };
}

describe("random timelines", () => {
  const seeds = Array.from({ length: 200 }, (_, i) => i + 1);

  /** A timeline by its definition: whole sounds, one sample at a time. */
  function reference(
    elements: readonly TimelineElement[],
    clips: readonly Float32Array[],
    policy: string,
    duration: number | null,
  ): Float32Array {
    const starts = elements.map(({ start }) => Math.round(start! * RATE));
    const order = elements.map((_, i) => i).filter((i) => elements[i]!.hasClip);
    order.sort((a, b) => elements[a]!.start! - elements[b]!.start! || a - b);
    const ends = clips.map((clip, i) => starts[i]! + (elements[i]!.hasClip ? clip.length : 0));
    const trims = order.map((i, k) =>
      Math.min(ends[i]!, policy === "mix" ? Infinity : (starts[order[k + 1]!] ?? Infinity)),
    );
    const last = Math.max(...elements.map(({ end }) => Math.round(end! * RATE)), ...trims, 0);
    const sum = new Float64Array(duration === null ? last : Math.round(duration * RATE));
    for (const [k, i] of order.entries()) {
      const [from, to] = [starts[i]!, Math.min(trims[k]!, sum.length)];
      const fade = trims[k]! < ends[i]! && trims[k]! <= sum.length ? Math.min(40, to - from) : 0;
      for (let n = from; n < to; n++) {
        sum[n]! += clips[i]![n - from]! * (to - n > fade ? 1 : (to - n) / fade);
      }
    }
    return Float32Array.from(sum);
  }

  test.each(seeds)("of seed %d are those of the reference, sample by sample", async (seed) => {
    const next = randomNumbers(seed);
    const count = Math.floor(next() * 12);
    const policy = seed % 2 === 0 ? "mix" : "trim_previous";
    const duration = count === 0 || next() < 0.3 ? 2.5 : null;
    const elements = Array.from({ length: count }, (_, index) => {
      const start = next() < 0.2 ? 1 : Math.round(next() * 2e6) / 1e6;
      return element(index, start, start + 0.01 + next(), { hasClip: next() > 0.15 });
    });
    const clips = elements.map((_, i) => noise(1 + Math.floor(next() * 9000), 0.5, seed * 50 + i));
    const placed = place(
      elements,
      clips.map(({ length }) => length),
      {
        overlapPolicy: policy,
        durationSeconds: duration,
      },
    );
    const { output } = await render(
      placed,
      clips.map((clip) => [clip]),
      1,
    );
    const expected = reference(elements, clips, policy, duration);
    expect(output[0]!.length).toBe(expected.length);
    const wrong = expected.findIndex((sample, i) => sample !== output[0]![i]);
    expect([wrong, expected[wrong], output[0]![wrong]]).toEqual([-1, undefined, undefined]);

    // Gaps are exactly the runs in which no clip plays.
    const covered = new Uint8Array(placed.frames);
    for (const { startFrame, frames } of placed.cues) {
      covered.fill(1, startFrame, startFrame + frames);
    }
    for (const { start, end } of placed.gaps) {
      expect(covered.subarray(start, end).includes(1)).toBe(false);
      covered.fill(2, start, end);
    }
    expect(covered.includes(0)).toBe(false);
    ofContract(
      "svc.audio-timeline/v1",
      buildTimeline(placed, {
        ...RULES,
        overlapPolicy: policy,
        channels: 1,
        durationSource: duration === null ? "content" : "saved",
        skippedItems: 0,
        overloadGainDb: 0,
      }),
    );
  });
});

test("cues are placed by their start, equal ones by their index, and described in the manifest", () => {
  const elements = [
    element(0, 1.5, 3, { cueId: "late", speaker: "Ann" }),
    element(1, 0.25, 1, { cueId: "b" }),
    element(2, 0.25, 1, { cueId: "missing", hasClip: false }),
  ];
  const placed = place(elements, [4000, 4000, 0]);
  const settings = {
    ...RULES,
    channels: 2,
    durationSource: "content",
    skippedItems: 1,
    overloadGainDb: -1.5,
  } as const;
  expect(
    AudioTimeline.parse(ofContract("svc.audio-timeline/v1", buildTimeline(placed, settings))),
  ).toEqual({
    schema: "svc.audio-timeline/v1",
    duration_seconds: 3,
    samples: 24_000,
    sample_rate: RATE,
    channels: 2,
    duration_source: "content",
    overlap_policy: "mix",
    missing_cue_policy: "warn",
    skipped_items: 1,
    overload_gain_db: -1.5,
    cues: [
      {
        index: 1,
        cue_id: "b",
        speaker: null,
        start_seconds: 0.25,
        end_seconds: 1,
        start_sample: 2000,
        samples: 4000,
        source_samples: 4000,
        state: "placed",
        overlaps: [],
      },
      {
        index: 2,
        cue_id: "missing",
        speaker: null,
        start_seconds: 0.25,
        end_seconds: 1,
        start_sample: 2000,
        samples: 0,
        source_samples: 0,
        state: "missing",
        overlaps: [],
      },
      {
        index: 0,
        cue_id: "late",
        speaker: "Ann",
        start_seconds: 1.5,
        end_seconds: 3,
        start_sample: 12_000,
        samples: 4000,
        source_samples: 4000,
        state: "placed",
        overlaps: [],
      },
    ],
    gaps: [
      { start_sample: 0, end_sample: 2000 },
      { start_sample: 6000, end_sample: 12_000 },
      { start_sample: 16_000, end_sample: 24_000 },
    ],
  });
});

test("overlaps fail, are summed or end the clips that play, and touching clips do not overlap", () => {
  const elements = [element(0, 0, 2), element(1, 1, 2), element(2, 1.5, 3)];
  const lengths = [16_000, 12_000, 8000];
  const [code, message] = failureOf(() => place(elements, lengths, { overlapPolicy: "fail" }));
  expect(code).toBe("TIMELINE_OVERLAP");
  expect(message).toContain('"c1"');
  expect(message).toContain('"c0"');
  const mixed = place(elements, lengths);
  expect(mixed.cues.map(({ overlaps }) => overlaps)).toEqual([
    ["c1", "c2"],
    ["c0", "c2"],
    ["c0", "c1"],
  ]);
  expect(mixed.cues.map(({ state }) => state)).toEqual(["placed", "placed", "placed"]);
  const trimmed = place(elements, lengths, { overlapPolicy: "trim_previous" });
  expect(trimmed.cues.map(({ frames, state, fadeFrames }) => [frames, state, fadeFrames])).toEqual([
    [8000, "trimmed", 40],
    [4000, "trimmed", 40],
    [8000, "placed", 0],
  ]);
  const touching = place([element(0, 0, 1), element(1, 1, 2)], [8000, 8000], {
    overlapPolicy: "fail",
  });
  expect(touching.cues.map(({ overlaps }) => overlaps)).toEqual([[], []]);
  expect(
    failureOf(() =>
      place([element(0, 0, 1), element(1, 1, 2)], [8001, 1], { overlapPolicy: "fail" }),
    )[0],
  ).toBe("TIMELINE_OVERLAP");
});

test("what runs past a given duration is cut, and the checks count it", () => {
  const elements = [element(0, 0, 0.5), element(1, 1, 2), element(2, 1.5, 1.6, { hasClip: false })];
  const placed = place(elements, [8000, 9000, 0], { durationSeconds: 2 });
  expect(placed.frames).toBe(16_000);
  expect(placed.cues.map(({ state, frames }) => [state, frames])).toEqual([
    ["placed", 8000],
    ["truncated", 8000],
    ["missing", 0],
  ]);
  const check = QualityCheck.parse(checkTimeline(placed, RATE));
  expect(check.checks.map(({ id, measured, severity }) => [id, measured, severity])).toEqual([
    ["missing_cues", 1, "warning"],
    ["overlaps", 0, "warning"],
    ["truncated", 1, "warning"],
    ["overrun", 2, "warning"],
  ]);
  expect(check.passed).toBe(true);
});

describe("elements that are not cues", () => {
  test.each([
    ["no id", element(0, 0, 1, { cueId: null })],
    ["an empty id", element(0, 0, 1, { cueId: "" })],
    ["no start", element(0, null, 1)],
    ["no end", element(0, 0, null)],
    ["a negative start", element(0, -0.001, 1)],
    ["an end at the start", element(0, 1, 1)],
    ["an infinite end", element(0, 1, Number.POSITIVE_INFINITY)],
    ["a start that is not a number", element(0, Number.NaN, 1)],
    ["a start at the given duration", element(0, 5, 6)],
  ])("%s fails", (_, wrong) => {
    const rules = { ...RULES, durationSeconds: 5 };
    expect(failureOf(() => orderCues([element(1, 0, 1), wrong], rules))[0]).toBe(
      "TIMELINE_CUE_INVALID",
    );
  });

  test("two equal ids fail, and so does a missing clip if it must", () => {
    const twice = [element(0, 0, 1, { cueId: "x" }), element(1, 2, 3, { cueId: "x" })];
    const [code, message] = failureOf(() => orderCues(twice, RULES));
    expect([code, message.includes('"x"')]).toEqual(["TIMELINE_CUE_DUPLICATE", true]);
    const missing = [element(0, 0, 1, { hasClip: false })];
    expect(failureOf(() => orderCues(missing, { ...RULES, missingCuePolicy: "fail" }))[0]).toBe(
      "TIMELINE_CUE_MISSING",
    );
    expect(orderCues(missing, RULES)).toHaveLength(1);
  });

  test("no element is silence of the given duration, or nothing", async () => {
    expect(failureOf(() => orderCues([], RULES))[0]).toBe("MEDIA_EMPTY");
    const placed = place([], [], { durationSeconds: 1.5 });
    expect(placed).toEqual({ frames: 12_000, cues: [], gaps: [{ start: 0, end: 12_000 }] });
    const { output } = await render(placed, [], 2);
    expect(output).toEqual([new Float32Array(12_000), new Float32Array(12_000)]);
  });
});

test("2,000 clips at one time are placed, and the manifest names 100 of those that overlap", async () => {
  const lengths = Array.from({ length: 2000 }, () => 10);
  const at = (idOf: (i: number) => string) =>
    lengths.map((_, i) => element(i, 1, 2, { cueId: idOf(i) }));
  const placed = place(
    at((i) => `c${i}`),
    lengths,
  );
  expect(placed.cues.map(({ overlaps }) => overlaps.length)).toEqual(lengths.map(() => 100));
  expect(placed.cues.at(-1)?.overlaps[99]).toBe("c99");
  const { output } = await render(
    placed,
    lengths.map(() => [new Float32Array(10).fill(0.25)]),
    1,
  );
  expect(output[0]!.subarray(7999, 8011)).toEqual(
    Float32Array.from([0, ...Array.from({ length: 10 }, () => 500), 0]),
  );
  const [code] = failureOf(() =>
    place(
      at((i) => `${i} `.repeat(100)),
      lengths,
    ),
  );
  expect(code).toBe("VALUE_TOO_LARGE");
});

test("a timeline has a duration above 0 and of an hour at most, and a sample at least", () => {
  const one = [element(0, 0, 1)];
  const codes = [0, -1, Number.NaN, 3601, Number.POSITIVE_INFINITY].map(
    (durationSeconds) => failureOf(() => orderCues(one, { ...RULES, durationSeconds }))[0],
  );
  expect(codes).toEqual([
    "TIMELINE_CUE_INVALID",
    "TIMELINE_CUE_INVALID",
    "TIMELINE_CUE_INVALID",
    "MEDIA_TOO_LONG",
    "MEDIA_TOO_LONG",
  ]);
  expect(failureOf(() => place([element(0, 0, 3601)], [1]))[0]).toBe("MEDIA_TOO_LONG");
  expect(failureOf(() => place([element(0, 1e300, 2e300)], [1]))[0]).toBe("MEDIA_TOO_LONG");
  expect(failureOf(() => place([element(0, 0, 1e-9, { hasClip: false })], [0]))[0]).toBe(
    "MEDIA_EMPTY",
  );
});

test("2,000 clips one after another are open one at a time", async () => {
  const elements = Array.from({ length: 2000 }, (_, i) => element(i, i / 100, (i + 1) / 100));
  const clips = elements.map((_, i) => [noise(80, 0.5, i + 1)]);
  const placed = place(
    elements,
    elements.map(() => 80),
    { overlapPolicy: "fail" },
  );
  const { output, mostOpen } = await render(placed, clips, 1);
  expect(mostOpen).toBeLessThanOrEqual(2);
  expect(output[0]).toEqual(joined(...clips.map(([clip]) => clip!)));
});

test("a clip that ends before its announced length is followed by silence, and a longer one is cut", async () => {
  const placed = place([element(0, 0, 1), element(1, 1, 2)], [8000, 8000]);
  const clips = [[noise(5000, 0.5, 1)], [noise(9000, 0.5, 2)]];
  const { output } = await render(placed, clips, 1);
  expect(output[0]!.subarray(0, 5000)).toEqual(clips[0]![0]);
  expect(output[0]!.subarray(5000, 8000).every((x) => x === 0)).toBe(true);
  expect(output[0]!.subarray(8000)).toEqual(clips[1]![0]!.subarray(0, 8000));
});
