/**
 * What must stay between a run and its providers (docs/contract/models.md#calls): marked prompts, inputs, answers, bodies of
 * failures, addresses, keys and headers, in runs that succeed, that fail in every way, and whose jobs fail. None of the marks is
 * in the log, a trace, an error, an event or a list; `text` events and outputs have the answers, and nothing else. Workers AI
 * has no binding in the local service: the build has one, which answers those who ask with the marked prompt, and fails with
 * marked messages if the prompt asks for that.
 */
import "../support/only-in-proof.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiClient } from "../../scripts/api-client.ts";
import { bundleWorkers } from "../../scripts/bundle-workers.ts";
import { freePort } from "../../scripts/free-port.ts";
import { type LocalService, startLocalService } from "../../scripts/local-service.ts";
import { publish } from "../../scripts/provision.ts";
import { readResult, submitRun, waitForRun } from "../../scripts/run-workflow.ts";
import { uploadAsset } from "../../scripts/upload-asset.ts";
import { type Edit, otherBuild } from "../support/node/other-build.ts";
import { startedServices } from "../support/node/started-services.ts";
import { ElevenLabsServer, voiceOf } from "../support/providers/elevenlabs-server.ts";
import { FalServer } from "../support/providers/fal-server.ts";
import { answerSpeech, answerTranscript, wavOf } from "../support/providers/openai-audio.ts";
import { answerChat, sendJson } from "../support/providers/openai-chat.ts";
import { status, text } from "../support/providers/provider-faults.ts";
import { ReplicateServer } from "../support/providers/replicate-server.ts";
import { type Answer, ScriptedServer } from "../support/providers/scripted-server.ts";
import { EventReader } from "../support/read-events.ts";

const MARKS = {
  prompt: "MARKED-prompt-4711",
  system: "MARKED-system-4712",
  answer: "MARKED-answer-4713",
  body: "MARKED-body-4714",
  address: "MARKED-address-4715",
  metadata: "MARKED-metadata-4716",
  key: "MARKED-key-4717",
  header: "MARKED-header-4718",
} as const;

const SIDE = 64;
const WAV = wavOf(12_000);
let png: Buffer;

const openai = new ScriptedServer((request, response) => openaiWorks(request, response));
const replicate = new ReplicateServer();
const fal = new FalServer();
const eleven = new ElevenLabsServer();
const servers = [openai, replicate.server, fal.server, eleven.server];
/** What each server does if nothing is wrong. */
let works: readonly Answer[];

let directory: string;
let service: LocalService;
let client: ApiClient;
let log = "";
let workflow: string;
let inputs: Record<string, { value: string } | { asset_path: string }>;
/** With which Workers AI fails. */
let broken: typeof inputs;

const openaiWorks: Answer = (request, response) => {
  const { path } = request;
  if (path.endsWith("/chat/completions")) {
    const usage = { prompt_tokens: 10, completion_tokens: 5 };
    return answerChat({ pieces: [MARKS.answer, " and more."], usage })(request, response);
  }
  if (path.includes("/images/")) {
    const url = `http://${openai.host}/files/${MARKS.address}.png`;
    sendJson(response, 200, { data: [{ url, revised_prompt: MARKS.body }] });
    return;
  }
  if (path.startsWith("/files/")) {
    response.end(png);
    return;
  }
  if (path.endsWith("/audio/speech")) {
    return answerSpeech(WAV)(request, response);
  }
  const segments = [{ start: 0, end: 1, text: MARKS.answer }];
  return answerTranscript({ text: MARKS.answer, duration: 1.5, segments })(request, response);
};

const MODELS = [
  { model: "writer", capabilities: ["text_generation"], supports_vision: true },
  { model: "painter", capabilities: ["text_to_image", "image_edit"] },
  { model: "speaker", capabilities: ["text_to_speech"] },
  { model: "listener", capabilities: ["speech_to_text"] },
].map((model) => ({
  ...model,
  remote_model: `vendor/${model.model}`,
  cost_unit: "per_request",
  credit_cost_milli_credits: 10,
}));

