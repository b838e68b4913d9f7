/** AI nodes with the sample models: real runs, their files read by other decoders, and their money. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { beforeAll, describe, expect } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { STEM_NAMES } from "../../src/contracts/models/model-calls.ts";
import { compileSchema } from "../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../src/lib/json/exact-json.ts";
import { wavHeader } from "../../src/providers/sample/sound/wav-writer.ts";
import { mediaFixture } from "../support/media/read-codecs.ts";
import { wavFile } from "../support/media/wav-file.ts";
import { describeOfOneSize, testInProof, testOfOneSize as it } from "../support/in-proof.ts";
import { readOutputs } from "../support/node/read-outputs.ts";
import { sharedService, type SharedService } from "../support/node/shared-service.ts";

let service: SharedService;

beforeAll(async () => {
  service = await sharedService();
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

/** Publishes and runs a definition; returns the execution and the files of its outputs by key. */
async function run(definition: object, inputs: Record<string, unknown>) {
  const workflow = await publish(service.client, { name: "Sample", definition } as never);
  const id = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, id);
  const { result } = await readOutputs(service.client, id);
  const file = async (key: string) => {
    const response = await fetch(result.by_key[key]?.url ?? "");
    return {
      type: response.headers.get("content-type"),
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  return { id, execution, file };
}

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** The colors of the lowest rows, which say that a picture is a sample: the band and the letters in it. */
async function bandOf(bytes: Buffer) {
  const { data, info } = await sharp(bytes)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const rows = Math.max(16, Math.ceil(info.height * 0.08));
  const band = data.subarray((info.height - rows) * info.width * 3);
  const pixels = new Set<string>();
  for (let at = 0; at < band.length; at += 3) {
    pixels.add(band.subarray(at, at + 3).toString("hex"));
  }
  return { width: info.width, height: info.height, pixels };
}

const MADE = {
  nodes: [
    node("prompt", "input/text"),
    node("make", "ai/text_to_image", {
      variants: 2,
      width: 320,
      height: 200,
      preset: "watercolor",
      effect: "film_grain",
    }),
    node("first", "output/image", { key: "first" }),
    node("second", "output/image", { key: "second" }),
  ],
  connections: [
    wire("prompt.text", "make.prompt"),
    wire("make.variant_1", "first.image"),
    wire("make.variant_2", "second.image"),
  ],
};

describeOfOneSize("ai/text_to_image", () => {
  it("makes labeled variants of the requested size, the same for the same inputs, and is charged for each", async () => {
    const inputs = { prompt: { value: JSON.stringify("A red kite over the sea") } };
    const [once, again] = [await run(MADE, inputs), await run(MADE, inputs)];
    expect(once.execution).toMatchObject({ status: "completed", credits_used: 0.2 });
    const files = await Promise.all(
      [once, again].flatMap(({ file }) => [file("first"), file("second")]),
    );
    const [first, second] = files;
    expect(first?.type).toBe("image/png");
    expect(first?.bytes.equals(files[2]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(second?.bytes.equals(files[3]?.bytes ?? Buffer.alloc(0))).toBe(true);
    expect(first?.bytes.equals(second?.bytes ?? Buffer.alloc(0))).toBe(false);
    const { width, height, pixels } = await bandOf(first?.bytes ?? Buffer.alloc(0));
    expect([width, height]).toEqual([320, 200]);
    expect([pixels.has("111827"), pixels.has("ffffff")]).toEqual([true, true]);
  });
});

describeOfOneSize("pictures with an input picture", () => {
  it("have its proportions, in the requested format, without its metadata", async () => {
    const photo = await sharp({
      create: { width: 60, height: 90, channels: 3, background: "#cc3344" },
    })
      .withExif({ IFD0: { Copyright: "MARKER" } })
      .jpeg()
      .toBuffer();
    const path = await uploadAsset(service.client, "photo.jpg", photo);
    const { execution, file } = await run(
      {
        nodes: [
          node("photo", "input/image"),
          node("make", "ai/product_photography", { preset: "marble", output_format: "webp" }),
          node("out", "output/image", { key: "out" }),
        ],
        connections: [wire("photo.image", "make.product"), wire("make.result", "out.image")],
      },
      { photo: { asset_path: path } },
    );
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.1 });
    const { type, bytes } = await file("out");
    expect(type).toBe("image/webp");
    expect(await bandOf(bytes)).toMatchObject({ width: 683, height: 1_024 });
    expect(bytes.includes("MARKER")).toBe(false);
  });
});

describeOfOneSize("ai/text_generation", () => {
  it("returns a document of a schema, and is charged for its tokens", async () => {
    const schema = {
      type: "object",
      required: ["caption", "tags"],
      properties: {
        caption: { type: "string", minLength: 10 },
        tags: { type: "array", items: { enum: ["sea", "sky"] }, minItems: 2 },
      },
    };
    const { id, execution } = await run(
      {
        nodes: [
          node("prompt", "input/text"),
          node("fill", "ai/text_generation", { json_schema: schema, preset: "friendly" }),
          node("write", "ai/text_generation"),
          node("values", "output/json", { key: "values" }),
          node("text", "output/text", { key: "text" }),
        ],
        connections: [
          wire("prompt.text", "fill.prompt"),
          wire("prompt.text", "write.prompt"),
          wire("fill.json", "values.json"),
          wire("write.text", "text.text"),
        ],
      },
      { prompt: { value: JSON.stringify("Describe the kite") } },
    );
    expect(execution).toMatchObject({ status: "completed" });
    // At most a milli-credit each: some tokens at 2 and 6 for 1,000.
    expect(execution.credits_used).toBe(0.002);
    const { result } = await readOutputs(service.client, id);
    expect(result.by_key["values"]?.value).toEqual({ caption: "samplesamp", tags: ["sea", "sea"] });
    expect(result.by_key["text"]?.value).toMatch(/^\[sample\] .* 3 words and 0 images\.$/);
  });
});

describeOfOneSize("an estimate of models", () => {
  it("is exact for pictures, and a ceiling with a warning for what is known only afterwards", async () => {
    const { client } = service;
    const inputs = { prompt: { value: JSON.stringify("A red kite") } };
    const estimate = async (definition: object) => {
      const workflow = await publish(client, { name: "Estimate", definition } as never);
      return await client.call("POST", `/api/v1/workflows/${workflow}/estimate`, {
        body: { inputs },
      });
    };
    expect(await estimate(MADE)).toMatchObject({
      estimated_milli_credits: 200,
      is_exact: true,
      warnings: [],
    });
    const writing = (parameters: object) => ({
      nodes: [
        node("prompt", "input/text"),
        node("write", "ai/text_generation", parameters),
        node("text", "output/text", { key: "text" }),
      ],
      connections: [wire("prompt.text", "write.prompt"), wire("write.text", "text.text")],
    });
    // 2 for 1,000 tokens in and 6 out, rounded up.
    expect(
      await estimate(writing({ max_input_tokens: 1_000, max_output_tokens: 100 })),
    ).toMatchObject({
      estimated_milli_credits: 3,
      is_exact: false,
      warnings: [{ code: "COST_IS_A_CEILING", node_id: "write" }],
    });
    const withFallback = {
      ...MADE,
      nodes: MADE.nodes.map((each) =>
        each.id === "make"
          ? {
              ...each,
              parameters: {
                ...(each.parameters as object),
                model: "sample-image",
                fallback_models: ["sample-image"],
              },
            }
          : each,
      ),
    };
    expect(await estimate(withFallback)).toMatchObject({
      is_exact: false,
      warnings: [{ code: "COST_IS_A_CEILING", node_id: "make" }],
    });
  });
});

const HEARD = {
  nodes: [
    node("photo", "input/image"),
    node("cut", "ai/remove_background"),
    node("enlarge", "ai/upscale"),
    node("words", "input/text"),
    node("high", "input/text"),
    node("say", "ai/text_to_speech", { voice: "low", speed: 2, language: "en" }),
    node("hear", "ai/speech_to_text", { max_seconds: 60 }),
    node("split", "ai/stem_separation", { max_seconds: 10 }),
    node("large", "output/image", { key: "large" }),
    node("speech", "output/audio", { key: "speech" }),
    node("made", "output/json", { key: "made" }),
    node("text", "output/text", { key: "text" }),
    node("cues", "output/json", { key: "cues" }),
    ...STEM_NAMES.map((name) => node(`${name}_out`, "output/audio", { key: name })),
    node("stems", "output/json", { key: "stems" }),
  ],
  connections: [
    wire("photo.image", "cut.image"),
    wire("cut.image", "enlarge.image"),
    wire("enlarge.image", "large.image"),
    wire("words.text", "say.text"),
    wire("high.text", "say.voice"),
    wire("say.audio", "speech.audio"),
    wire("say.generation_metadata", "made.json"),
    wire("say.audio", "hear.audio"),
    wire("hear.text", "text.text"),
    wire("hear.cues", "cues.json"),
    wire("say.audio", "split.audio"),
    ...STEM_NAMES.map((name) => wire(`split.${name}`, `${name}_out.audio`)),
    wire("split.stems_manifest", "stems.json"),
  ],
};

/** The JSON Schema that the service has for a value's contract, as a check. */
async function servedCheck(value: unknown) {
  const { schema } = value as { readonly schema: string };
  const served = await service.client.call<JsonValue>("GET", `/api/v1/json-schemas/${schema}`);
  return { ref: schema, check: await compileSchema(served) };
}

const hasProbe = spawnSync("ffprobe", ["-version"]).error === undefined;

/** Duration, rate and channels of a sound by another reader. */
async function probed(bytes: Buffer): Promise<readonly [number, number, number]> {
  const entries = "stream=sample_rate,channels:format=duration";
  // From a file: ffprobe 5 knows no duration of a WAV that it cannot jump in.
  const path = join(await mkdtemp(join(tmpdir(), "edgeloom-sound-")), "sound");
  await writeFile(path, bytes);
  const child = spawn("ffprobe", ["-v", "error", "-show_entries", entries, "-of", "json", path]);
  const output: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => output.push(piece));
  await once(child, "close");
  await rm(dirname(path), { recursive: true });
  const { streams, format } = JSON.parse(Buffer.concat(output).toString()) as {
    readonly streams: readonly { readonly sample_rate: string; readonly channels: number }[];
    readonly format: { readonly duration: string };
  };
  const [stream] = streams;
  return [Number(format.duration), Number(stream?.sample_rate), stream?.channels ?? 0];
}

