/**
 * docs/contract/models.md#calls: the binding `AI` of Workers AI. The fake has the inputs and outputs that Cloudflare's own
 * types give to each model.
 */
import type { Ai, AiModels } from "@cloudflare/workers-types";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import type {
  ImageRequest,
  SpeechRequest,
  TextRequest,
  TranscriptRequest,
} from "../../../../src/contracts/models/model-calls.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import type { AiBinding } from "../../../../src/platform/ai-binding.ts";
import { providerIo } from "../../../../src/providers/provider-io.ts";
import { WORKERS_AI_MODELS } from "../../../../src/providers/workers-ai/entries.ts";
import { workersAi } from "../../../../src/providers/workers-ai/workers-ai.ts";
import { soundOf } from "../../../support/models/sound-of.ts";
import { failureOf, modelOf } from "../../../support/providers/call-provider.ts";
import { wavOf } from "../../../support/providers/openai-audio.ts";
import { imageCodecs } from "../../../support/images/wasm-modules.ts";

const NAMES = {
  flux: "@cf/black-forest-labs/flux-1-schnell",
  llama: "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
  whisper: "@cf/openai/whisper-large-v3-turbo",
  aura: "@cf/deepgram/aura-1",
} as const satisfies Record<string, keyof AiModels>;
type Inputs<M extends keyof typeof NAMES> = AiModels[(typeof NAMES)[M]]["inputs"];
type Outputs<M extends keyof typeof NAMES> = AiModels[(typeof NAMES)[M]]["postProcessedOutputs"];

interface Run {
  readonly name: string;
  readonly inputs: unknown;
  readonly signal: AbortSignal | undefined;
}

/** A binding that records its runs. */
function fakeAi(run: (inputs: unknown, signal: AbortSignal | undefined) => unknown) {
  const runs: Run[] = [];
  const real = {
    run(name: string, inputs: unknown, options?: { readonly signal?: AbortSignal }) {
      runs.push({ name, inputs, signal: options?.signal });
      // The binding throws later.
      return Promise.resolve().then(() => run(inputs, options?.signal));
    },
  } as unknown as Ai;
  // Cloudflare's own binding has the type that ours asks for.
  const binding: AiBinding = real;
  return { runs, binding };
}

const abort = new AbortController();

function ioOf(ai: AiBinding, { attempt = 1, signal = abort.signal } = {}) {
  return providerIo({ ENVIRONMENT: "local", AI: ai }, workersAi, null, {
    key: "el-1",
    attempt,
    signal,
    timeoutMs: 1_000,
    openPicture: () => Promise.reject(new Error("no pictures here")),
    pixels: imageCodecs.pixels,
  });
}

function entryOf(kind: keyof typeof NAMES, timeout_ms = 1_000) {
  const entry = WORKERS_AI_MODELS.find(({ remote_model: name }) => name === NAMES[kind]);
  if (entry === undefined) {
    throw new Error(`There is no entry of ${NAMES[kind]}.`);
  }
  const { remote_model, voices = [] } = entry;
  return modelOf({ remote_model, voices, timeout_ms });
}

const PICTURE: ImageRequest = {
  capability: "text_to_image",
  prompt: "A MARKER kite",
  negativePrompt: null,
  images: [],
  size: { width: 1_024, height: 1_024 },
  seed: null,
  variant: 0,
  preset: null,
  effect: null,
  parameters: {},
};
const TEXT: TextRequest = {
  system: "Be brief.",
  prompt: "Name a MARKER color.",
  images: [],
  turns: [],
  maxOutputTokens: 64,
  temperature: null,
  seed: null,
  jsonSchema: null,
  parameters: {},
};
const WAV = wavOf(1_000);
const SPEECH: SpeechRequest = {
  text: "A kite.",
  voice: "luna",
  language: null,
  speed: null,
  pitch: null,
  emotion: null,
  parameters: {},
};
const SOUND: TranscriptRequest = {
  sound: soundOf(new MemorySource(WAV, "1"), 0.1),
  language: "en",
  parameters: {},
};