const OUTPUTS = [
  ["write", "text", "text"],
  ["describe", "text", "text"],
  ["paint", "result", "image"],
  ["edit", "result", "image"],
  ["predict", "result", "image"],
  ["cut", "image", "image"],
  ["say", "audio", "audio"],
  ["sing", "audio", "audio"],
  ["hear", "text", "text"],
  ["cf_write", "text", "text"],
  ["cf_paint", "result", "image"],
  ["cf_say", "audio", "audio"],
  ["cf_hear", "text", "text"],
] as const;

/** In a prompt: Workers AI fails; a shorter sound is as much to it. */
const BREAK = "BREAK";
const SHORT_WAV = wavOf(6_000);

/** The binding's answers: of chats a stream, of pictures and transcripts a value, of speech bytes. */
function workersAi(picture: Buffer): string {
  const { prompt, system, answer, body, address, metadata } = MARKS;
  const stream = [{ response: answer }, { response: "", usage: USAGE }]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join("");
  return `{
    run: async (name, inputs) => {
      const said = JSON.stringify(inputs);
      const isShort = inputs.audio?.length < ${WAV.toString("base64").length};
      if (isShort || said.includes("${BREAK}")) throw new Error("5006: ${body} at ${address}: " + said);
      if (said.includes("${metadata}")) throw new Error("metadata");
      if (name.includes("whisper")) return { text: "${answer}", transcription_info: { duration: 1.5 } };
      if (!said.includes("${prompt}")) throw new Error("no prompt");
      if (name.includes("llama")) {
        if (!said.includes("${system}")) throw new Error("no system");
        return inputs.stream === true
          ? new Response(${JSON.stringify(`${stream}data: [DONE]

`)}).body
          : { response: "${answer}", usage: ${JSON.stringify(USAGE)} };
      }
      return name.includes("flux")
        ? { image: "${picture.toString("base64")}" }
        : new Uint8Array(Buffer.from("${WAV.toString("base64")}", "base64"));
    },
  }`;
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const bindingOf = (ai: string): readonly Edit[] => [
  {
    file: "src/providers/provider-io.ts",
    from: "...(env.AI !== undefined && { ai: told(env.AI, onRequest) }),",
    to: `ai: told(${ai}, onRequest),`,
  },
  {
    file: "src/workers/runner/model-providers.ts",
    from: "id === WORKERS_AI_PROVIDER_ID && env.AI !== undefined;",
    to: "id === WORKERS_AI_PROVIDER_ID;",
  },
  {
    file: "src/domain/models/workspace-models.ts",
    from: "(AI === undefined",
    to: "(AI !== undefined",
  },
];

function definition() {
  const wire = (from: string, output: string, to: string, input: string) => ({
    from: { node: from, port: output },
    to: { node: to, port: input },
  });
  const size = { width: SIDE, height: SIDE };
  return {
    nodes: [
      { id: "prompt", type: "input/text", label: "prompt" },
      { id: "photo", type: "input/image", label: "photo" },
      { id: "song", type: "input/audio", label: "song" },
      {
        id: "write",
        type: "ai/text_generation",
        parameters: { model: "writer", system: MARKS.system },
      },
      { id: "describe", type: "ai/text_generation", parameters: { model: "writer" } },
      { id: "paint", type: "ai/text_to_image", parameters: { model: "painter", ...size } },
      { id: "edit", type: "ai/magic_box", parameters: { model: "painter" } },
      { id: "predict", type: "ai/text_to_image", parameters: { model: "flux-schnell", ...size } },
      { id: "cut", type: "ai/remove_background", parameters: { model: "fal-birefnet" } },
      { id: "say", type: "ai/text_to_speech", parameters: { model: "speaker" } },
      {
        id: "sing",
        type: "ai/text_to_speech",
        parameters: { model: "eleven-flash-v2-5", voice: voiceOf(1).voice_id },
      },
      { id: "hear", type: "ai/speech_to_text", parameters: { model: "listener" } },
      {
        id: "cf_write",
        type: "ai/text_generation",
        parameters: { model: "cf-llama-3-3-70b", system: MARKS.system },
      },
      { id: "cf_paint", type: "ai/text_to_image", parameters: { model: "cf-flux-schnell" } },
      { id: "cf_say", type: "ai/text_to_speech", parameters: { model: "cf-aura-1" } },
      { id: "cf_hear", type: "ai/speech_to_text", parameters: { model: "cf-whisper-turbo" } },
      ...OUTPUTS.map(([node, , type]) => ({
        id: `${node}_out`,
        type: `output/${type}`,
        parameters: { key: node },
      })),
    ],
    connections: [
      ...["write", "describe", "paint", "edit", "predict", "cf_write", "cf_paint"].map((to) =>
        wire("prompt", "text", to, "prompt"),
      ),
      wire("prompt", "text", "say", "text"),
      wire("prompt", "text", "sing", "text"),
      wire("prompt", "text", "cf_say", "text"),
      wire("photo", "image", "describe", "images"),
      wire("photo", "image", "edit", "images"),
      wire("photo", "image", "cut", "image"),
      wire("song", "audio", "hear", "audio"),
      wire("song", "audio", "cf_hear", "audio"),
      ...OUTPUTS.map(([node, port, type]) => wire(node, port, `${node}_out`, type)),
    ],
  };
}

function operator(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${service.baseUrl}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.credentials.admin_token}`,
      "content-type": "application/json",
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

beforeAll(async () => {
  const plain = sharp({
    create: { width: SIDE, height: SIDE, channels: 3, background: "#a04" },
  });
  png = await plain.clone().png().toBuffer();
  const photo = await plain
    .clone()
    .withExif({ IFD0: { ImageDescription: MARKS.metadata } })
    .jpeg()
    .toBuffer();
  expect(photo.includes(MARKS.metadata)).toBe(true);
  replicate.file = png;
  replicate.output = (_prediction, origin) => [`${origin}/files/${MARKS.address}.png`];
  fal.files = { png };
  works = servers.map(({ answer }) => answer);
  await Promise.all(servers.map((server) => server.start()));
  directory = await mkdtemp(join(tmpdir(), "edgeloom-privacy-"));
  const hosts = servers.map(({ host }) => host).join(",");
  const edits = bindingOf(workersAi(png));
  const missing = new Set(edits);
  process.env["PROVIDERS_ALLOW_LOOPBACK"] = hosts;
  service = await startLocalService({
    port: await freePort(),
    directory,
    logTo: new Writable({
      write: (chunk, _encoding, done) => {
        log += String(chunk);
        done();
      },
    }),
    loadWorkers: (vars) => bundleWorkers(vars, [otherBuild(edits, missing)]),
  });
  delete process.env["PROVIDERS_ALLOW_LOOPBACK"];
  startedServices.add(new URL(service.baseUrl).origin);
  expect([...missing]).toEqual([]);
  client = new ApiClient(service.credentials);
  const secrets = { api_key: MARKS.key, headers: { "x-org": MARKS.header } };
  for (const [id, body] of [
    ["mine", { kind: "openai_compatible", base_url: `http://${openai.host}/v1`, models: MODELS }],
    ["rep", { kind: "replicate", base_url: replicate.base }],
    ["queue", { kind: "fal", base_url: fal.origin }],
    ["eleven", { kind: "elevenlabs", base_url: eleven.origin }],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- four providers
    const response = await operator("PUT", `/providers/${id}`, { ...body, ...secrets });
    // oxlint-disable-next-line no-await-in-loop -- four providers
    expect(response.status, await response.text()).toBe(200);
  }
  workflow = await publish(client, { name: "Private", definition: definition() } as never);
  inputs = {
    prompt: { value: JSON.stringify(`A kite. ${MARKS.prompt}`) },
    photo: { asset_path: await uploadAsset(client, "photo.jpg", photo) },
    song: { asset_path: await uploadAsset(client, "song.wav", WAV) },
  };
  broken = {
    ...inputs,
    prompt: { value: JSON.stringify(`${BREAK}. ${MARKS.prompt}`) },
    song: { asset_path: await uploadAsset(client, "short.wav", SHORT_WAV) },
  };
});

