/** Nodes of sound in real runs: what comes out is measured by another node, and its bytes are looked at here. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { isJsonObject, type JsonValue } from "../../src/lib/json/exact-json.ts";
import { wavHeader } from "../../src/providers/sample/sound/wav-writer.ts";
import { wavFile } from "../support/media/wav-file.ts";
import { readOutputs, servedCheck } from "../support/node/read-outputs.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { contractsOfOutputs } from "../support/results/contract-faults.ts";

let service: SharedService;
/** Paths of uploaded sounds, by name. */
const uploaded = new Map<string, string>();

/** A tone of 0.5 in stereo. */
const LOUD = { rate: 44_100, frames: 66_150 };
/** A tone of 0.1 in mono. */
const QUIET = { rate: 22_050, frames: 22_051 };

function wav(rate: number, channels: number, frames: number, level: number): Uint8Array {
  const samples = Int16Array.from({ length: frames * channels }, (_none, i) =>
    Math.round(level * 32_767 * Math.sin((2 * Math.PI * 440 * Math.floor(i / channels)) / rate)),
  );
  return Buffer.concat([
    wavHeader("pcm16", rate, channels, frames),
    new Uint8Array(samples.buffer),
  ]);
}

const golden = (name: string) =>
  readFile(new URL(`../golden/media/${name}`, import.meta.url).pathname);

beforeAll(async () => {
  service = await sharedService();
  const files: Readonly<Record<string, Uint8Array>> = {
    "loud.wav": wav(LOUD.rate, 2, LOUD.frames, 0.5),
    "quiet.wav": wav(QUIET.rate, 1, QUIET.frames, 0.1),
    "cut.m4a": (await golden("aac.m4a")).subarray(0, 5_000),
    "aac.m4a": await golden("aac.m4a"),
    "vorbis.ogg": await golden("vorbis.ogg"),
    "cbr.mp3": await golden("cbr.mp3"),
    "long-form.wav": wavFile({ form: "BW64", samples: new Uint8Array(4_000).fill(16) }),
  };
  for (const [name, bytes] of Object.entries(files)) {
    uploaded.set(name, await uploadAsset(service.client, name, bytes));
  }
});

const node = (id: string, type: string, parameters: unknown = {}) => ({
  id,
  type,
  label: id,
  parameters,
});
const wire = (from: string, to: string) => {
  const [a = "", b = ""] = from.split(".");
  const [c = "", d = ""] = to.split(".");
  return { from: { node: a, port: b }, to: { node: c, port: d } };
};