describe("the nodes of pictures, voices, transcripts and stems", () => {
  /** What the first run made. */
  const sounds: { readonly bytes: Buffer; readonly seconds: number }[] = [];

  it("make what their contracts say in one run, and cost what was used", async () => {
    const square = await sharp({
      create: { width: 20, height: 20, channels: 3, background: "#c02020" },
    })
      .png()
      .toBuffer();
    // Turned by its orientation: 40 × 60 upright.
    const photo = await sharp({
      create: { width: 60, height: 40, channels: 3, background: "#fff" },
    })
      .composite([{ input: square, left: 20, top: 10 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const path = await uploadAsset(service.client, "turned.jpg", photo);
    const { id, execution, file } = await run(HEARD, {
      photo: { asset_path: path },
      words: { value: JSON.stringify("One sound ......, two!") },
      high: { value: JSON.stringify("high") },
    });
    expect(execution).toMatchObject({ status: "completed" });
    // 50 for the cutout, 1 for 0.0384 megapixels, 1 for 22 characters at 40 for 1,000, and 2 and 4 for each of 2 seconds.
    expect(execution.credits_used).toBe(0.064);
    const large = await file("large");
    const { data, info } = await sharp(large.bytes).raw().toBuffer({ resolveWithObject: true });
    expect([large.type, info.width, info.height, info.channels]).toEqual(["image/png", 80, 120, 4]);
    const alphaAt = (x: number, y: number) => data[(y * 80 + x) * 4 + 3];
    expect([alphaAt(1, 1), alphaAt(40, 60)]).toEqual([0, 255]);

    const { result } = await readOutputs(service.client, id);
    const speech = await file("speech");
    const samples = (speech.bytes.length - 44) / 2;
    // 11 letters, 3 runs of white space, 8 marks; twice as fast.
    const seconds = (11 * 60 + 3 * 120 + 8 * 250) / 2 / 1_000;
    expect([speech.type, samples / 24_000]).toEqual(["audio/wav", seconds]);
    const made = result.by_key["made"]?.value;
    expect(made).toEqual({
      schema: "svc.tts-generation/v1",
      provider: "sample",
      model: "sample-voice",
      characters: 22,
      duration_seconds: seconds,
      content_type: "audio/wav",
      sample_rate: 24_000,
      channels: 1,
      sha256: sha256(speech.bytes),
      controls: {
        voice: { value: "high", source: "input" },
        speed: { value: 2, source: "parameter" },
        pitch: { value: 0, source: "model_default" },
      },
    });
    expect(result.by_key["text"]?.value).toBe("[sample] sound [sample] sound");
    const cues = result.by_key["cues"]?.value as readonly { readonly start: number }[];
    expect(cues).toMatchObject([
      { index: 0, start: 0, text: "[sample] sound" },
      { index: 1, text: "[sample] sound" },
    ]);

    const stems = result.by_key["stems"]?.value as { readonly stems: readonly object[] };
    const files = await Promise.all(STEM_NAMES.map((name) => file(name)));
    expect(stems).toMatchObject({
      schema: "svc.stem-separation/v1",
      provider: "sample",
      model: "sample-stems",
      source: { duration_seconds: seconds, sha256: sha256(speech.bytes) },
      stems: STEM_NAMES.map((name, at) => ({
        name,
        content_type: "audio/wav",
        size_bytes: 58 + samples * 4,
        sha256: sha256(files[at]?.bytes ?? Buffer.alloc(0)),
        duration_seconds: seconds,
        sample_rate: 24_000,
        channels: 1,
      })),
    });
    for (let at = 0; at < samples; at += 101) {
      const sum = files.reduce((all, { bytes }) => all + bytes.readFloatLE(58 + at * 4), 0);
      expect(Math.abs(sum - speech.bytes.readInt16LE(44 + at * 2) / 32_768)).toBeLessThan(1e-4);
    }
    for (const value of [made, stems]) {
      const { ref, check } = await servedCheck(value);
      expect([ref, check(value as JsonValue)]).toEqual([ref, []]);
      expect(check({ ...(value as object), text: "…" }).length).toBeGreaterThan(0);
    }
    sounds.push(...[speech, ...files].map(({ bytes }) => ({ bytes, seconds })));
  });

  it.skipIf(!hasProbe)("make sounds that ffprobe reads alike", async () => {
    expect(sounds).toHaveLength(5);
    for (const { bytes, seconds } of sounds) {
      // oxlint-disable-next-line no-await-in-loop -- one process at a time
      const [duration, rate, channels] = await probed(bytes);
      // It prints microseconds.
      expect(Math.abs(duration - seconds)).toBeLessThan(1e-6);
      expect([rate, channels]).toEqual([24_000, 1]);
    }
  });

  const saying = (parameters: object, ports: readonly string[] = []) => ({
    nodes: [
      node("words", "input/text"),
      node("number", "input/number"),
      node("say", "ai/text_to_speech", parameters),
      node("out", "output/audio", { key: "out" }),
    ].filter(({ id }) => id !== "number" || ports.length > 0),
    connections: [
      wire("words.text", "say.text"),
      ...ports.map((port) =>
        wire(port === "pitch" ? "number.number" : "words.text", `say.${port}`),
      ),
      wire("say.audio", "out.audio"),
    ],
  });
  const published = (definition: object) =>
    publish(service.client, { name: "Refused", definition } as never);

  it("refuse controls that the voice does not have when a workflow is published", async () => {
    await expect(published(saying({ speed: 2.5 }))).rejects.toThrow(
      /0\.5 to 2.*CONTROL_OUT_OF_RANGE/,
    );
    await expect(published(saying({ voice: "nova" }))).rejects.toThrow(/mid.*UNKNOWN_VOICE/);
    await expect(published(saying({}, ["emotion", "pitch"]))).rejects.toThrow(
      /emotion.*CONTROL_UNSUPPORTED/,
    );
    await expect(published(saying({ model: "sample-stems" }))).rejects.toThrow(
      /MODEL_NOT_SUPPORTED/,
    );
  });

  it("refuse what is too long, unreadable or out of range before anything is asked", async () => {
    const workflow = await published(saying({ max_characters: 5 }, ["pitch"]));
    const failureOf = async (words: string, pitch: number) => {
      const inputs = {
        words: { value: JSON.stringify(words) },
        number: { value: JSON.stringify(pitch) },
      };
      const id = await submitRun(service.client, { workflow, inputs } as never);
      const { error_code, credits_used } = await waitForRun(service.client, id);
      return [error_code, credits_used];
    };
    expect(await failureOf("seven 7", 0)).toEqual(["INPUT_TOO_LONG", 0]);
    expect(await failureOf("seven", 13)).toEqual(["CONTROL_OUT_OF_RANGE", 0]);
    const listening = {
      nodes: [
        node("sound", "input/audio"),
        node("hear", "ai/speech_to_text", { max_seconds: 1 }),
        node("out", "output/text", { key: "out" }),
      ],
      connections: [wire("sound.audio", "hear.audio"), wire("hear.text", "out.text")],
    };
    const heard = await publish(service.client, { name: "Heard", definition: listening } as never);
    const ofSound = async (name: string, bytes: Buffer) => {
      const sound = { asset_path: await uploadAsset(service.client, name, bytes) };
      const id = await submitRun(service.client, { workflow: heard, inputs: { sound } } as never);
      return (await waitForRun(service.client, id)).error_code;
    };
    const wav = (samples: number) =>
      Buffer.concat([wavHeader("pcm16", 8_000, 1, samples), Buffer.alloc(samples * 2)]);
    expect(await ofSound("long.wav", wav(8_001))).toBe("INPUT_TOO_LONG");
    expect(await ofSound("cut.wav", wav(8_000).subarray(0, 1_000))).toBe("AUDIO_UNREADABLE");
  });

  it("refuse to enlarge a picture beyond the largest result, which may be reached", async () => {
    const enlarging = {
      nodes: [
        node("photo", "input/image"),
        node("enlarge", "ai/upscale", { scale: 2, max_output_megapixels: 1 }),
        node("out", "output/image", { key: "out" }),
      ],
      connections: [wire("photo.image", "enlarge.image"), wire("enlarge.image", "out.image")],
    };
    const ends = async (width: number) => {
      const photo = await sharp({ create: { width, height: 500, channels: 3, background: "#08f" } })
        .png()
        .toBuffer();
      const path = await uploadAsset(service.client, `${width}.png`, photo);
      const { execution } = await run(enlarging, { photo: { asset_path: path } });
      return [execution.status, execution.error_code ?? null, execution.credits_used];
    };
    expect(await ends(500)).toEqual(["completed", null, 0.02]);
    expect(await ends(501)).toEqual(["failed", "IMAGE_TOO_LARGE", 0]);
  });

  testInProof(
    "separate ten minutes of sound, and refuse more before anything is asked",
    async () => {
      const separating = {
        nodes: [
          node("sound", "input/audio"),
          node("split", "ai/stem_separation"),
          node("stems", "output/json", { key: "stems" }),
        ],
        connections: [
          wire("sound.audio", "split.audio"),
          wire("split.stems_manifest", "stems.json"),
        ],
      };
      const rate = 8_000;
      const samples = 600 * rate;
      const tone = Buffer.alloc((samples + 1) * 2);
      for (let at = 0; at <= samples; at++) {
        tone.writeInt16LE(Math.round(8_000 * Math.sin(at / 7)), at * 2);
      }
      const ends = async (count: number) => {
        const bytes = Buffer.concat([
          wavHeader("pcm16", rate, 1, count),
          tone.subarray(0, count * 2),
        ]);
        const path = await uploadAsset(service.client, `${count}.wav`, bytes);
        return await run(separating, { sound: { asset_path: path } });
      };
      const { id, execution } = await ends(samples);
      // Four credits of a thousand for each second.
      expect([execution.status, execution.credits_used]).toEqual(["completed", 2.4]);
      const { result } = await readOutputs(service.client, id);
      const made = result.by_key["stems"]?.value as { readonly stems: readonly object[] };
      expect(made.stems).toMatchObject(
        STEM_NAMES.map((name) => ({ name, duration_seconds: 600, size_bytes: 58 + samples * 4 })),
      );
      const longer = await ends(samples + 1);
      expect([longer.execution.error_code, longer.execution.credits_used]).toEqual([
        "INPUT_TOO_LONG",
        0,
      ]);
    },
    300_000,
  );
});

describeOfOneSize("sounds that the media Worker decodes for the sample models", () => {
  const wave = Uint8Array.from({ length: 16_000 }, (_, at) => (Math.floor(at / 64) % 2) * 128 + 42);
  const SOUNDS: Readonly<Record<string, Uint8Array>> = {
    "cbr.mp3": mediaFixture("cbr.mp3"),
    // Its length is not known before it has been decoded.
    "no-note.mp3": mediaFixture("no-note.mp3"),
    "stereo.flac": mediaFixture("stereo.flac"),
    "stereo.opus": mediaFixture("stereo.opus"),
    "vorbis.ogg": mediaFixture("vorbis.ogg"),
    "aac.m4a": mediaFixture("aac.m4a"),
    "alac.m4a": mediaFixture("alac.m4a"),
    "a-law.wav": wavFile({ tag: 6, bits: 8, samples: wave }),
  };
  const definition = {
    nodes: [
      node("sound", "input/audio"),
      node("hear", "ai/speech_to_text"),
      node("split", "ai/stem_separation"),
      node("convert", "audio/convert", { format: "wav" }),
      node("text", "output/text", { key: "text" }),
      node("whole", "output/audio", { key: "whole" }),
      ...STEM_NAMES.map((name) => node(`${name}_out`, "output/audio", { key: name })),
    ],
    connections: [
      wire("sound.audio", "hear.audio"),
      wire("sound.audio", "split.audio"),
      wire("sound.audio", "convert.audio"),
      wire("hear.text", "text.text"),
      wire("convert.audio", "whole.audio"),
      ...STEM_NAMES.map((name) => wire(`split.${name}`, `${name}_out.audio`)),
    ],
  };
  const hearing = {
    nodes: [
      node("sound", "input/audio"),
      node("hear", "ai/speech_to_text"),
      node("text", "output/text", { key: "text" }),
    ],
    connections: [wire("sound.audio", "hear.audio"), wire("hear.text", "text.text")],
  };
  const runOn = async (name: string, bytes: Uint8Array, asked: object = definition) =>
    await run(asked, {
      sound: { asset_path: await uploadAsset(service.client, name, bytes) },
    });

  it.each(Object.keys(SOUNDS))("%s is heard, and its stems sum to the file", async (name) => {
    const { id, execution, file } = await runOn(name, SOUNDS[name]!);
    expect([name, execution.status, execution.error_message ?? null]).toEqual([
      name,
      "completed",
      null,
    ]);
    const { result } = await readOutputs(service.client, id);
    expect(result.by_key["text"]?.value).toMatch(/^\[sample\] sound/);
    // The samples as the node of conversions writes them, which other programs judge.
    const whole = (await file("whole")).bytes.subarray(44);
    const stems = await Promise.all(STEM_NAMES.map(async (stem) => (await file(stem)).bytes));
    expect(stems.map(({ length }) => (length - 58) / 4)).toEqual(stems.map(() => whole.length / 2));
    let loudest = 0;
    for (let at = 0; at < whole.length / 2; at += 7) {
      const sum = stems.reduce((all, bytes) => all + bytes.readFloatLE(58 + at * 4), 0);
      const wanted = whole.readInt16LE(at * 2) / 32_768;
      // Beyond full scale only the conversion is limited.
      expect(Math.abs(Math.max(-1, Math.min(1, sum)) - wanted)).toBeLessThan(2e-4);
      loudest = Math.max(loudest, Math.abs(wanted));
    }
    expect(loudest).toBeGreaterThan(0.05);
  });

  it("are AUDIO_UNREADABLE, and cost nothing, if they cannot be decoded to their end", async () => {
    const broken = SOUNDS["stereo.flac"]!.slice();
    broken.fill(0, 4_000);
    const { execution } = await runOn("broken.flac", broken, hearing);
    expect([execution.error_code, execution.credits_used]).toEqual(["AUDIO_UNREADABLE", 0]);
  });
});

describeOfOneSize("models that cannot be called", () => {
  it("are refused when a workflow is published, and are not listed", async () => {
    const definition = {
      ...MADE,
      nodes: MADE.nodes.map((each) =>
        each.id === "make" ? { ...each, parameters: { model: "gpt-image-1", variants: 2 } } : each,
      ),
    };
    await expect(publish(service.client, { name: "Unknown", definition } as never)).rejects.toThrow(
      /gpt-image-1/,
    );
    const { data } = await service.client.call<{ data: readonly { model: string }[] }>(
      "GET",
      "/api/v1/models",
    );
    expect(data.map(({ model }) => model)).toEqual([
      "sample-cutout",
      "sample-image",
      "sample-stems",
      "sample-text",
      "sample-transcript",
      "sample-upscale",
      "sample-voice",
    ]);
  });
});