const {
  text_to_image: draw,
  text_generation: write,
  text_to_speech: speak,
  speech_to_text: transcribe,
} = workersAi.calls as Required<typeof workersAi.calls>;

async function joined(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
    pieces.push(piece.slice());
  }
  return Buffer.concat(pieces);
}

let jpeg: Buffer;
beforeAll(async () => {
  jpeg = await sharp({ create: { width: 40, height: 30, channels: 3, background: "#048" } })
    .jpeg()
    .toBuffer();
});

const streamOf = (...pieces: readonly (string | Uint8Array)[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(typeof piece === "string" ? Buffer.from(piece) : piece);
      }
      controller.close();
    },
  });

describe("the models of the catalog", () => {
  test("a picture", async () => {
    const { runs, binding } = fakeAi((): Outputs<"flux"> => ({ image: jpeg.toString("base64") }));
    const made = await draw(entryOf("flux"), PICTURE, ioOf(binding));
    expect([made.contentType, made.size]).toEqual(["image/jpeg", { width: 40, height: 30 }]);
    expect((await joined(made.bytes)).equals(jpeg)).toBe(true);
    const inputs: Inputs<"flux"> = { prompt: "A MARKER kite" };
    expect(runs).toMatchObject([{ name: NAMES.flux, inputs }]);
    expect(runs[0]?.signal).toBeInstanceOf(AbortSignal);
  });

  test("a text, whole", async () => {
    const { runs, binding } = fakeAi(() => ({
      response: "Blue.",
      usage: { prompt_tokens: 17, completion_tokens: 3, total_tokens: 20 },
    }));
    expect(await write(entryOf("llama"), TEXT, ioOf(binding), undefined)).toEqual({
      text: "Blue.",
      isCutOff: false,
      usage: { input: 17, output: 3 },
    });
    const inputs: Inputs<"llama"> = {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Name a MARKER color." },
      ],
      max_tokens: 64,
    };
    expect(runs.map((run) => run.inputs)).toEqual([inputs]);
  });

  test("a chat sends at most 8 MiB of pictures, as texts", async () => {
    const { runs, binding } = fakeAi(() => ({ response: "A kite." }));
    const ask = (bytes: number) => {
      const contentType = "image/jpeg" as const;
      const images = [8 * 1024 * 1024 - 3, bytes].map((length) => ({
        contentType,
        bytes: new Uint8Array(length),
      }));
      return write(entryOf("llama"), { ...TEXT, images }, ioOf(binding), undefined);
    };
    expect(await failureOf(ask(4))).toEqual({ code: "IMAGE_TOO_LARGE", retryable: false });
    expect(runs).toEqual([]);
    expect((await ask(3)).text).toBe("A kite.");
    expect(runs[0]?.inputs).toMatchObject({
      messages: [
        { role: "system" },
        {
          role: "user",
          content: [
            { type: "text", text: "Name a MARKER color." },
            { type: "image_url" },
            { type: "image_url", image_url: { url: "data:image/jpeg;base64,AAAA" } },
          ],
        },
      ],
    });
  });

  test("a text in pieces, with its usage", async () => {
    const { runs, binding } = fakeAi(() =>
      streamOf(
        'data: {"response":"Bl"}\n\nda',
        'ta: {"response":"ue "}\n\ndata: {"response":7}\n\n',
        'data: {"response":"","usage":{"prompt_tokens":17,"completion_tokens":64}}\n\ndata: [DONE]\n\n',
      ),
    );
    const pieces: string[] = [];
    expect(
      await write(entryOf("llama"), TEXT, ioOf(binding), (piece) => pieces.push(piece)),
    ).toEqual({ text: "Blue 7", isCutOff: true, usage: { input: 17, output: 64 } });
    expect(pieces.join("|")).toBe("Bl|ue |7|");
    expect(runs[0]?.inputs).toMatchObject({ stream: true });
  });

  test("JSON, which the binding parses", async () => {
    const { runs, binding } = fakeAi(() => ({ response: { color: "blue" } }));
    const jsonSchema = { type: "object" };
    const answer = await write(
      entryOf("llama"),
      { ...TEXT, jsonSchema },
      ioOf(binding),
      () => undefined,
    );
    expect([answer.text, answer.usage]).toEqual(['{"color":"blue"}', null]);
    expect(runs[0]?.inputs).toMatchObject({
      response_format: { type: "json_schema", json_schema: jsonSchema },
    });
    expect(runs[0]?.inputs).not.toHaveProperty("stream");
  });

  test("a voice", async () => {
    for (const output of [streamOf(WAV), new Uint8Array(WAV), new Uint8Array(WAV).buffer]) {
      const { runs, binding } = fakeAi(() => output);
      // oxlint-disable-next-line no-await-in-loop -- three outputs
      const { bytes, characters } = await speak(entryOf("aura"), SPEECH, ioOf(binding));
      // oxlint-disable-next-line no-await-in-loop -- three outputs
      expect([(await joined(bytes)).equals(WAV), characters]).toEqual([true, null]);
      const inputs: Inputs<"aura"> = {
        text: "A kite.",
        speaker: "luna",
        encoding: "linear16",
        container: "wav",
      };
      expect(runs.map((run) => run.inputs)).toEqual([inputs]);
    }
  });

  test("a transcript", async () => {
    const { runs, binding } = fakeAi((): Outputs<"whisper"> => ({
      text: "A kite.",
      segments: [{ start: 0, end: 0.1, text: "A kite." }, { text: "no times" }],
      transcription_info: { duration: 0.1, language: "en" },
    }));
    expect(await transcribe(entryOf("whisper"), SOUND, ioOf(binding))).toEqual({
      text: "A kite.",
      passages: [{ start: 0, end: 0.1, text: "A kite." }],
      seconds: 0.1,
    });
    const inputs: Inputs<"whisper"> = { audio: WAV.toString("base64"), language: "en" };
    expect(runs.map((run) => run.inputs)).toEqual([inputs]);
  });

  test("a sound that is too large is not sent", async () => {
    const { runs, binding } = fakeAi(() => ({ text: "" }));
    const source = Object.assign(new MemorySource(WAV, "1"), {});
    Object.defineProperty(source, "sizeBytes", { value: 100_000_000 });
    const sound = { ...SOUND.sound, source };
    expect(
      await failureOf(transcribe(entryOf("whisper"), { ...SOUND, sound }, ioOf(binding))),
    ).toEqual({ code: "INPUT_TOO_LONG", retryable: false });
    expect(runs).toHaveLength(0);
  });
});

