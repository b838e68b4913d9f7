/**
 * Runs that ask a model of an operator's provider: a server on this machine in place of Ollama or a hosted one. The
 * script of the server is known to speak the protocol (test/unit/providers/openai-compatible/chat.test.ts).
 */
import "../support/only-in-proof.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { publish } from "../../scripts/provision.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { ElevenLabsServer, voiceOf } from "../support/providers/elevenlabs-server.ts";
import { answerChat, sendJson } from "../support/providers/openai-chat.ts";
import { answerSpeech, answerTranscript, wavOf } from "../support/providers/openai-audio.ts";
import { answerPictures, readForm } from "../support/providers/openai-images.ts";
import { ScriptedServer } from "../support/providers/scripted-server.ts";
import { type RunningService, startService } from "../support/node/start-service.ts";

const KEY = "sk-MARKER-of-the-operator";
const COLOR = answerChat({
  pieces: ["Ultra", "marine", "."],
  usage: { prompt_tokens: 1_000, completion_tokens: 500 },
});

const server = new ScriptedServer(COLOR);
const eleven = new ElevenLabsServer();
let directory: string;
let service: RunningService;
let workflow: string;

async function putProvider(more: object = {}) {
  await operator("PUT", "mine", {
    kind: "openai_compatible",
    base_url: `http://${server.host}/v1`,
    api_key: KEY,
    headers: { "x-org": "MARKER-org" },
    models: [
      {
        model: "tiny",
        remote_model: "vendor/tiny-1",
        capabilities: ["text_generation"],
        cost_unit: "per_1k_tokens",
        input_milli_credits_per_1k: 20,
        output_milli_credits_per_1k: 60,
        max_tokens_field: "max_completion_tokens",
      },
      {
        model: "painter",
        remote_model: "vendor/painter-1",
        capabilities: ["text_to_image", "image_edit"],
        cost_unit: "per_image",
        credit_cost_milli_credits: 300,
        sizes: ["64x64", "160x96"],
      },
      {
        model: "measured",
        remote_model: "vendor/measured-1",
        capabilities: ["image_edit"],
        cost_unit: "per_megapixel",
        credit_cost_milli_credits: 300,
        sizes: ["64x64", "512x256"],
      },
      {
        model: "speaker",
        remote_model: "vendor/speaker-1",
        capabilities: ["text_to_speech"],
        cost_unit: "per_1k_characters",
        credit_cost_milli_credits: 1_000,
        controls: ["voice", "speed", "emotion"],
        voices: ["coral", "sage"],
      },
      {
        model: "listener",
        remote_model: "vendor/listener-1",
        capabilities: ["speech_to_text"],
        cost_unit: "per_second",
        credit_cost_milli_credits: 10,
      },
    ],
    ...more,
  });
}