/** Runs one node on sounds, which go to `port`, or each to its own; a sound that is null is absent. Its sound is measured in the same run, and its documents are outputs. */
async function run(
  type: string,
  parameters: object,
  port: string | readonly string[],
  names: readonly (string | null)[],
  documents: readonly string[] = [],
) {
  const isMeter = type === "audio/quality_report";
  const inputs = names.map((name, index) =>
    node(`in_${index}`, "input/audio", name === null ? { required: false } : {}),
  );
  const definition = {
    nodes: [
      ...inputs,
      node("made", type, parameters),
      ...documents.map((name) => node(name, "output/json", { key: name })),
      ...(isMeter
        ? []
        : [
            node("meter", "audio/quality_report"),
            node("measured", "output/json", { key: "measured" }),
            node("audio", "output/audio", { key: "audio" }),
          ]),
    ],
    connections: [
      ...inputs.map(({ id }, index) =>
        wire(`${id}.audio`, `made.${typeof port === "string" ? port : port[index]}`),
      ),
      ...documents.map((name) => wire(`made.${name}`, `${name}.json`)),
      ...(isMeter
        ? []
        : [
            wire("made.audio", "meter.audio"),
            wire("meter.metrics", "measured.json"),
            wire("made.audio", "audio.audio"),
          ]),
    ],
  };
  const workflow = await publish(service.client, { name: type, definition } as never);
  const given = Object.fromEntries(
    names.flatMap((name, index) =>
      name === null ? [] : [[`in_${index}`, { asset_path: uploaded.get(name) }]],
    ),
  );
  const id = await submitRun(service.client, { workflow, inputs: given } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readOutputs(service.client, id, contractsOfOutputs(definition));
  return {
    execution,
    document: (name: string) => result.by_key[name]?.value as JsonValue,
    file: async () => {
      const url = result.by_key["audio"]?.url ?? "";
      const response = await fetch(url);
      return {
        name: new URL(url).pathname.split("/").at(-1),
        type: response.headers.get("content-type"),
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    },
  };
}

/** Problems of a document by the contract that the service publishes. */
async function problems(ref: string, document: JsonValue): Promise<readonly unknown[]> {
  const check = await servedCheck(service.client, ref);
  return check(document);
}

const peakOf = (measured: JsonValue): unknown =>
  isJsonObject(measured) && isJsonObject(measured["peaks"])
    ? measured["peaks"]["sample_peak_dbfs"]
    : undefined;

describe("audio/quality_report", () => {
  it("measures a sound and checks it, free of charge", async () => {
    const { execution, document } = await run(
      "audio/quality_report",
      { target_lufs: -40, max_true_peak_db: -20 },
      "audio",
      ["loud.wav"],
      ["metrics", "quality_check"],
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0 });
    expect(await problems("svc.audio-quality-report/v1", document("metrics"))).toEqual([]);
    expect(await problems("svc.quality-check/v1", document("quality_check"))).toEqual([]);
    expect(document("metrics")).toMatchObject({
      container: "wav",
      codec: "pcm_s16",
      bit_depth: 16,
      samples: LOUD.frames,
      sample_rate: LOUD.rate,
      channels: 2,
      peaks: { sample_peak_dbfs: -6.021 },
      decode_errors: 0,
    });
    const { checks } = document("quality_check") as unknown as {
      readonly checks: readonly { readonly id: string; readonly passed: boolean }[];
    };
    expect(checks.filter(({ passed }) => !passed).map(({ id }) => id)).toEqual([
      "integrated_loudness",
      "true_peak",
    ]);
  });

  it.each([
    ["aac.m4a", "mp4", "aac"],
    ["vorbis.ogg", "ogg", "vorbis"],
    ["cbr.mp3", "mp3", "mp3"],
  ])("reads %s", async (name, container, codec) => {
    const { document } = await run("audio/quality_report", {}, "audio", [name], ["metrics"]);
    expect(document("metrics")).toMatchObject({ container, codec, decode_errors: 0, channels: 2 });
  });

  it("reads a BW64 that was uploaded as a WAV", async () => {
    const { document } = await run(
      "audio/quality_report",
      {},
      "audio",
      ["long-form.wav"],
      ["metrics"],
    );
    expect(document("metrics")).toMatchObject({ container: "wav", samples: 1_000, channels: 2 });
  });

  it("refuses a file that is cut off", async () => {
    const { execution } = await run("audio/quality_report", {}, "audio", ["cut.m4a"], ["metrics"]);
    expect(execution).toMatchObject({ status: "failed", error_code: "MEDIA_TRUNCATED" });
  });
});

describe("audio/convert", () => {
  it.each([
    ["wav", "wav", "pcm_s16", "audio/wav", "RIFF"],
    ["flac", "flac", "flac", "audio/flac", "fLaC"],
    ["mp3", "mp3", "mp3", "audio/mpeg", undefined],
    ["m4a", "mp4", "aac", "audio/mp4", undefined],
    ["ogg", "ogg", "opus", "audio/ogg", "OggS"],
  ])("writes %s of the same length", async (format, container, codec, type, mark) => {
    const made = await run("audio/convert", { format }, "audio", ["loud.wav"]);
    expect(made.execution).toMatchObject({ status: "completed", credits_used: 0.01 });
    const rate = format === "ogg" ? 48_000 : LOUD.rate;
    expect(made.document("measured")).toMatchObject({
      container,
      codec,
      sample_rate: rate,
      samples: Math.round((LOUD.frames * rate) / LOUD.rate),
      channels: 2,
    });
    expect(peakOf(made.document("measured"))).toBeCloseTo(-6, 0);
    const file = await made.file();
    expect(file.type).toBe(type);
    expect(file.name).toBe(`audio.${format}`);
    if (mark !== undefined) {
      expect(file.bytes.subarray(0, 4).toString("latin1")).toBe(mark);
    }
  });

  it("copies the samples of a WAV as they are", async () => {
    const made = await run("audio/convert", { format: "wav" }, "audio", ["loud.wav"]);
    const { bytes } = await made.file();
    const samples = (file: Uint8Array) => Buffer.from(file).subarray(-LOUD.frames * 4);
    expect(samples(bytes).equals(samples(wav(LOUD.rate, 2, LOUD.frames, 0.5)))).toBe(true);
  });

  it("refuses a bit rate of a format without one when the definition is published", async () => {
    await expect(
      run("audio/convert", { format: "wav", bitrate_kbps: 128 }, "audio", ["loud.wav"]),
    ).rejects.toThrow("INVALID_PARAMETER");
  });
});

describe("audio/concat and audio/mix", () => {
  it("join sounds with a gap, in the form of the first", async () => {
    const { execution, document, file } = await run(
      "audio/concat",
      { gap_seconds: 0.5 },
      "clips",
      ["quiet.wav", "loud.wav"],
      ["processing_report"],
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.01 });
    const gap = QUIET.rate / 2;
    const frames = QUIET.frames + gap + LOUD.frames / 2;
    expect(document("measured")).toMatchObject({
      sample_rate: QUIET.rate,
      channels: 1,
      samples: frames,
      codec: "pcm_s16",
    });
    const { bytes } = await file();
    const samples = new Int16Array(Uint8Array.from(bytes.subarray(-frames * 2)).buffer);
    expect(samples.subarray(QUIET.frames, QUIET.frames + gap).every((one) => one === 0)).toBe(true);
    expect(samples.subarray(0, QUIET.frames).some((one) => one !== 0)).toBe(true);
    expect(document("processing_report")).toMatchObject({
      operation: "concat",
      inputs: [
        { port: "clips", samples: QUIET.frames },
        { port: "clips", samples: LOUD.frames },
      ],
      output: { samples: frames, format: "wav", codec: "pcm_s16", bit_depth: 16 },
      settings: { gap_seconds: 0.5 },
      results: { overload_gain_db: 0 },
      warnings: [],
    });
    expect(await problems("svc.audio-processing-report/v1", document("processing_report"))).toEqual(
      [],
    );
  });

  it("fade sounds into each other, by at most half of the shorter one", async () => {
    const { document } = await run("audio/concat", { crossfade_ms: 10_000 }, "clips", [
      "loud.wav",
      "loud.wav",
    ]);
    expect(document("measured")).toMatchObject({ samples: LOUD.frames * 1.5 });
  });

  it("add sounds, and turn an overload down as a whole", async () => {
    const { document } = await run(
      "audio/mix",
      { gains_db: [6, 6], length: "shortest" },
      "tracks",
      ["loud.wav", "loud.wav", "quiet.wav"],
      ["processing_report"],
    );
    expect(document("measured")).toMatchObject({ samples: QUIET.frames * 2, channels: 2 });
    expect(peakOf(document("measured"))).toBeCloseTo(0, 2);
    const report = document("processing_report") as unknown as {
      readonly results: { readonly overload_gain_db: number };
    };
    expect(report.results.overload_gain_db).toBeLessThan(-5);
    expect(report).toMatchObject({ settings: { gains_db: [6, 6, 0], length: "shortest" } });
  });
});