afterAll(async () => {
  await service.stop();
  servers.forEach((server) => {
    server.stop();
  });
  await rm(directory, { recursive: true, force: true });
});

interface Said {
  readonly status: string;
  readonly runId: string;
  /** By name of what a caller or an operator reads. */
  readonly surfaces: ReadonlyMap<string, string>;
  /** The deltas of the `text` events. */
  readonly texts: string;
}

/** Runs the workflow and reads everything about the run except for its outputs. */
async function said(ownInputs = inputs): Promise<Said> {
  const runId = await submitRun(client, { workflow, inputs: ownInputs } as never);
  const headers = { authorization: `Bearer ${await client.token()}` };
  const path = `/api/v1/executions/${runId}`;
  const { body } = await fetch(`${service.baseUrl}${path}/events`, { headers });
  const reader = new EventReader(body!);
  const reading = reader.until(() => false);
  const { status: ended } = await waitForRun(client, runId);
  await reading;
  const surfaces = new Map<string, string>();
  const isText = ({ event }: { readonly event: string }) => event === "text";
  surfaces.set("events", JSON.stringify(reader.events.filter((event) => !isText(event))));
  const read = async (name: string, of: string) => {
    const value = await client.call<Record<string, unknown>>("GET", of);
    surfaces.set(name, withoutOutputs(value));
  };
  await read("execution", path);
  await read("executions", "/api/v1/executions");
  await read("trace", `${path}/trace`);
  await read("models", "/api/v1/models");
  for (const [node] of OUTPUTS) {
    // oxlint-disable-next-line no-await-in-loop -- thirteen nodes
    await read(`iterations of ${node}`, `${path}/trace/nodes/${node}/iterations`);
  }
  surfaces.set("log", log);
  const texts = reader.events.filter(isText).map(({ data }) => String(data.delta));
  return { status: ended, runId, surfaces, texts: texts.join("") };
}

