/** Dubbing manifests in real runs: every code is met, and every document is one of its served contract. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import type { DubbingManifest } from "../../src/contracts/media/dubbing-manifest.ts";
import {
  contractProblems,
  node,
  publishDefinition,
  runPublished,
  wire,
} from "../support/node/run-definition.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { toneFile } from "../support/media/tone-file.ts";

let service: SharedService;
const uploaded = new Map<string, string>();

const JSON_PORTS = [
  "cues",
  "timeline_manifest",
  "evidence",
  "stems_manifest",
  "ducking_report",
  "voices",
] as const;
const FILE_PORTS = {
  dubbed_audio: "audio",
  background_audio: "audio",
  final_audio: "audio",
  final_video: "video",
  subtitles: "document",
} as const;

beforeAll(async () => {
  service = await sharedService();
  const video = await readFile(new URL("../golden/media/h264-aac.mp4", import.meta.url).pathname);
  const files: Readonly<Record<string, Uint8Array>> = {
    "dub.wav": toneFile(8_000, 1, 32_000, 0.5),
    "short.wav": toneFile(8_000, 1, 150, 0.5),
    "video.mp4": video,
    "cues.srt": Buffer.from("1\n00:00:00,000 --> 00:00:01,000\nHello\n\n"),
  };
  for (const [name, bytes] of Object.entries(files)) {
    uploaded.set(name, await uploadAsset(service.client, name, bytes));
  }
});

const generation = (voice: string) => ({
  schema: "svc.tts-generation/v1",
  provider: "sample",
  model: "sample-voice",
  characters: 5,
  duration_seconds: 1,
  sample_rate: 8000,
  channels: 1,
  content_type: "audio/wav",
  sha256: "0".repeat(64),
  controls: { voice: { value: voice, source: "parameter" } },
});

const check = (id: string, passed: boolean) => ({
  schema: "svc.quality-check/v1",
  subject: "Line",
  passed,
  checks: [{ id, passed, severity: "error", message: "As measured." }],
});

/** Two lines of a second, at 0.5 and at 2 s of a timeline of 4 s. */
function dub() {
  const placed = (index: number, cueId: string, start: number) => ({
    index,
    cue_id: cueId,
    speaker: index === 0 ? "Ann" : "Ben",
    start_seconds: start,
    end_seconds: start + 1,
    start_sample: start * 8000,
    samples: 8000,
    source_samples: 8000,
    state: "placed",
    overlaps: [],
  });
  return {
    cues: [
      { cue_id: "two", start: 2, end: 3, speaker: "Ben", text: "See https://example.com/a" },
      { cue_id: "one", start: 0.5, end: 1.5, speaker: "Ann" },
    ] as Record<string, unknown>[],
    timeline_manifest: {
      schema: "svc.audio-timeline/v1",
      duration_seconds: 4,
      samples: 32_000,
      sample_rate: 8000,
      channels: 1,
      duration_source: "saved",
      overlap_policy: "fail",
      missing_cue_policy: "fail",
      skipped_items: 0,
      overload_gain_db: 0,
      cues: [placed(0, "one", 0.5), placed(1, "two", 2)] as Record<string, unknown>[],
      gaps: [],
    },
    evidence: [
      {
        cue_id: "one",
        generation: generation("nova"),
        fit: null,
        quality_check: check("fit", true),
      },
      {
        cue_id: "two",
        generation: generation("echo"),
        voice: "alto",
        quality_check: check("fit", true),
      },
    ] as Record<string, unknown>[],
  };
}
type Dub = ReturnType<typeof dub> & Record<string, unknown>;

interface Given {
  readonly parameters?: object;
  readonly change?: (dub: Dub) => void;
  /** Names of the files of ports; null: the port is connected, and no file comes. */
  readonly files?: Partial<Record<keyof typeof FILE_PORTS, string | null>>;
}