describe("audio/mix with a track that is absent", () => {
  it("keeps the gains of the others", async () => {
    const { document } = await run(
      "audio/mix",
      { gains_db: [6, -20], length: "first" },
      "tracks",
      [null, "loud.wav", "quiet.wav"],
      ["processing_report"],
    );
    expect(document("processing_report")).toMatchObject({ settings: { gains_db: [-20, 0] } });
    expect(document("measured")).toMatchObject({ samples: LOUD.frames });
    // 0.5 at -20 dB and 0.1, of the same tone.
    expect(peakOf(document("measured"))).toBeCloseTo(20 * Math.log10(0.15), 1);
  });
});

describe("audio/loudness_normalize", () => {
  it("brings a sound to a loudness, exactly, and reports it before and after", async () => {
    const { execution, document } = await run(
      "audio/loudness_normalize",
      { target_lufs: -23, format: "flac" },
      "audio",
      ["loud.wav"],
      ["before", "after", "processing_report", "quality_check"],
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.02 });
    const integrated = (name: string) =>
      (document(name) as unknown as { readonly loudness: { readonly integrated_lufs: number } })
        .loudness.integrated_lufs;
    expect(integrated("before")).toBeGreaterThan(-10);
    expect(integrated("after")).toBeCloseTo(-23, 1);
    expect(integrated("measured")).toBeCloseTo(-23, 1);
    expect(document("measured")).toMatchObject({ samples: LOUD.frames, codec: "flac" });
    expect(document("quality_check")).toMatchObject({ passed: true });
    for (const [ref, name] of [
      ["svc.audio-quality-report/v1", "before"],
      ["svc.audio-quality-report/v1", "after"],
      ["svc.audio-processing-report/v1", "processing_report"],
      ["svc.quality-check/v1", "quality_check"],
    ] as const) {
      expect(await problems(ref, document(name)), name).toEqual([]);
    }
  });

  it("holds the true peak with its limiter where the gain would exceed it", async () => {
    const { document } = await run(
      "audio/loudness_normalize",
      { target_lufs: -5, true_peak_db: -3, mode: "single_pass" },
      "audio",
      ["quiet.wav"],
      ["after", "processing_report"],
    );
    const peak = (document("after") as { peaks: { true_peak_dbtp: number } }).peaks.true_peak_dbtp;
    expect(peak).toBeLessThanOrEqual(-2.95);
    expect(document("processing_report")).toMatchObject({
      settings: { mode: "single_pass" },
      results: { passes: 1, limited: true },
    });
  });
});

