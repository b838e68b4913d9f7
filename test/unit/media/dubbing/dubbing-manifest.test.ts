import { describe, expect, test } from "vitest";
import { DubbingManifest } from "../../../../src/contracts/media/dubbing-manifest.ts";
import { ExactNumber } from "../../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import {
  buildDubbingManifest,
  type DubbingFiles,
  type DubbingSettings,
} from "../../../../src/media/dubbing/build-dubbing-manifest.ts";
import type { DubbingDocuments } from "../../../../src/media/dubbing/dubbing-evidence.ts";
import { ofContract } from "../../../support/results/contract-faults.ts";

const SETTINGS: DubbingSettings = {
  backgroundMode: "none",
  speakerVoiceSource: "evidence",
  requireFinalVideo: false,
  placementToleranceSeconds: 0.01,
  durationToleranceSeconds: 0.25,
  requiredCheckIds: [],
  ignoredCheckIds: [],
  onFail: "report",
};

const AUDIO = { path: "w/runs/1/audio.wav", contentType: "audio/wav", sizeBytes: 44 };
const FILES: DubbingFiles = {
  dubbedAudio: AUDIO,
  backgroundAudio: null,
  finalAudio: null,
  finalVideo: null,
  subtitles: null,
};

const generation = (voice: string | null) => ({
  schema: "svc.tts-generation/v1",
  provider: "sample",
  model: "sample-voice",
  characters: 5,
  duration_seconds: 1,
  sample_rate: 24_000,
  channels: 1,
  content_type: "audio/wav",
  sha256: "0".repeat(64),
  controls: { voice: { value: voice, source: "parameter" } },
});

const qualityCheck = (
  ...items: readonly (readonly [id: string, passed: boolean, severity?: string])[]
) => ({
  schema: "svc.quality-check/v1",
  subject: "Cue",
  passed: true,
  checks: items.map(([id, passed, severity = "error"]) => ({ id, passed, severity, message: "m" })),
});

/** Two cues of a second each, at 1 and at 3 s, in a timeline of 5 s. */
function documents() {
  const placed = (index: number, cueId: string, start: number) => ({
    index,
    cue_id: cueId,
    speaker: "B",
    start_seconds: start,
    end_seconds: start + 1,
    start_sample: start * 8000,
    samples: 8000,
    source_samples: 8000,
    state: "placed",
    overlaps: [] as string[],
  });
  return {
    cues: [
      { cue_id: "two", start: 3, end: 4, speaker: "A", text: "kept out" },
      { cue_id: "one", start: 1, end: 2 },
    ] as Record<string, unknown>[],
    timelineManifest: {
      schema: "svc.audio-timeline/v1",
      duration_seconds: 5,
      samples: 40_000,
      sample_rate: 8000,
      channels: 1,
      duration_source: "saved",
      overlap_policy: "fail",
      missing_cue_policy: "warn",
      skipped_items: 0,
      overload_gain_db: 0,
      cues: [placed(0, "one", 1), placed(1, "two", 3)],
      gaps: [] as unknown[],
    },
    evidence: [
      {
        cue_id: "one",
        generation: generation("nova"),
        quality_check: qualityCheck(["duration", true]),
      },
      { cue_id: "two", voice: "echo", generation: generation("nova") },
    ] as Record<string, unknown>[],
  };
}
type Documents = ReturnType<typeof documents> & Record<string, unknown>;

/** Documents as the node receives them. */
const asGiven = (given: Documents) => given as unknown as DubbingDocuments;

function build(
  change: (documents: Documents) => void = () => undefined,
  settings: Partial<DubbingSettings> = {},
  files: Partial<DubbingFiles> = {},
) {
  const given: Documents = documents();
  change(given);
  const { manifest, check } = buildDubbingManifest(
    asGiven(given),
    { ...FILES, ...files },
    { ...SETTINGS, ...settings },
  );
  expect(check.checks).toEqual(manifest.checks);
  ofContract("svc.quality-check/v1", check);
  return DubbingManifest.parse(ofContract("svc.dubbing-manifest/v1", manifest));
}

const failedChecks = (...given: Parameters<typeof build>) =>
  build(...given)
    .checks.filter(({ passed }) => !passed)
    .map(({ id }) => id);

function failureOf(...given: Parameters<typeof build>): readonly [string, string] {
  try {
    build(...given);
  } catch (error) {
    expect(error).toBeInstanceOf(NodeError);
    return [(error as NodeError).code, (error as NodeError).message];
  }
  return ["none", ""];
}