async function run({ parameters = {}, change = () => {}, files = {} }: Given = {}) {
  const given: Dub = dub();
  change(given);
  const documents = JSON_PORTS.filter((port) => given[port] !== undefined);
  const sent = Object.entries({ dubbed_audio: "dub.wav", ...files });
  const workflow = await publishDefinition(service, {
    nodes: [
      ...documents.map((port) =>
        node(port, "input/json_value", { required: given[port] !== null }),
      ),
      ...sent.map(([port]) =>
        node(port, `input/${FILE_PORTS[port as keyof typeof FILE_PORTS]}`, { required: false }),
      ),
      node("made", "utility/dubbing_manifest", parameters),
      node("manifest", "output/json", { key: "manifest" }),
      node("check", "output/json", { key: "check" }),
    ],
    connections: [
      ...documents.map((port) => wire(`${port}.json`, `made.${port}`)),
      ...sent.map(([port]) =>
        wire(`${port}.${FILE_PORTS[port as keyof typeof FILE_PORTS]}`, `made.${port}`),
      ),
      wire("made.manifest", "manifest.json"),
      wire("made.quality_check", "check.json"),
    ],
  });
  return await runPublished(service, workflow, {
    ...Object.fromEntries(
      documents
        .filter((port) => given[port] !== null)
        .map((port) => [port, { value: JSON.stringify(given[port]) }]),
    ),
    ...Object.fromEntries(
      sent.flatMap(([port, name]) =>
        name === null ? [] : [[port, { asset_path: uploaded.get(name ?? "") ?? "" }]],
      ),
    ),
  });
}

const failureOf = async (given: Given) => {
  const { execution } = await run(given);
  return [execution.status, execution.error_code];
};

const manifestOf = (made: Awaited<ReturnType<typeof run>>) =>
  made.document("manifest") as unknown as DubbingManifest;

const ducking = (operation: string) => {
  const shape = { duration_seconds: 4, samples: 32_000, sample_rate: 8000, channels: 1 };
  return {
    schema: "svc.audio-processing-report/v1",
    operation,
    inputs: [{ ...shape, port: "foreground" }],
    output: { ...shape, format: "wav", codec: "pcm_s16", bit_depth: 16, bitrate_kbps: null },
    settings: {},
    results: {},
    warnings: [],
  };
};