describe("audio/fit_duration", () => {
  it("stretches a sound to a duration, exact to the sample", async () => {
    const { execution, document } = await run(
      "audio/fit_duration",
      { target_duration: 1.75 },
      "audio",
      ["loud.wav"],
      ["fit_report", "quality_check"],
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.02 });
    expect(document("measured")).toMatchObject({ samples: 1.75 * LOUD.rate });
    expect(document("fit_report")).toMatchObject({
      operation: "fit_duration",
      results: { outcome: "fitted", target_source: "saved", target_seconds: 1.75 },
    });
    expect(await problems("svc.audio-processing-report/v1", document("fit_report"))).toEqual([]);
    expect(document("quality_check")).toMatchObject({ passed: true });
  });

  it("pads what would have to be too slow, and fails where that is asked for", async () => {
    const clamped = await run("audio/fit_duration", { target_duration: 6 }, "audio", ["loud.wav"]);
    expect(clamped.document("measured")).toMatchObject({ samples: 6 * LOUD.rate });
    const { execution } = await run(
      "audio/fit_duration",
      { target_duration: 6, on_out_of_range: "fail" },
      "audio",
      ["loud.wav"],
    );
    expect(execution).toMatchObject({ status: "failed", error_code: "FIT_OUT_OF_RANGE" });
  });

  it("needs a target when the definition is published", async () => {
    await expect(run("audio/fit_duration", {}, "audio", ["loud.wav"])).rejects.toThrow(
      "PORT_NOT_CONNECTED",
    );
  });
});

describe("audio/duck", () => {
  it("turns the background down under the foreground, and returns it alone, too", async () => {
    const { execution, document, file } = await run(
      "audio/duck",
      { profile: "music_bed", loop_background: true },
      ["foreground", "background"],
      ["quiet.wav", "loud.wav"],
      ["ducking_report", "quality_check"],
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.02 });
    // The rate and the length of the foreground, the channels of the background.
    expect(document("measured")).toMatchObject({
      samples: QUIET.frames,
      sample_rate: QUIET.rate,
      channels: 2,
    });
    expect((await file()).name).toBe("audio.wav");
    expect(document("ducking_report")).toMatchObject({
      operation: "duck",
      inputs: [{ port: "foreground" }, { port: "background" }],
      settings: { profile: "music_bed", threshold_db: -40, loop_background: true },
      results: { overload_gain_db: 0 },
    });
    const { results } = document("ducking_report") as unknown as {
      readonly results: { readonly max_reduction_db: number };
    };
    // The foreground is 20 dB above the threshold, of which the ratio leaves a twentieth.
    expect(results.max_reduction_db).toBeCloseTo(19, 0);
    expect(await problems("svc.audio-processing-report/v1", document("ducking_report"))).toEqual(
      [],
    );
    expect(document("quality_check")).toMatchObject({ passed: true });
  });

  it("turns an overload of the sum down as a whole, and not the background alone", async () => {
    const { document, file } = await run(
      "audio/duck",
      { foreground_gain_db: 12 },
      ["foreground", "background"],
      ["loud.wav", "quiet.wav"],
      ["ducking_report", "quality_check"],
    );
    expect((await file()).name).toBe("audio.wav");
    expect(peakOf(document("measured"))).toBeCloseTo(0, 2);
    const { results } = document("ducking_report") as unknown as {
      readonly results: { readonly overload_gain_db: number };
    };
    expect(results.overload_gain_db).toBeLessThan(-5);
    expect(document("quality_check")).toMatchObject({
      checks: [{ id: "ducked" }, { id: "overload", passed: false }],
    });
  });

  it("needs the controls that the profile custom does not have", async () => {
    await expect(
      run(
        "audio/duck",
        { profile: "custom", ratio: 2 },
        ["foreground", "background"],
        ["quiet.wav", "loud.wav"],
      ),
    ).rejects.toThrow("INVALID_PARAMETER");
  });
});

describe("audio/speech_enhance", () => {
  it.each(["light", "podcast"])("keeps the length with the profile %s", async (profile) => {
    const { execution, document } = await run(
      "audio/speech_enhance",
      { profile },
      "audio",
      ["quiet.wav"],
      ["processing_report", "quality_check"],
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.02 });
    expect(document("measured")).toMatchObject({ samples: QUIET.frames, sample_rate: QUIET.rate });
    expect(document("processing_report")).toMatchObject({
      settings: { profile, denoise_technique: profile === "light" ? "spectral" : "neural" },
    });
    expect(await problems("svc.audio-processing-report/v1", document("processing_report"))).toEqual(
      [],
    );
  });
});