const BAD = { code: "PROVIDER_BAD_OUTPUT", retryable: true };

describe("a failure has its code, whatever the binding says about it", () => {
  const thrown = (message: string, more: object = {}) =>
    Object.assign(new Error(message), { name: "InferenceUpstreamError", ...more });
  test.each([
    [thrown("3040: Capacity temporarily exceeded, MARKER"), "PROVIDER_RATE_LIMITED", true],
    [thrown("AiError: 3040: MARKER"), "PROVIDER_RATE_LIMITED", true],
    [thrown("MARKER", { internalCode: 3040 }), "PROVIDER_RATE_LIMITED", true],
    [thrown("3036: You have used up your allocation MARKER"), "PROVIDER_QUOTA_EXCEEDED", false],
    [thrown("5007: No such model MARKER"), "PROVIDER_UNAVAILABLE", true],
    [thrown("MARKER 3036"), "PROVIDER_UNAVAILABLE", true],
    ["3036: MARKER", "PROVIDER_UNAVAILABLE", true],
  ])("thrown: %s", async (error, code, retryable) => {
    const { binding } = fakeAi(() => {
      throw error;
    });
    for (const asked of [
      draw(entryOf("flux"), PICTURE, ioOf(binding)),
      write(entryOf("llama"), TEXT, ioOf(binding), undefined),
      speak(entryOf("aura"), SPEECH, ioOf(binding)),
      transcribe(entryOf("whisper"), SOUND, ioOf(binding)),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- four calls
      expect(await failureOf(asked)).toEqual({ code, retryable });
    }
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a text", "MARKER"],
    ["another object", { errors: [{ message: "MARKER" }] }],
    ["a list", ["MARKER"]],
    ["an HTML page", streamOf("<!DOCTYPE html><p>MARKER</p>")],
  ])("returned: %s", async (_, output) => {
    const asks = [
      (io: ReturnType<typeof ioOf>) =>
        draw(entryOf("flux"), PICTURE, io).then(({ bytes }) => joined(bytes)),
      (io: ReturnType<typeof ioOf>) => write(entryOf("llama"), TEXT, io, () => undefined),
      (io: ReturnType<typeof ioOf>) =>
        speak(entryOf("aura"), SPEECH, io).then(({ bytes }) => joined(bytes)),
      (io: ReturnType<typeof ioOf>) => transcribe(entryOf("whisper"), SOUND, io),
    ];
    for (const ask of asks) {
      const { binding } = fakeAi(() =>
        output instanceof ReadableStream ? streamOf("<!DOCTYPE html><p>MARKER</p>") : output,
      );
      // oxlint-disable-next-line no-await-in-loop -- four calls
      expect(await failureOf(ask(ioOf(binding)))).toEqual(BAD);
    }
  });

  test("returned: a stream in place of a value, which is cancelled", async () => {
    let cancelled = 0;
    const { binding } = fakeAi(
      () =>
        new ReadableStream<Uint8Array>({
          cancel() {
            cancelled += 1;
          },
        }),
    );
    expect(await failureOf(transcribe(entryOf("whisper"), SOUND, ioOf(binding)))).toEqual(BAD);
    expect(cancelled).toBe(1);
  });

  test.each<[string, () => unknown]>([
    ["a truncated picture", () => ({ image: jpeg.subarray(0, -2).toString("base64") })],
    ["base64 that is none", () => ({ image: "MARK*R" })],
    ["no base64", () => ({ image: 7 })],
  ])("%s", async (_, output) => {
    const { binding } = fakeAi(output);
    const made = draw(entryOf("flux"), PICTURE, ioOf(binding)).then(({ bytes }) => joined(bytes));
    expect(await failureOf(made)).toEqual(BAD);
  });

  test("a stream without an end", async () => {
    const { binding } = fakeAi(() => streamOf('data: {"response":"Bl"}\n\n'));
    expect(await failureOf(write(entryOf("llama"), TEXT, ioOf(binding), () => undefined))).toEqual(
      BAD,
    );
  });

  test("no answer in time is awaited once more, and the binding is told", async () => {
    for (const attempt of [1, 2]) {
      const { runs, binding } = fakeAi(() => new Promise(() => undefined));
      // oxlint-disable-next-line no-await-in-loop -- two attempts
      expect(
        await failureOf(draw(entryOf("flux", 30), PICTURE, ioOf(binding, { attempt }))),
      ).toEqual({ code: "PROVIDER_TIMEOUT", retryable: attempt === 1 });
      expect(runs[0]?.signal?.aborted).toBe(true);
    }
  });

  test("cancelling reaches the binding", async () => {
    const { runs, binding } = fakeAi(() => new Promise(() => undefined));
    const cancelled = new AbortController();
    const asked = draw(entryOf("flux"), PICTURE, ioOf(binding, { signal: cancelled.signal }));
    cancelled.abort(new Error("cancelled"));
    await expect(asked).rejects.toThrow("cancelled");
    expect(runs[0]?.signal?.aborted).toBe(true);
  });

  test("no binding", async () => {
    const io = ioOf(undefined as unknown as AiBinding);
    expect(await failureOf(draw(entryOf("flux"), PICTURE, io))).toEqual({
      code: "PROVIDER_UNAVAILABLE",
      retryable: true,
    });
  });
});
