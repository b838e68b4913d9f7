/** Timelines in real runs: their samples are those of a reference, and every code is met. */
import { beforeAll, describe, expect, test } from "vitest";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { AudioTimeline } from "../../src/contracts/media/audio-timeline.ts";
import { wavHeader } from "../../src/providers/sample/sound/wav-writer.ts";
import { toneFile } from "../support/media/tone-file.ts";
import {
  contractProblems,
  type MediaRun,
  node,
  publishDefinition,
  runPublished,
  wire,
} from "../support/node/run-definition.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { describeOfOneSize, testOfOneSize as it } from "../support/in-proof.ts";
import { sizeOf } from "../support/sizes.ts";

const RATE = 48_000;

let service: SharedService;
const uploaded = new Map<string, string>();

/** The samples of the clips in 16 bits, by name: different numbers, so that each place shows. */
const CLIPS: ReadonlyMap<string, Int16Array> = new Map(
  [12_000, 4_801, 24_000, 7].map((frames, i) => [
    `clip${i}.wav`,
    Int16Array.from(
      { length: frames },
      (_none, n) => ((n * (7 + 4 * i) + 31 * i) % 16_000) - 8_000,
    ),
  ]),
);

beforeAll(async () => {
  service = await sharedService();
  const wavs = [...CLIPS].map(
    ([name, samples]) =>
      [
        name,
        Buffer.concat([
          wavHeader("pcm16", RATE, 1, samples.length),
          new Uint8Array(samples.buffer),
        ]),
      ] as const,
  );
  const files = new Map<string, Uint8Array>([
    ...wavs,
    ["stereo.wav", toneFile(44_100, 2, 44_100, 0.9)],
    ["slow.wav", toneFile(22_050, 1, 22_050, 0.9)],
    ["broken.wav", wavHeader("pcm16", RATE, 0, 100)],
  ]);
  for (const [name, bytes] of files) {
    uploaded.set(name, await uploadAsset(service.client, name, bytes));
  }
});

interface Row {
  readonly id?: string | number | null;
  readonly start?: number | null;
  /** 0 makes the column fail there. */
  readonly end?: number | null;
  readonly speaker?: string;
  /** Name of a file; null: no clip; one that is unknown makes the column fail there. */
  readonly clip?: string | null;
}

const COLUMNS = [
  ["id", "text"],
  ["start", "number"],
  ["end", "number"],
  ["speaker", "text"],
  ["clip", "url"],
] as const;

/** Rows with the file, the id and the times of a cue in each. */
function definition(parameters: object, hasDuration: boolean, hasNumbers: boolean) {
  return {
    nodes: [
      node("rows", "input/json", {
        jsonConfig: {
          properties: COLUMNS.map(([path, type]) => ({
            path,
            outputPort: path,
            outputType: path === "id" && hasNumbers ? "number" : type,
          })),
        },
      }),
      ...(hasDuration ? [node("duration", "input/number", { required: false })] : []),
      node("clip", "utility/media_from_url", { media_type: "audio" }),
      node("end", "utility/calculate", { expression: "x / (x / x)" }),
      node("line", "aggregate/audio_timeline", parameters),
      node("audio", "output/audio", { key: "audio" }),
      node("timeline", "output/json", { key: "timeline" }),
      node("check", "output/json", { key: "check" }),
    ],
    connections: [
      wire("rows.clip", "clip.url"),
      wire("rows.end", "end.x"),
      wire("clip.media", "line.clips"),
      wire("rows.id", "line.cue_id"),
      wire("rows.start", "line.start"),
      wire("end.result", "line.end"),
      wire("rows.speaker", "line.speaker"),
      ...(hasDuration ? [wire("duration.number", "line.timeline_duration")] : []),
      wire("line.audio", "audio.audio"),
      wire("line.timeline_manifest", "timeline.json"),
      wire("line.quality_check", "check.json"),
    ],
  };
}

const published = new Map<string, Promise<string>>();