describe("utility/dubbing_manifest", () => {
  it("joins what belongs to a dub in one document, free of charge", async () => {
    const made = await run({
      parameters: {
        background_mode: "ducked",
        require_final_video: true,
        duration_tolerance_seconds: 60,
        required_check_ids: ["fit"],
      },
      change: (given) => (given["ducking_report"] = ducking("duck")),
      files: {
        background_audio: "dub.wav",
        final_audio: "dub.wav",
        final_video: "video.mp4",
        subtitles: "cues.srt",
      },
    });
    expect(made.execution).toMatchObject({ status: "completed", credits_used: 0 });
    const manifest = manifestOf(made);
    expect(
      await contractProblems(service, "svc.dubbing-manifest/v1", made.document("manifest")),
    ).toEqual([]);
    expect(await contractProblems(service, "svc.quality-check/v1", made.document("check"))).toEqual(
      [],
    );
    expect(manifest).toMatchObject({
      background_mode: "ducked",
      timeline: { duration_seconds: 4, samples: 32_000, sample_rate: 8000, channels: 1 },
      speakers: [
        { speaker: "Ann", voice: "nova", cues: 1 },
        { speaker: "Ben", voice: "alto", cues: 1 },
      ],
      cues: [
        { cue_id: "two", index: 1, voice: "alto", start_sample: 16_000 },
        { cue_id: "one", index: 0, voice: "nova", start_sample: 4000 },
      ],
      stems: null,
      passed: true,
    });
    expect(manifest.checks.map(({ id }) => id)).toEqual([
      "placement",
      "duration",
      "missing_cues",
      "voices",
      "final_video",
      "evidence_checks",
      "check:fit",
    ]);
    // The files are named as their owner knows them, and by nothing that gives access to them.
    expect(manifest.files).toEqual({
      dubbed_audio: {
        storage_ref: `storage://${uploaded.get("dub.wav")}`,
        content_type: "audio/wav",
        size_bytes: 64_044,
      },
      background_audio: manifest.files.dubbed_audio,
      final_audio: manifest.files.dubbed_audio,
      final_video: {
        storage_ref: `storage://${uploaded.get("video.mp4")}`,
        content_type: "video/mp4",
        size_bytes: expect.any(Number) as number,
      },
      subtitles: {
        storage_ref: `storage://${uploaded.get("cues.srt")}`,
        content_type: "application/x-subrip",
        size_bytes: 39,
      },
    });
  });

  it("is made of what an iteration over cues gives, and refers to files that are found again", async () => {
    const columns = ["cue_id", "speaker", "start", "end", "clip"];
    const types = ["text", "text", "number", "number", "url"];
    const workflow = await publishDefinition(service, {
      nodes: [
        node("cues", "input/json_value"),
        node("each", "enumerate/json", {
          jsonConfig: {
            properties: columns.map((path, at) => ({
              path,
              outputPort: path,
              outputType: types[at],
            })),
          },
        }),
        node("clip", "utility/media_from_url", { media_type: "audio" }),
        node("fit", "audio/fit_duration"),
        // Small enough to be kept in a row of the run.
        node("line", "aggregate/audio_timeline", { sample_rate: 8000 }),
        node("evidence", "aggregate/json", {
          jsonAggregateConfig: {
            columns: ["cue_id", "voice", "fit", "quality_check"].map((inputPort) => ({
              inputPort,
            })),
          },
        }),
        node("made", "utility/dubbing_manifest", { duration_tolerance_seconds: 0.01 }),
        node("manifest", "output/json", { key: "manifest" }),
        node("audio", "output/audio", { key: "audio" }),
      ],
      connections: [
        "cues.json > each.json",
        "each.clip > clip.url",
        "clip.media > fit.audio",
        "each.start > fit.target_start",
        "each.end > fit.target_end",
        "fit.audio > line.clips",
        ...["cue_id", "start", "end", "speaker"].map((name) => `each.${name} > line.${name}`),
        "each.cue_id > evidence.cue_id",
        "each.speaker > evidence.voice",
        "fit.fit_report > evidence.fit",
        "fit.quality_check > evidence.quality_check",
        "cues.json > made.cues",
        "line.timeline_manifest > made.timeline_manifest",
        "evidence.json > made.evidence",
        "line.audio > made.dubbed_audio",
        "made.manifest > manifest.json",
        "line.audio > audio.audio",
      ].map((text) => {
        const [from = "", to = ""] = text.split(" > ");
        return wire(from, to);
      }),
    });
    const clip = `storage://${uploaded.get("short.wav")}`;
    const cues = [
      { cue_id: "b", speaker: "Ben", start: 0.3, end: 0.32, clip },
      { cue_id: "a", speaker: "Ann", start: 0.1, end: 0.12, clip },
    ];
    const made = await runPublished(service, workflow, { cues: { value: JSON.stringify(cues) } });
    expect(made.execution).toMatchObject({ status: "completed", credits_used: 0.05 });
    const manifest = manifestOf(made);
    expect(await contractProblems(service, "svc.dubbing-manifest/v1", manifest as never)).toEqual(
      [],
    );
    expect(manifest).toMatchObject({
      passed: true,
      speakers: [
        { speaker: "Ann", voice: "Ann", cues: 1 },
        { speaker: "Ben", voice: "Ben", cues: 1 },
      ],
      cues: [
        { cue_id: "b", index: 0, start_sample: 2400, fit: { operation: "fit_duration" } },
        { cue_id: "a", index: 1, start_sample: 800, quality_check: { passed: true } },
      ],
    });
    // A later run reads the file by its reference, and it is the one that was returned.
    const again = await publishDefinition(service, {
      nodes: [
        node("url", "input/text"),
        node("file", "utility/media_from_url", { media_type: "audio" }),
        node("audio", "output/audio", { key: "audio" }),
      ],
      connections: [wire("url.text", "file.url"), wire("file.media", "audio.audio")],
    });
    const reference = manifest.files.dubbed_audio!.storage_ref;
    const read = await runPublished(service, again, { url: { value: JSON.stringify(reference) } });
    expect(read.execution.status).toBe("completed");
    const [one, two] = [await made.file("audio"), await read.file("audio")];
    expect(one.bytes.equals(two.bytes)).toBe(true);
    expect(one.bytes.byteLength).toBe(manifest.files.dubbed_audio!.size_bytes);
  });

  it("gives the same bytes for the same inputs", async () => {
    const [one, two] = [await run(), await run()];
    expect(JSON.stringify(one.document("manifest"))).toBe(JSON.stringify(two.document("manifest")));
  });

  it.each<[string, (dub: Dub) => void]>([
    ["DUBBING_EVIDENCE_MISSING", (given) => given.evidence.pop()],
    ["DUBBING_EVIDENCE_MISSING", (given) => given.timeline_manifest.cues.pop()],
    ["DUBBING_EVIDENCE_DUPLICATE", (given) => given.evidence.push({ ...given.evidence[0] })],
    ["DUBBING_EVIDENCE_UNKNOWN", (given) => given.evidence.push({ cue_id: "three" })],
    ["DUBBING_EVIDENCE_INVALID", (given) => (given["voices"] = { Ann: 1 })],
    ["DUBBING_EVIDENCE_INVALID", (given) => (given["ducking_report"] = ducking("mix"))],
    [
      "DUBBING_REFERENCE_REFUSED",
      (given) => (given.evidence[0]!["voice"] = "https://example.com/voice"),
    ],
  ])("ends with %s whatever on_fail says (%#)", async (code, change) => {
    expect(await failureOf({ change, parameters: { on_fail: "report" } })).toEqual([
      "failed",
      code,
    ]);
  });

  it("ends with DUBBING_EVIDENCE_MISSING where a file that is needed does not come", async () => {
    for (const [parameters, files] of [
      [{ require_final_video: true }, { final_video: null }],
      [{ background_mode: "provided" }, { background_audio: null }],
    ] as const) {
      expect(await failureOf({ parameters, files })).toEqual([
        "failed",
        "DUBBING_EVIDENCE_MISSING",
      ]);
    }
  });

  it("needs the ports of its settings when the definition is published", async () => {
    for (const parameters of [
      { require_final_video: true },
      { background_mode: "provided" },
      { background_mode: "ducked" },
      { background_mode: "stems" },
    ]) {
      await expect(run({ parameters })).rejects.toThrow("PORT_NOT_CONNECTED");
    }
  });

  it("fails for a failed check, or reports it", async () => {
    const given: Given = {
      change: ({ timeline_manifest: { cues } }) => (cues[0]!["start_sample"] = 4081),
    };
    expect(await failureOf(given)).toEqual(["failed", "DUBBING_CHECK_FAILED"]);
    const made = await run({ ...given, parameters: { on_fail: "report" } });
    expect(made.execution.status).toBe("completed");
    expect(made.document("check")).toMatchObject({ passed: false });
    const failed = manifestOf(made).checks.filter(({ passed }) => !passed);
    expect(failed).toMatchObject([{ id: "placement", severity: "error", measured: 1 }]);
  });

  it("compares the length of the video with that of the timeline", async () => {
    const made = await run({
      parameters: { on_fail: "report" },
      files: { final_video: "video.mp4" },
    });
    const found = manifestOf(made).checks.find(({ id }) => id === "final_video");
    expect(found).toMatchObject({ passed: false, expected: { duration_seconds: 4 } });
  });
});