test("the manifest has all cues in their order, with speakers, voices and files", () => {
  const manifest = build(undefined, {}, { subtitles: { ...AUDIO, path: "w/s.srt" } });
  expect(manifest.speakers).toEqual([
    { speaker: "A", voice: "echo", cues: 1 },
    { speaker: "B", voice: "nova", cues: 1 },
  ]);
  expect(
    manifest.cues.map(({ cue_id, index, speaker, voice }) => [cue_id, index, speaker, voice]),
  ).toEqual([
    ["two", 1, "A", "echo"],
    ["one", 0, "B", "nova"],
  ]);
  expect(manifest.cues[0]).toMatchObject({
    start_sample: 24_000,
    samples: 8000,
    fit: null,
    quality_check: null,
  });
  expect(manifest.files.dubbed_audio).toEqual({
    storage_ref: "storage://w/runs/1/audio.wav",
    content_type: "audio/wav",
    size_bytes: 44,
  });
  expect(manifest.files.subtitles?.storage_ref).toBe("storage://w/s.srt");
  expect(manifest.passed).toBe(true);
  expect(manifest.checks.map(({ id }) => id)).toEqual([
    "placement",
    "duration",
    "missing_cues",
    "voices",
    "evidence_checks",
  ]);
});

test("the same inputs give the same bytes", () => {
  expect(JSON.stringify(build())).toBe(JSON.stringify(build()));
});

describe("the entries", () => {
  test("must be one for each cue, in the evidence and in the timeline", () => {
    expect(failureOf((d) => d.evidence.pop())).toEqual([
      "DUBBING_EVIDENCE_MISSING",
      'evidence has no entry for the cue "two". Each cue needs exactly one. Add it.',
    ]);
    expect(failureOf((d) => d.timelineManifest.cues.pop())[0]).toBe("DUBBING_EVIDENCE_MISSING");
    expect(failureOf((d) => d.evidence.push(d.evidence[0]!))[0]).toBe("DUBBING_EVIDENCE_DUPLICATE");
    expect(failureOf((d) => d.timelineManifest.cues.push(d.timelineManifest.cues[0]!))[0]).toBe(
      "DUBBING_EVIDENCE_DUPLICATE",
    );
    expect(failureOf((d) => d.cues.push(d.cues[0]!))[0]).toBe("DUBBING_EVIDENCE_DUPLICATE");
    expect(failureOf((d) => d.evidence.push({ cue_id: "three" }))[0]).toBe(
      "DUBBING_EVIDENCE_UNKNOWN",
    );
    expect(failureOf((d) => d.cues.pop())[0]).toBe("DUBBING_EVIDENCE_UNKNOWN");
  });

  test("that are missing are named, up to 20 of them", () => {
    const [, message] = failureOf((d) => {
      d.cues = Array.from({ length: 25 }, (_, i) => ({ cue_id: `x${i}`, start: 0, end: 1 }));
    });
    expect(message).toContain('"x19" and 5 more');
    expect(message).not.toContain('"x20"');
  });

  test("must be documents of their schemas", () => {
    for (const change of [
      (d: Documents) => (d.cues[0]!["start"] = "3"),
      (d: Documents) => (d.evidence[0]!["generation"] = { schema: "svc.tts-generation/v2" }),
      (d: Documents) => (d.evidence[0]!["fit"] = {}),
      (d: Documents) => (d.timelineManifest.schema = "svc.other/v1"),
      (d: Documents) => (d["stemsManifest"] = []),
      (d: Documents) => (d["duckingReport"] = { schema: "svc.audio-processing-report/v1" }),
      (d: Documents) => (d["voices"] = { A: 1 }),
    ]) {
      expect(failureOf(change)[0]).toBe("DUBBING_EVIDENCE_INVALID");
    }
  });

  test("must not contain an address that is not a reference to storage", () => {
    for (const address of [
      "https://example.com/a.wav",
      "see HTTP://example.com",
      "//example.com/a",
      "data:audio/wav;base64,AAAA",
      "storage://a and https://b.example",
    ]) {
      expect(failureOf((d) => (d.evidence[1]!["voice"] = address))[0], address).toBe(
        "DUBBING_REFERENCE_REFUSED",
      );
    }
    expect(failureOf((d) => (d.evidence[1]!["voice"] = "storage://w/voice.json"))[0]).toBe("none");
    // Of what is not taken over nothing is refused.
    expect(failureOf((d) => (d.cues[0]!["text"] = "See https://example.com/a"))[0]).toBe("none");
  });

  test("may have ids that are numbers, as tables have them", () => {
    const manifest = build((d) => {
      d.cues = [{ cue_id: new ExactNumber("12345678901234567890"), start: 1, end: 2 }];
      d.evidence = [{ cue_id: new ExactNumber("12345678901234567890"), voice: "echo" }];
      d.timelineManifest.cues = [
        { ...d.timelineManifest.cues[0]!, cue_id: "12345678901234567890" },
      ];
    });
    expect(manifest.cues.map(({ cue_id }) => cue_id)).toEqual(["12345678901234567890"]);
  });
});