/** Runs a timeline; definitions with the same parameters are published once. */
async function run(
  rows: readonly Row[],
  parameters: object = {},
  duration?: string | null,
): Promise<MediaRun> {
  const hasNumbers = rows.length > 0 && rows.every(({ id }) => typeof id === "number");
  const key = JSON.stringify([parameters, duration !== undefined, hasNumbers]);
  const workflow =
    published.get(key) ??
    publishDefinition(service, definition(parameters, duration !== undefined, hasNumbers));
  published.set(key, workflow);
  const value = rows.map(({ clip, ...row }) => ({
    ...row,
    clip: clip === null || clip === undefined ? null : `storage://${uploaded.get(clip) ?? clip}`,
  }));
  return await runPublished(service, await workflow, {
    rows: { value: JSON.stringify(value) },
    ...(typeof duration === "string" && { duration: { value: duration } }),
  });
}

const timelineOf = (made: MediaRun) => made.document("timeline") as unknown as AudioTimeline;

/** Samples of a WAV of 16 bits and one channel. */
async function samplesOf(made: MediaRun): Promise<Int16Array> {
  const { name, bytes } = await made.file("audio");
  expect(name).toBe("audio.wav");
  return new Int16Array(Uint8Array.from(bytes.subarray(44)).buffer);
}

const failureOf = async (...given: Parameters<typeof run>) => {
  const { execution } = await run(...given);
  expect(execution.status).toBe("failed");
  return [execution.error_code, execution.error_node_id, execution.error_message] as const;
};

/** The timeline by its definition, in integers, which a WAV of 16 bits keeps as they are. */
function reference(rows: readonly Row[], frames: number, isTrimmed: boolean): Int16Array {
  const placed = rows
    .map(({ start, clip }, i) => ({
      i,
      at: Math.round(Number(start) * RATE),
      clip: CLIPS.get(clip!)!,
    }))
    .toSorted((a, b) => a.at - b.at || a.i - b.i);
  const sum = new Float64Array(frames);
  for (const [k, { at, clip }] of placed.entries()) {
    const next = isTrimmed ? (placed[k + 1]?.at ?? Infinity) : Infinity;
    const to = Math.min(at + clip.length, next, frames);
    const fade = next < at + clip.length ? Math.min(240, to - at) : 0;
    for (let n = at; n < to; n++) {
      sum[n]! += clip[n - at]! * (to - n <= fade ? (to - n) / fade : 1);
    }
  }
  return Int16Array.from(sum, (value) => roundToEven(value));
}

function roundToEven(value: number): number {
  const down = Math.floor(value);
  const isHalf = value - down === 0.5;
  return isHalf ? down + Math.abs(down % 2) : Math.round(value);
}

