/** Nodes of sound in real runs: files of every format go in, and what comes out is decoded here. */
import { beforeAll, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { SOUND_FORMATS } from "../../src/contracts/sound-formats.ts";
import { compileSchema } from "../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../src/lib/exact-json.ts";
import { MemorySource } from "../../src/lib/memory-source.ts";
import { openSound } from "../../src/media/container/open-sound.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";
import { DECODERS, mediaFixture } from "../support/media/read-codecs.ts";
import { formatOf, tones, writeSound } from "../support/media/written-sound.ts";

let service: SharedService;
/** Paths of uploaded sounds. */
const uploaded = new Map<string, string>();

const LOUD = { sampleRate: 44_100, frames: 66_150 };
const QUIET = { sampleRate: 22_050, frames: 22_051 };

beforeAll(async () => {
  service = await sharedService();
  const loud = tones(LOUD.sampleRate, 2, LOUD.frames);
  const quiet = tones(QUIET.sampleRate, 1, QUIET.frames).map((samples) =>
    samples.map((sample) => sample / 4),
  );
  const files = {
    "loud.wav": (await writeSound(formatOf("wav", LOUD.sampleRate, 2), loud)).bytes,
    "quiet.flac": (await writeSound(formatOf("flac", QUIET.sampleRate, 1, { bitDepth: 24 }), quiet))
      .bytes,
    "cut.wav": mediaFixture("pcm-s16.mov").slice(0, 9_000),
  };
  for (const [name, bytes] of Object.entries(files)) {
    uploaded.set(
      name,
      await uploadAsset(service.client, name.replace("cut.wav", "cut.m4a"), bytes),
    );
  }
});

const node = (id: string, type: string, parameters: unknown = {}) => ({
  id,
  type,
  label: id,
  parameters,
});
const wire = (from: string, to: string) => {
  const [a, b] = from.split(".");
  const [c, d] = to.split(".");
  return { from: { node: a, port: b }, to: { node: c, port: d } };
};

/** Runs one node on sounds; its sound is in `audio`, its documents under their ports. */
async function run(
  type: string,
  parameters: object,
  port: string,
  names: readonly string[],
  documents: readonly string[],
  hasSound = true,
) {
  const inputs = names.map((_name, index) => node(`in_${index}`, "input/audio"));
  const definition = {
    nodes: [
      ...inputs,
      node("made", type, parameters),
      ...documents.map((name) => node(name, "output/json", { key: name })),
      ...(hasSound ? [node("audio", "output/audio", { key: "audio" })] : []),
    ],
    connections: [
      ...inputs.map(({ id }) => wire(`${id}.audio`, `made.${port}`)),
      ...documents.map((name) => wire(`made.${name}`, `${name}.json`)),
      ...(hasSound ? [wire("made.audio", "audio.audio")] : []),
    ],
  };
  const workflow = await publish(service.client, { name: type, definition } as never);
  const given = Object.fromEntries(
    names.map((name, index) => [`in_${index}`, { asset_path: uploaded.get(name) }]),
  );
  const id = await submitRun(service.client, { workflow, inputs: given } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readResult(service.client, id);
  const document = (name: string) => result.by_key[name]?.value as JsonValue;
  return {
    execution,
    document,
    /** The sound, decoded. */
    async sound() {
      const response = await fetch(result.by_key["audio"]?.url ?? "");
      const bytes = new Uint8Array(await response.arrayBuffer());
      const reader = await openSound(new MemorySource(bytes, "sound"), DECODERS);
      const samples: number[] = [];
      let frames = 0;
      for await (const block of reader.blocks()) {
        frames += block[0]!.length;
        samples.push(...block[0]!);
      }
      return {
        type: response.headers.get("content-type"),
        name: result.by_key["audio"]?.file_name,
        info: reader.info,
        frames,
        peak: samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
        samples,
      };
    },
  };
}

/** Whether a document has the contract that the service publishes. */
async function conforms(ref: string, document: JsonValue): Promise<readonly unknown[]> {
  const response = await fetch(`${service.client.baseUrl}/api/v1/json-schemas/${ref}`, {
    headers: { authorization: `Bearer ${await service.client.token()}` },
  });
  const check = await compileSchema((await response.json()) as JsonValue);
  return check(document);
}

describe("audio/quality_report", () => {
  it("measures a sound and checks it, free of charge", async () => {
    const { execution, document } = await run(
      "audio/quality_report",
      { target_lufs: -40, max_true_peak_db: -20 },
      "audio",
      ["loud.wav"],
      ["metrics", "quality_check"],
      false,
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0 });
    expect(await conforms("svc.audio-quality-report/v1", document("metrics"))).toEqual([]);
    expect(await conforms("svc.quality-check/v1", document("quality_check"))).toEqual([]);
    expect(document("metrics")).toMatchObject({
      container: "wav",
      codec: "pcm_s16",
      bit_depth: 16,
      samples: LOUD.frames,
      sample_rate: LOUD.sampleRate,
      channels: 2,
      decode_errors: 0,
    });
    const failed = (
      document("quality_check") as { checks: { id: string; passed: boolean }[] }
    ).checks
      .filter(({ passed }) => !passed)
      .map(({ id }) => id);
    expect(failed).toEqual(["integrated_loudness", "true_peak"]);
  });

  it("refuses a file that is cut off, and stores nothing", async () => {
    const { execution } = await run(
      "audio/quality_report",
      {},
      "audio",
      ["cut.wav"],
      ["metrics"],
      false,
    );
    expect(execution).toMatchObject({ status: "failed", error_code: "MEDIA_TRUNCATED" });
  });
});

describe("audio/convert", () => {
  it.each(SOUND_FORMATS)("writes %s of the same length", async (format) => {
    const { execution, sound } = await run("audio/convert", { format }, "audio", ["loud.wav"], []);
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.01 });
    const { info, frames, name, peak } = await sound();
    const rate = format === "ogg" ? 48_000 : LOUD.sampleRate;
    expect(info).toMatchObject({ sampleRate: rate, channels: 2 });
    expect(Math.abs(frames - (LOUD.frames * rate) / LOUD.sampleRate)).toBeLessThanOrEqual(1);
    expect(name).toBe(`audio.${format}`);
    expect(peak).toBeGreaterThan(0.4);
  });
});