describe("the voices", () => {
  test("come from the voices of the speakers, or are one for all", () => {
    const voices = { A: "alto", B: "bass" };
    const cast = build((d) => (d["voices"] = voices), { speakerVoiceSource: "voices" });
    expect(cast.cues.map(({ voice }) => voice)).toEqual(["alto", "bass"]);
    expect(
      failedChecks((d) => (d["voices"] = { A: "alto", constructor: "x" }), {
        speakerVoiceSource: "voices",
      }),
    ).toEqual(["voices"]);
    expect(failedChecks(undefined, { speakerVoiceSource: "single" })).toEqual(["voices"]);
    const single = build((d) => delete d.evidence[1]!["voice"], { speakerVoiceSource: "single" });
    expect(single.cues.map(({ voice }) => voice)).toEqual(["nova", "nova"]);
    expect(failedChecks((d) => (d.evidence[0]!["generation"] = generation(null)))).toEqual([
      "voices",
    ]);
    expect(failedChecks(undefined, { speakerVoiceSource: "voices" })).toEqual(["voices"]);
  });
});

describe("the checks", () => {
  test("compare places and lengths with the cues, at their tolerances", () => {
    expect(failedChecks((d) => (d.timelineManifest.cues[0]!.start_sample = 8080))).toEqual([]);
    expect(failedChecks((d) => (d.timelineManifest.cues[0]!.start_sample = 8081))).toEqual([
      "placement",
    ]);
    expect(failedChecks((d) => (d.timelineManifest.cues[0]!.source_samples = 10_000))).toEqual([]);
    expect(failedChecks((d) => (d.timelineManifest.cues[0]!.source_samples = 10_001))).toEqual([
      "duration",
    ]);
    expect(
      failedChecks((d) =>
        Object.assign(d.timelineManifest.cues[0]!, {
          state: "missing",
          samples: 0,
          source_samples: 0,
        }),
      ),
    ).toEqual(["missing_cues"]);
  });

  test("see failed checks of the evidence, unless they are ignored or only warnings", () => {
    const failing = (d: Documents) =>
      (d.evidence[1]!["quality_check"] = qualityCheck(["speed", false]));
    expect(failedChecks(failing)).toEqual(["evidence_checks"]);
    expect(failedChecks(failing, { ignoredCheckIds: ["speed"] })).toEqual([]);
    expect(
      failedChecks(
        (d) => (d.evidence[1]!["quality_check"] = qualityCheck(["speed", false, "warning"])),
      ),
    ).toEqual([]);
    const without = { ...qualityCheck(["speed", true]), passed: false };
    expect(failedChecks((d) => (d.evidence[1]!["quality_check"] = without))).toEqual([
      "evidence_checks",
    ]);
  });

  test("need the required ids in the evidence of each cue", () => {
    const required = { requiredCheckIds: ["duration"] };
    expect(failedChecks(undefined, required)).toEqual(["check:duration"]);
    expect(
      failedChecks(
        (d) => (d.evidence[1]!["quality_check"] = qualityCheck(["duration", true])),
        required,
      ),
    ).toEqual([]);
    expect(
      failedChecks(
        (d) => (d.evidence[1]!["quality_check"] = qualityCheck(["duration", false, "warning"])),
        required,
      ),
    ).toEqual(["check:duration"]);
  });

  test("compare the video with the timeline where one came", () => {
    const video = (durationSeconds: number) => ({ finalVideo: { ...AUDIO, durationSeconds } });
    expect(failedChecks(undefined, {}, video(5.25))).toEqual([]);
    expect(failedChecks(undefined, {}, video(5.26))).toEqual(["final_video"]);
    expect(build(undefined, {}, video(5)).files.final_video).toEqual({
      storage_ref: "storage://w/runs/1/audio.wav",
      content_type: "audio/wav",
      size_bytes: 44,
    });
  });

  test("that failed fail the node if they must", () => {
    const [code, message] = failureOf((d) => (d.timelineManifest.cues[0]!.start_sample = 0), {
      onFail: "fail",
    });
    expect([code, message.includes("placement"), message.includes('"one"')]).toEqual([
      "DUBBING_CHECK_FAILED",
      true,
      true,
    ]);
  });
});

test("what the settings need must have come", () => {
  const missing = (...given: Parameters<typeof build>) => failureOf(...given);
  expect(missing(undefined, {}, { dubbedAudio: null })[1]).toContain("dubbed_audio");
  expect(missing(undefined, { backgroundMode: "provided" })[1]).toContain("background_audio");
  expect(missing(undefined, { backgroundMode: "ducked" }, { backgroundAudio: AUDIO })[1]).toContain(
    "ducking_report",
  );
  expect(missing(undefined, { backgroundMode: "stems" })[1]).toContain("stems_manifest");
  expect(missing(undefined, { requireFinalVideo: true })).toEqual([
    "DUBBING_EVIDENCE_MISSING",
    expect.stringContaining("final_video"),
  ]);
  expect(missing(undefined, { backgroundMode: "provided" }, { backgroundAudio: AUDIO })[0]).toBe(
    "none",
  );
});