/** Numbers from 0 to 1 that follow from a seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

const row = (id: string, start: number, end: number, clip: string | null = "clip0.wav"): Row => ({
  id,
  start,
  end,
  clip,
});

describe("aggregate/audio_timeline", () => {
  it("places clips to the sample, in the order of their starts, and the same inputs give the same bytes", async () => {
    const rows: Row[] = [
      { ...row("late", 1.25, 2, "clip1.wav"), speaker: "Ann" },
      row("early", 0.100_01, 0.5, "clip0.wav"),
      row("short", 0.4, 0.9, "clip3.wav"),
    ];
    const made = await run(rows);
    expect(made.execution).toMatchObject({ status: "completed", credits_used: 0.01 });
    const timeline = timelineOf(made);
    expect(await contractProblems(service, "svc.audio-timeline/v1", timeline as never)).toEqual([]);
    expect(await contractProblems(service, "svc.quality-check/v1", made.document("check"))).toEqual(
      [],
    );
    expect(timeline).toMatchObject({
      duration_seconds: 2,
      samples: 96_000,
      sample_rate: RATE,
      channels: 1,
      duration_source: "content",
      overlap_policy: "fail",
      missing_cue_policy: "fail",
      skipped_items: 0,
      overload_gain_db: 0,
    });
    expect(
      timeline.cues.map((cue) => [
        cue.index,
        cue.cue_id,
        cue.start_sample,
        cue.samples,
        cue.speaker,
      ]),
    ).toEqual([
      [1, "early", 4800, 12_000, null],
      [2, "short", 19_200, 7, null],
      [0, "late", 60_000, 4801, "Ann"],
    ]);
    expect(timeline.gaps).toEqual([
      { start_sample: 0, end_sample: 4800 },
      { start_sample: 16_800, end_sample: 19_200 },
      { start_sample: 19_207, end_sample: 60_000 },
      { start_sample: 64_801, end_sample: 96_000 },
    ]);
    expect(await samplesOf(made)).toEqual(reference(rows, 96_000, false));
    const again = await run(rows);
    expect(JSON.stringify(timelineOf(again))).toBe(JSON.stringify(timeline));
    const [one, two] = [await made.file("audio"), await again.file("audio")];
    expect(one.bytes.equals(two.bytes)).toBe(true);
  });

  it.each(["mix", "trim_previous"])(
    "gives the samples of the reference with %s",
    async (policy) => {
      for (const seed of [3, 4]) {
        const next = random(seed * 1_000_003);
        const rows = Array.from({ length: 12 }, (_none, i) => {
          // Some of them at the same instant.
          const start = i % 5 === 0 ? 1 : Math.round(next() * 3e6) / 1e6;
          return row(`c${i}`, start, start + 0.05, `clip${Math.floor(next() * 4)}.wav`);
        });
        const made = await run(rows, { overlap_policy: policy, timeline_duration: 3 });
        const timeline = timelineOf(made);
        expect(timeline).toMatchObject({ samples: 144_000, duration_source: "saved" });
        const found = await samplesOf(made);
        if (timeline.overload_gain_db === 0) {
          expect(found).toEqual(reference(rows, 144_000, policy === "trim_previous"));
        } else {
          // Turned down as a whole: the greatest sample is full scale.
          expect(policy).toBe("mix");
          expect(found.reduce((peak, one) => Math.max(peak, Math.abs(one)), 0)).toBeGreaterThan(
            32_766,
          );
        }
      }
    },
  );

  it("adds clips that overlap without an overload as they are", async () => {
    const rows = [row("a", 0, 0.25), row("b", 0.1, 0.4), row("c", 0.1, 0.25, "clip1.wav")];
    const made = await run(rows, { overlap_policy: "mix" });
    const timeline = timelineOf(made);
    expect(timeline.overload_gain_db).toBe(0);
    expect(timeline.cues.map(({ overlaps }) => overlaps)).toEqual([
      ["b", "c"],
      ["a", "c"],
      ["a", "b"],
    ]);
    expect(await samplesOf(made)).toEqual(reference(rows, 19_200, false));
    expect(made.document("check")).toMatchObject({
      passed: true,
      checks: [
        { id: "missing_cues", measured: 0 },
        { id: "overlaps", measured: 3, passed: false, severity: "warning" },
        { id: "truncated", measured: 0 },
        { id: "overrun", measured: 0 },
      ],
    });
  });

  it("takes a duration from its input, else from its parameter, and cuts what runs past it", async () => {
    const rows = [row("a", 0, 0.1), row("b", 0.35, 0.4, "clip1.wav")];
    const given = await run(rows, { timeline_duration: 9 }, "0.4");
    expect(timelineOf(given)).toMatchObject({
      samples: 19_200,
      duration_source: "dynamic",
      cues: [{ state: "placed" }, { state: "truncated", samples: 2400, source_samples: 4801 }],
    });
    expect(await samplesOf(given)).toEqual(reference(rows, 19_200, false));
    const saved = await run(rows, { timeline_duration: 9 }, null);
    expect(timelineOf(saved)).toMatchObject({ samples: 432_000, duration_source: "saved" });
  });

  it("is silent for the given duration where there is no element, and otherwise ends with MEDIA_EMPTY", async () => {
    const made = await run([], { timeline_duration: 0.5 });
    expect(timelineOf(made)).toMatchObject({ samples: 24_000, channels: 1, cues: [] });
    expect(await samplesOf(made)).toEqual(new Int16Array(24_000));
    expect((await failureOf([]))[0]).toBe("MEDIA_EMPTY");
  });

  it("converts clips of other rates and channels, and writes other formats", async () => {
    const rows = [row("a", 0, 1, "stereo.wav"), row("b", 1, 2, "slow.wav")];
    for (const [format, rate] of [
      ["flac", 44_100],
      ["mp3", 48_000],
      ["ogg", 48_000],
    ] as const) {
      const made = await run(rows, { format, ...(format === "flac" && { sample_rate: rate }) });
      expect(timelineOf(made)).toMatchObject({
        sample_rate: rate,
        channels: 2,
        samples: 2 * rate,
        cues: [{ source_samples: rate }, { source_samples: rate }],
      });
      expect((await made.file("audio")).name).toBe(`audio.${format}`);
    }
  });

  it("ends with TIMELINE_OVERLAP, naming both cues", async () => {
    const [code, at, message] = await failureOf([row("one", 0, 1), row("two", 0.2, 1)]);
    expect([code, at]).toEqual(["TIMELINE_OVERLAP", "line"]);
    expect(message).toContain('"one"');
    expect(message).toContain('"two"');
  });

  it("ends with TIMELINE_CUE_MISSING for a clip that is absent, or is silent there", async () => {
    const rows = [row("a", 0, 0.25), row("gone", 0.5, 1, null)];
    const [code, , message] = await failureOf(rows);
    expect(code).toBe("TIMELINE_CUE_MISSING");
    expect(message).toContain('"gone"');
    const made = await run(rows, { missing_cue_policy: "warn" });
    expect(made.execution.status).toBe("completed");
    expect(timelineOf(made)).toMatchObject({
      samples: 48_000,
      skipped_items: 0,
      cues: [
        { state: "placed" },
        { cue_id: "gone", state: "missing", start_sample: 24_000, samples: 0, source_samples: 0 },
      ],
      gaps: [{ start_sample: 12_000, end_sample: 48_000 }],
    });
    expect(made.document("check")).toMatchObject({
      passed: true,
      checks: [{ id: "missing_cues", passed: false, measured: 1 }, {}, {}, {}],
    });
    expect(await samplesOf(made)).toEqual(reference(rows.slice(0, 1), 48_000, false));
  });

  it("keeps the cue of a clip that failed, and leaves an element out of which another column failed", async () => {
    const rows = [
      row("a", 0, 0.25),
      row("failed", 0.5, 1, "assets/none.wav"),
      row("no cue", -1, 0),
      row("b", 1, 1.25),
    ];
    const parameters = { missing_cue_policy: "warn" };
    const made = await run(rows, parameters);
    expect(made.execution).toMatchObject({ status: "partial_success", error_code: "FILE_MISSING" });
    const timeline = timelineOf(made);
    expect(timeline.skipped_items).toBe(2);
    expect(timeline.cues.map(({ index, cue_id, state }) => [index, cue_id, state])).toEqual([
      [0, "a", "placed"],
      [1, "failed", "missing"],
      [3, "b", "placed"],
    ]);
    expect(made.warnings).toMatchObject([
      { code: "ITEMS_SKIPPED", node_id: "line", skipped: 2, of: 4 },
    ]);
    expect(await samplesOf(made)).toEqual(
      reference([row("a", 0, 0.25), row("b", 1, 1.25)], 60_000, false),
    );
    // Nothing but failed clips is a timeline of missing cues.
    const silent = await run([row("x", 0, 1, "assets/none.wav")], parameters);
    expect(timelineOf(silent)).toMatchObject({ skipped_items: 1, cues: [{ state: "missing" }] });
    const strict = await run(rows, { ...parameters, on_failed_items: "fail" });
    expect(strict.execution).toMatchObject({ status: "failed", error_code: "FILE_MISSING" });
    const missing = await run(rows, {});
    expect(missing.execution.status).toBe("failed");
  });

  it("takes ids that are numbers", async () => {
    const made = await run([{ ...row("", 0, 1), id: 7 }]);
    expect(timelineOf(made).cues).toMatchObject([{ cue_id: "7" }]);
  });

  it.each<[string, Row]>([
    ["no id", { ...row("b", 1, 2), id: null }],
    ["an empty id", row("", 1, 2)],
    ["no start", { ...row("b", 1, 2), start: null }],
    ["no end", { ...row("b", 1, 2), end: null }],
    ["a start below 0", row("b", -0.5, 2)],
    ["an end that is not after its start", row("b", 2, 2)],
    ["a start at the end of the timeline", row("b", 3, 4)],
    ["an id of 501 characters", row("b".repeat(501), 1, 2)],
  ])("ends with TIMELINE_CUE_INVALID for %s", async (_what, wrong) => {
    const [code, at] = await failureOf([row("a", 0, 0.5), wrong], { timeline_duration: 3 });
    expect([code, at]).toEqual(["TIMELINE_CUE_INVALID", "line"]);
  });

  it("ends with TIMELINE_CUE_INVALID or MEDIA_TOO_LONG for a duration that cannot be", async () => {
    const rows = [row("a", 0, 0.5)];
    expect((await failureOf(rows, {}, "-1"))[0]).toBe("TIMELINE_CUE_INVALID");
    expect((await failureOf(rows, {}, "3601"))[0]).toBe("MEDIA_TOO_LONG");
    expect((await failureOf([row("a", 0, 1e12)]))[0]).toBe("MEDIA_TOO_LONG");
  });

  it("ends with TIMELINE_CUE_DUPLICATE, and with the code of a clip that cannot be read", async () => {
    const [code, , message] = await failureOf([row("x", 0, 0.5), row("x", 1, 2)]);
    expect([code, message?.includes('"x"')]).toEqual(["TIMELINE_CUE_DUPLICATE", true]);
    const [unread] = await failureOf([row("x", 0, 0.5), row("y", 1, 2, "broken.wav")]);
    expect(unread).toMatch(/^MEDIA_/);
  });

  test("places many clips", async () => {
    const count = sizeOf("timelineClips");
    // One file for all, so that the clips take no task each: a gate passes it on at each row.
    const { nodes, connections } = definition({}, false, false);
    const passed = { schema: "svc.quality-check/v1", subject: "Clip", passed: true, checks: [] };
    const workflow = await publishDefinition(service, {
      nodes: [
        ...nodes.filter(({ id }) => id !== "clip"),
        node("file", "input/audio"),
        node("parsed", "utility/json_path", { path: "$.check" }),
        node("clip", "utility/quality_gate"),
      ],
      connections: [
        ...connections.filter(({ from, to }) => from.node !== "clip" && to.node !== "clip"),
        wire("rows.item", "parsed.json"),
        wire("parsed.value", "clip.quality_check"),
        wire("file.audio", "clip.value"),
        wire("clip.value", "line.clips"),
      ],
    });
    const rows = Array.from({ length: count }, (_none, i) => ({
      id: `c${i}`,
      start: (count - 1 - i) * 0.25,
      end: (count - i) * 0.25,
      check: passed,
    }));
    const made = await runPublished(service, workflow, {
      rows: { value: JSON.stringify(rows) },
      file: { asset_path: uploaded.get("clip0.wav") ?? "" },
    });
    const timeline = timelineOf(made);
    expect(timeline.cues.map(({ index }) => index)).toEqual(rows.map((_row, i) => count - 1 - i));
    expect(timeline.gaps).toEqual([]);
    const samples = await samplesOf(made);
    const [clip] = CLIPS.values();
    const wrong = rows.findIndex((_row, i) =>
      samples.subarray(i * 12_000, (i + 1) * 12_000).some((one, n) => one !== clip![n]),
    );
    expect([samples.length, wrong]).toEqual([count * 12_000, -1]);
  });
});

describeOfOneSize("the columns of a timeline", () => {
  it("must vary over the same axes, when the definition is published", async () => {
    const { nodes, connections } = definition({}, true, false);
    const withOther = (from: string, to: string) => ({
      nodes,
      connections: [
        ...connections.filter((link) => `${link.to.node}.${link.to.port}` !== to),
        wire(from, to),
      ],
    });
    // Their duration varies, or one of them does not.
    for (const [from, to] of [
      ["rows.start", "line.timeline_duration"],
      ["duration.number", "line.start"],
    ] as const) {
      await expect(publishDefinition(service, withOther(from, to))).rejects.toThrow(
        "TIMELINE_SCOPE_MISMATCH",
      );
    }
  });
});