function withoutOutputs(value: unknown): string {
  return JSON.stringify(value, (name, one: unknown) => (name === "outputs" ? undefined : one));
}

/** `surface: mark` of each mark, and of each provider's host, that a surface has. */
function marksIn(surfaces: Iterable<readonly [name: string, text: string]>): readonly string[] {
  const marks = [...Object.values(MARKS), ...servers.map(({ host }) => host)];
  return [...surfaces].flatMap(([name, of]) =>
    marks.filter((mark) => of.includes(mark)).map((mark) => `${name}: ${mark}`),
  );
}

/** From now on the servers answer requests for work with these, in turn for each path, the last one again and again. */
function answerWith(answers: readonly Answer[]): void {
  const times = new Map<string, number>();
  servers.forEach((server, at) => {
    server.answer = (request, response) => {
      if (request.method !== "POST" || request.path.endsWith("/cancel")) {
        return works[at]?.(request, response);
      }
      const place = `${at}${request.path}`;
      const time = times.get(place) ?? 0;
      times.set(place, time + 1);
      return (answers[time] ?? answers.at(-1))?.(request, response);
    };
  });
}

/** The bodies of all requests, and what is in them as base64. */
function sentBodies(): readonly Buffer[] {
  return servers.flatMap(({ received }) =>
    received.flatMap(({ body }) => [
      body,
      ...[...body.toString("latin1").matchAll(/;base64,([A-Za-z0-9+/=]+)/g)].map(([, base64]) =>
        Buffer.from(base64 ?? "", "base64"),
      ),
    ]),
  );
}