async function operator(method: string, place: string, body?: object): Promise<unknown> {
  const response = await fetch(`${service.baseUrl}/admin/v1/providers/${place}`, {
    method,
    headers: {
      authorization: `Bearer ${service.credentials.admin_token}`,
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
  return await response.json();
}

beforeAll(async () => {
  await Promise.all([server.start(), eleven.server.start()]);
  directory = await mkdtemp(join(tmpdir(), "edgeloom-providers-"));
  service = await startService({
    directory,
    env: { PROVIDERS_ALLOW_LOOPBACK: `${server.host},${eleven.server.host}` },
  });
  await putProvider();
  workflow = await publish(service.client, {
    name: "Color",
    definition: {
      nodes: [
        { id: "prompt", type: "input/text", label: "prompt" },
        { id: "write", type: "ai/text_generation", parameters: { max_output_tokens: 600 } },
        { id: "text", type: "output/text", parameters: { key: "text" } },
      ],
      connections: [
        { from: { node: "prompt", port: "text" }, to: { node: "write", port: "prompt" } },
        { from: { node: "write", port: "text" }, to: { node: "text", port: "text" } },
      ],
    },
  } as never);
});

afterAll(async () => {
  await service.stop();
  server.stop();
  eleven.server.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(() => {
  server.received.length = 0;
  server.answer = COLOR;
});

async function run() {
  const inputs = { prompt: { value: JSON.stringify("Name a MARKER color.") } };
  const id = await submitRun(service.client, { workflow, inputs } as never);
  const execution = await waitForRun(service.client, id);
  return { id, execution };
}

describe("a model of an operator's provider", () => {
  it("is the default before the sample model, and is called with its own name and the operator's key", async () => {
    const { id, execution } = await run();
    // 1,000 × 20 / 1,000 + 500 × 60 / 1,000
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.05 });
    const { result } = await readResult(service.client, id);
    expect(result.by_key["text"]?.value).toBe("Ultramarine.");
    expect(server.received).toHaveLength(1);
    const [request] = server.received;
    expect(request?.path).toBe("/v1/chat/completions");
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "x-org": "MARKER-org",
    });
    expect(request?.json()).toEqual({
      model: "vendor/tiny-1",
      messages: [{ role: "user", content: "Name a MARKER color." }],
      max_completion_tokens: 600,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("is asked again after 429 and 503 with the same key, and is charged once", async () => {
    let calls = 0;
    server.answer = (request, response) => {
      calls += 1;
      if (calls === 1) {
        sendJson(response, 429, { error: { message: "MARKER" } }, { "retry-after": "0" });
        return;
      }
      if (calls === 2) {
        sendJson(response, 503, { error: { message: "MARKER" } });
        return;
      }
      void COLOR(request, response);
    };
    const { execution } = await run();
    expect(execution).toMatchObject({ status: "completed", credits_used: 0.05 });
    const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(keys[0]).toMatch(/^el-[0-9a-f]{64}$/);
  });

  it.each([
    [401, {}, "PROVIDER_AUTH_FAILED"],
    [400, { error: { code: "content_policy_violation", message: "MARKER" } }, "CONTENT_REFUSED"],
    [404, { error: { message: "MARKER" } }, "PROVIDER_REJECTED"],
  ])("that answers %i fails the node once, and costs nothing", async (status, body, code) => {
    server.answer = (_request, response) => {
      sendJson(response, status, body);
    };
    const { execution } = await run();
    expect(execution).toMatchObject({ status: "failed", error_code: code, credits_used: 0 });
    expect(server.received).toHaveLength(1);
  });

  it("is not called once it is disabled: the default is the sample model then", async () => {
    await putProvider({ enabled: false });
    try {
      const { execution } = await run();
      expect(execution).toMatchObject({ status: "completed" });
      expect(server.received).toHaveLength(0);
    } finally {
      await putProvider();
    }
  });

  it("that a workflow names is required at its submit, and nothing is created without it", async () => {
    const named = await publish(service.client, {
      name: "Named",
      definition: {
        nodes: [
          { id: "prompt", type: "input/text", label: "prompt" },
          { id: "write", type: "ai/text_generation", parameters: { model: "tiny" } },
          { id: "text", type: "output/text" },
        ],
        connections: [
          { from: { node: "prompt", port: "text" }, to: { node: "write", port: "prompt" } },
          { from: { node: "write", port: "text" }, to: { node: "text", port: "text" } },
        ],
      },
    } as never);
    const inputs = { prompt: { value: '"a"' } };
    const count = async () =>
      (
        await service.client.call<{ total_count: number }>(
          "GET",
          `/api/v1/executions?workflow=${named}`,
        )
      ).total_count;
    await putProvider({ enabled: false });
    try {
      const refused: unknown = await submitRun(service.client, {
        workflow: named,
        inputs,
      } as never).catch((error: unknown) => error);
      expect(refused).toMatchObject({ status: 400 });
      expect(String(refused)).toMatch(/validation_error.*MODEL_NOT_AVAILABLE/s);
      expect(await count()).toBe(0);
    } finally {
      await putProvider();
    }
    const id = await submitRun(service.client, { workflow: named, inputs } as never);
    expect(await waitForRun(service.client, id)).toMatchObject({ status: "completed" });
    expect(await count()).toBe(1);
  });

  it("makes pictures of the requested size, and edits them", async () => {
    const drawn = await sharp({
      create: { width: 160, height: 96, channels: 3, background: "#a04" },
    })
      .jpeg()
      .toBuffer();
    server.answer = answerPictures({ pictures: [drawn] });
    const painted = await publish(service.client, {
      name: "Kite",
      definition: {
        nodes: [
          { id: "prompt", type: "input/text", label: "prompt" },
          { id: "make", type: "ai/text_to_image", parameters: { width: 120, height: 80 } },
          { id: "edit", type: "ai/magic_box", parameters: { variants: 2, output_format: "png" } },
          { id: "made", type: "output/image", parameters: { key: "made" } },
          { id: "edited", type: "output/image", parameters: { key: "edited" } },
        ],
        connections: [
          { from: { node: "prompt", port: "text" }, to: { node: "make", port: "prompt" } },
          { from: { node: "prompt", port: "text" }, to: { node: "edit", port: "prompt" } },
          { from: { node: "make", port: "result" }, to: { node: "edit", port: "images" } },
          { from: { node: "make", port: "result" }, to: { node: "made", port: "image" } },
          { from: { node: "edit", port: "variant_2" }, to: { node: "edited", port: "image" } },
        ],
      },
    } as never);
    const inputs = { prompt: { value: '"A MARKER kite"' } };
    const id = await submitRun(service.client, { workflow: painted, inputs } as never);
    expect(await waitForRun(service.client, id)).toMatchObject({
      status: "completed",
      credits_used: 0.9,
    });
    const { result } = await readResult(service.client, id);
    const sizes = await Promise.all(
      ["made", "edited"].map(async (key) => {
        const response = await fetch(result.by_key[key]?.url ?? "");
        const { format, width, height } = await sharp(await response.arrayBuffer()).metadata();
        return [format, width, height];
      }),
    );
    expect(sizes).toEqual([
      ["jpeg", 120, 80],
      ["png", 160, 96],
    ]);
    const [first, ...edits] = server.received;
    expect(first?.json()).toEqual({
      model: "vendor/painter-1",
      prompt: "A MARKER kite",
      n: 1,
      size: "160x96",
      response_format: "b64_json",
    });
    expect(edits.map(({ path }) => path)).toEqual(["/v1/images/edits", "/v1/images/edits"]);
    expect(edits.map(({ headers }) => Number(headers["content-length"]))).toEqual(
      edits.map(({ body }) => body.length),
    );
    const form = await readForm(edits[0]!);
    expect(form.map(([name]) => name).toSorted()).toEqual([
      "image",
      "model",
      "n",
      "prompt",
      "response_format",
      "size",
    ]);
    const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(3);
  });

  it("at a price for megapixels reserves the largest of its sizes, is charged for the pixels that it made, and releases the rest", async () => {
    const pictures = [
      [512, 256],
      [400, 200],
      // More than it was asked for.
      [1_024, 512],
    ] as const;
    const [source, ...made] = await Promise.all(
      [[64, 32] as const, ...pictures].map(([width, height]) =>
        sharp({ create: { width, height, channels: 3, background: "#a04" } })
          .png()
          .toBuffer(),
      ),
    );
    const definition = {
      nodes: [
        { id: "photo", type: "input/image", label: "photo" },
        { id: "edit", type: "ai/lifestyle", parameters: { model: "measured", variants: 2 } },
        { id: "first", type: "output/image", parameters: { key: "first" } },
        { id: "second", type: "output/image", parameters: { key: "second" } },
      ],
      connections: [
        { from: { node: "photo", port: "image" }, to: { node: "edit", port: "product" } },
        { from: { node: "edit", port: "variant_1" }, to: { node: "first", port: "image" } },
        { from: { node: "edit", port: "variant_2" }, to: { node: "second", port: "image" } },
      ],
    };
    const { client, credentials } = service;
    const edited = await publish(client, { name: "Measured", definition } as never);
    const inputs = { photo: { asset_path: await uploadAsset(client, "photo.png", source!) } };
    // ⌈300 × 0.131072⌉ for each of two.
    expect(
      await client.call("POST", `/api/v1/workflows/${edited}/estimate`, { body: { inputs } }),
    ).toMatchObject({
      estimated_milli_credits: 80,
      is_exact: false,
      warnings: [{ code: "COST_IS_A_CEILING", node_id: "edit" }],
    });
    const ledgerOf = async (run: string) => {
      const path = `/admin/v1/workspaces/${credentials.workspace_id}/ledger?limit=100`;
      const response = await fetch(service.baseUrl + path, {
        headers: { authorization: `Bearer ${credentials.admin_token}` },
      });
      const { data } = (await response.json()) as {
        data: { kind: string; run?: string; milli_credits: number }[];
      };
      return data
        .filter((entry) => entry.run === run)
        .map(({ kind, milli_credits }) => `${kind} ${milli_credits}`)
        .toReversed();
    };
    // ⌈300 × 0.131072⌉ and ⌈300 × 0.08⌉ are 40 and 24; a picture that is larger than any that was asked for costs no more.
    for (const [answers, charge, ledger] of [
      [[0, 1], 64, ["reserve 80", "settle 64", "release 16"]],
      [[2, 1], 80, ["reserve 80", "settle 80"]],
    ] as const) {
      let calls = 0;
      server.answer = (request, response) => {
        const at = answers[Math.min(calls, 1)] ?? 0;
        calls += 1;
        return answerPictures({ pictures: [made[at]!] })(request, response);
      };
      // oxlint-disable-next-line no-await-in-loop -- the server has one script at a time
      const id = await submitRun(client, { workflow: edited, inputs } as never);
      // oxlint-disable-next-line no-await-in-loop -- same
      expect(await waitForRun(client, id)).toMatchObject({
        status: "completed",
        credits_used: charge / 1_000,
      });
      // oxlint-disable-next-line no-await-in-loop -- same
      expect(await ledgerOf(id)).toEqual(ledger);
    }
  });

  it("speaks a text, and transcribes what was spoken", async () => {
    // Of a server that does not know the length when it begins.
    const sound = wavOf(12_000, true);
    const heard = { start: 0, end: 1.4, text: " A kite." };
    const answers = [
      answerSpeech(sound),
      answerTranscript({ text: " A kite.", duration: 1.5, segments: [heard] }),
    ];
    server.answer = (request, response) =>
      answers[request.path.endsWith("/speech") ? 0 : 1]?.(request, response);
    const spoken = await publish(service.client, {
      name: "Speech",
      definition: {
        nodes: [
          { id: "prompt", type: "input/text", label: "prompt" },
          { id: "say", type: "ai/text_to_speech", parameters: { voice: "sage", emotion: "calm" } },
          { id: "hear", type: "ai/speech_to_text", parameters: { language: "en" } },
          { id: "audio", type: "output/audio", parameters: { key: "audio" } },
          { id: "text", type: "output/text", parameters: { key: "text" } },
        ],
        connections: [
          { from: { node: "prompt", port: "text" }, to: { node: "say", port: "text" } },
          { from: { node: "say", port: "audio" }, to: { node: "hear", port: "audio" } },
          { from: { node: "say", port: "audio" }, to: { node: "audio", port: "audio" } },
          { from: { node: "hear", port: "text" }, to: { node: "text", port: "text" } },
        ],
      },
    } as never);
    const inputs = { prompt: { value: '"A MARKER kite"' } };
    const id = await submitRun(service.client, { workflow: spoken, inputs } as never);
    // 13 characters, and 2 seconds begun.
    expect(await waitForRun(service.client, id)).toMatchObject({
      status: "completed",
      credits_used: 0.033,
    });
    const { result } = await readResult(service.client, id);
    expect(String(result.by_key["text"]?.value).trim()).toBe("A kite.");
    const stored = await fetch(result.by_key["audio"]?.url ?? "");
    expect(Buffer.from(await stored.arrayBuffer()).equals(sound)).toBe(true);
    const [say, hear] = server.received;
    expect(say?.json()).toMatchObject({
      model: "vendor/speaker-1",
      input: "A MARKER kite",
      voice: "sage",
      response_format: "wav",
      instructions: "Speak in a calm tone.",
    });
    expect(Number(hear?.headers["content-length"])).toBe(hear?.body.length);
    const form = new Map(await readForm(hear!));
    expect(form.get("file")).toEqual(["sound.wav", "audio/wav", sound.toString("base64")]);
    expect(form.get("timestamp_granularities[]")).toBe("segment");
  });

  it("leaves neither its key nor what it was sent in the log", () => {
    expect(service.log()).not.toMatch(/MARKER|Ultramarine/);
  });
});

describe("ElevenLabs", () => {
  const model = "eleven-flash-v2-5";

  it("is checked, lists its voices and speaks with one, for the characters that it reports", async () => {
    await operator("PUT", "eleven", {
      kind: "elevenlabs",
      base_url: eleven.origin,
      api_key: KEY,
    });
    expect(await operator("POST", "eleven/check")).toMatchObject({ ok: true, error_code: null });
    const path = `/api/v1/models/${model}/voices`;
    const listed = await service.client.call<{ readonly data: readonly object[] }>("GET", path);
    expect(listed.data).toHaveLength(3);
    const voice = voiceOf(1).voice_id;
    expect(listed.data[1]).toMatchObject({ voice, name: "Voice 1", language: "en" });

    const speaking = await publish(service.client, {
      name: "Say it",
      definition: {
        nodes: [
          { id: "words", type: "input/text", label: "words" },
          { id: "say", type: "ai/text_to_speech", parameters: { model, voice } },
          { id: "out", type: "output/audio", parameters: { key: "out" } },
        ],
        connections: [
          { from: { node: "words", port: "text" }, to: { node: "say", port: "text" } },
          { from: { node: "say", port: "audio" }, to: { node: "out", port: "audio" } },
        ],
      },
    } as never);
    const inputs = { words: { value: JSON.stringify("A MARKER kite rises.") } };
    const id = await submitRun(service.client, { workflow: speaking, inputs } as never);
    // 20 characters at 9,000 for 1,000.
    expect(await waitForRun(service.client, id)).toMatchObject({
      status: "completed",
      credits_used: 0.18,
    });
    const spoken = eleven.server.received.filter(({ method }) => method === "POST");
    expect(spoken.map(({ path: sent }) => sent)).toEqual([
      `/v1/text-to-speech/${voice}?output_format=mp3_44100_128`,
    ]);
    expect(service.log()).not.toMatch(/MARKER/);
  });
});