describe("audio/concat and audio/mix", () => {
  it("join sounds with a gap, in the rate of the first", async () => {
    const { execution, sound, document } = await run(
      "audio/concat",
      { gap_seconds: 0.5 },
      "clips",
      ["quiet.flac", "loud.wav"],
      ["processing_report"],
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.01 });
    const { info, frames, samples } = await sound();
    // 24 bits, because one of the inputs has them.
    expect(info).toMatchObject({ sampleRate: 22_050, channels: 1, bitDepth: 24, codec: "pcm_s24" });
    const gap = 11_025;
    expect(frames).toBe(QUIET.frames + gap + LOUD.frames / 2);
    expect(samples.slice(QUIET.frames, QUIET.frames + gap).every((one) => one === 0)).toBe(true);
    expect(document("processing_report")).toMatchObject({
      operation: "concat",
      inputs: [
        { port: "clips", samples: QUIET.frames },
        { port: "clips", samples: LOUD.frames },
      ],
      output: { samples: frames, format: "wav", codec: "pcm_s24", bit_depth: 24 },
      settings: { gap_seconds: 0.5 },
      results: { overload_gain_db: 0 },
      warnings: [],
    });
    expect(await conforms("svc.audio-processing-report/v1", document("processing_report"))).toEqual(
      [],
    );
  });

  it("fade sounds into each other, by at most half of the shorter one", async () => {
    const { sound } = await run(
      "audio/concat",
      { crossfade_ms: 10_000 },
      "clips",
      ["loud.wav", "loud.wav"],
      [],
    );
    expect((await sound()).frames).toBe(LOUD.frames * 1.5);
  });

  it("add sounds, and turn an overload down as a whole", async () => {
    const { sound, document } = await run(
      "audio/mix",
      { gains_db: [6, 6], length: "shortest" },
      "tracks",
      ["loud.wav", "loud.wav", "quiet.flac"],
      ["processing_report"],
    );
    const { frames, peak } = await sound();
    expect(frames).toBe(Math.round(QUIET.frames * 2));
    expect(peak).toBeCloseTo(1, 3);
    const report = document("processing_report") as { results: { overload_gain_db: number } };
    expect(report.results.overload_gain_db).toBeLessThan(-5);
    expect(document("processing_report")).toMatchObject({
      settings: { gains_db: [6, 6, 0], length: "shortest" },
    });
  });
});