it("a run that succeeds shows nothing of it outside of its outputs and `text` events", async () => {
  const { status: ended, runId, surfaces, texts } = await said();
  expect([ended, marksIn(surfaces)]).toEqual(["completed", []]);
  // The marks were there: in what the providers received, in the outputs, in the text as it grew.
  const bodies = sentBodies();
  const [key, header] = [MARKS.key, MARKS.header].map((mark) =>
    servers.map(({ received }) =>
      received.some(({ headers }) => JSON.stringify(headers).includes(mark)),
    ),
  );
  expect([key, header]).toEqual([servers.map(() => true), servers.map(() => true)]);
  expect(
    [MARKS.prompt, MARKS.system].map((mark) => bodies.some((one) => one.includes(mark))),
  ).toEqual([true, true]);
  const { result } = await readResult(client, runId);
  expect(marksIn([["result", JSON.stringify(result)]])).toEqual([`result: ${MARKS.answer}`]);
  expect(marksIn([["texts", texts]])).toEqual([`texts: ${MARKS.answer}`]);
  // Pictures left without their metadata, as base64 and as parts of forms.
  expect(
    bodies.filter((one) => one.includes(Buffer.from([0xff, 0xd8, 0xff]))).length,
  ).toBeGreaterThan(2);
  expect(bodies.filter((one) => one.includes(MARKS.metadata))).toEqual([]);
});

it("neither does one whose calls break off, fail, return pages and are rejected", async () => {
  answerWith([
    (_request, response) => {
      response.socket?.resetAndDestroy();
    },
    status(500, { error: { message: MARKS.body, param: MARKS.prompt } }),
    text(`<!DOCTYPE html><title>${MARKS.body}</title>`, "text/html"),
    status(422, { error: { message: MARKS.body }, detail: MARKS.body }),
  ]);
  const { status: ended, surfaces, texts } = await said(broken);
  expect([ended, marksIn(surfaces), texts]).toEqual(["failed", [], ""]);
  // Operators learn of the failures all the same.
  expect(surfaces.get("log")).toContain("task.failed");
  const codes = OUTPUTS.map(([node]) => {
    const read = JSON.parse(surfaces.get(`iterations of ${node}`) ?? "") as {
      readonly data: readonly { readonly error: { readonly code: string } | null }[];
    };
    return read.data[0]?.error?.code;
  });
  // Every node has failed, as the last answer says, or because two answers were lost.
  expect(codes.filter((code) => code?.startsWith("PROVIDER_") !== true)).toEqual([]);
});

it("nor one whose jobs fail and whose keys are refused", async () => {
  answerWith([status(401, { error: { message: `${MARKS.body} ${MARKS.key}` } })]);
  replicate.server.answer = works[1]!;
  replicate.error = `CUDA ${MARKS.body} at ${MARKS.address}`;
  fal.server.answer = works[2]!;
  fal.result = () => ({
    status: 500,
    body: { detail: [{ loc: ["body"], msg: MARKS.body, type: "internal_server_error" }] },
  });
  const { status: ended, surfaces } = await said(broken);
  expect([ended, marksIn(surfaces)]).toEqual(["failed", []]);
  const trace = surfaces.get("trace") ?? "";
  expect(trace).toContain('"provider":"rep"');
});

it("problems and lists of the operator have neither keys nor values of headers", async () => {
  answerWith([status(401, { error: { message: MARKS.body } })]);
  const refused = await operator("PUT", "/providers/mine", {
    kind: "openai_compatible",
    base_url: `http://${openai.host}/v1`,
    api_key: `${MARKS.key}\n`,
    headers: { "x org": MARKS.header },
  });
  expect(refused.status).toBe(400);
  const surfaces = new Map([["refused", await refused.text()]]);
  openai.answer = status(401, { error: { message: MARKS.body } });
  const paths = ["/providers", "/providers/mine", "/providers/mine/check"];
  for (const path of paths) {
    // oxlint-disable-next-line no-await-in-loop -- three answers
    const response = await operator(path.endsWith("check") ? "POST" : "GET", path);
    expect(response.status).toBe(200);
    // oxlint-disable-next-line no-await-in-loop -- three answers
    surfaces.set(path, await response.text());
  }
  surfaces.set("log", log);
  // Operators see the addresses that they have configured.
  const hosts = servers.map(({ host }) => host);
  const isOwn = (found: string) =>
    found.startsWith("/providers") && hosts.some((host) => found.endsWith(host));
  expect(marksIn(surfaces).filter((found) => !isOwn(found))).toEqual([]);
});
