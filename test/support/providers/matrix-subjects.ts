/** The calls of the error matrix: one for each provider and kind of answer, over scripted servers. */
import { isTaskNode } from "../../../durable-objects/executor/run-task.ts";
import type { ReferencedModel } from "../../../src/contracts/models/model-calls.ts";
import type { ProviderKind } from "../../../src/contracts/models/provider.ts";
import { encodePng } from "../images/encode-png.ts";
import { IMAGE_VARIANT_NODES } from "../../../src/nodes/ai/image-variants.ts";
import { aiRemoveBackground } from "../../../src/nodes/ai/remove-background.ts";
import { aiSpeechToText } from "../../../src/nodes/ai/speech-to-text.ts";
import { aiTextGeneration } from "../../../src/nodes/ai/text-generation.ts";
import { aiTextToSpeech } from "../../../src/nodes/ai/text-to-speech.ts";
import type { RunValue } from "../../../src/nodes/define-ports.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import { REQUEST_TIMEOUT_MS } from "../../../src/providers/model-entry.ts";
import { findProvider } from "../../../src/providers/providers.ts";
import { ElevenLabsServer } from "./elevenlabs-server.ts";
import { FalServer, outputOf } from "./fal-server.ts";
import { type ModelTaskWorld, START_MS, storedFile, type TaskClock } from "./model-task.ts";
import { answerSpeech, answerTranscript, wavOf } from "./openai-audio.ts";
import { answerChat, sendJson } from "./openai-chat.ts";
import { answerPictures } from "./openai-images.ts";
import { commonFaults, FAULTS_OF_JSON, status, text } from "./provider-faults.ts";
import { ReplicateServer } from "./replicate-server.ts";
import { type Answer, type ReceivedRequest, ScriptedServer } from "./scripted-server.ts";

/** One row of the error table, as a server plays it. */
export interface MatrixRow {
  readonly name: string;
  /** The request that fails: the one that asks for work, a poll, the one for a job's output, or for a file. */
  readonly at: "work" | "poll" | "output" | "file";
  readonly answer: Answer;
  readonly code: string;
  /** How often the call is repeated. */
  readonly tries: "no" | "once" | "all";
  /** The answer does not say whether the work was done. */
  readonly isLost?: boolean;
  readonly retryAfterMs?: number;
  /** A failed poll does not count as an attempt. */
  readonly isPoll?: boolean;
  /** It is not one answer that fails: the job never succeeds. */
  readonly isForGood?: boolean;
}

export interface Subject {
  readonly kind: ProviderKind;
  readonly call: string;
  readonly asks: "with keys" | "without keys" | "for jobs" | "itself";
  /** In milli-credits. */
  readonly price: number;
  readonly rows: readonly MatrixRow[];
  /** What else its server may do to a call that succeeds. */
  readonly specials: readonly { readonly name: string; readonly plan: () => void }[];
  readonly world: () => ModelTaskWorld;
  /** The server works, and has received nothing. */
  readonly begin: () => void;
  /** The next requests fail like this, one after the other, those after them succeed. */
  readonly fail: (rows: Iterable<MatrixRow>) => void;
  readonly requests: () => number;
  /** Secrets that another origin has received. */
  readonly leaks: () => readonly string[];
}

const KEY = "the-operators-key";
const HEADERS = { "x-org": "the-operators-organization" };
/** What no log, trace or failure may have. */
export const SECRETS = /MARKER|127\.0\.0\.1|the-operators/;

const PROMPT = "A MARKER kite.";
const SIDE = 64;
const TIMEOUT_MS = 1_000;
const JOB_TIMEOUT_MS = 600_000;
const PNG = Buffer.from(encodePng(new Uint8ClampedArray(SIDE * SIDE * 4).fill(120), SIDE, SIDE));
const WAV = wavOf(16_000);

const MODEL: ReferencedModel = {
  model: "model",
  provider: "mine",
  remote_model: "vendor/model-1",
  capabilities: [
    "text_to_image",
    "background_removal",
    "text_generation",
    "text_to_speech",
    "speech_to_text",
  ],
  supports_vision: true,
  cost_unit: "per_request",
  credit_cost_milli_credits: 300,
  input_milli_credits_per_1k: null,
  output_milli_credits_per_1k: null,
  controls: ["voice"],
  voices: [],
  sizes: [],
  max_input_images: 8,
  timeout_ms: TIMEOUT_MS,
  hides: [],
  parameters: [],
  json_mode: "json_schema",
  max_tokens_field: "max_tokens",
};

/** A node, what it is given, and what it costs. */
export interface Work {
  readonly call: string;
  readonly node: NodeType;
  readonly params: object;
  readonly inputs: Readonly<Record<string, RunValue>>;
  readonly model: ReferencedModel;
  readonly price: number;
}

const [textToImage] = IMAGE_VARIANT_NODES;
/** A call of each kind. */
export const WORKS = {
  text: {
    call: "text",
    node: aiTextGeneration as unknown as NodeType,
    params: { max_output_tokens: 600 },
    inputs: { prompt: PROMPT },
    model: {
      ...MODEL,
      cost_unit: "per_1k_tokens",
      input_milli_credits_per_1k: 20,
      output_milli_credits_per_1k: 60,
    },
    // 1,000 tokens in and 500 out.
    price: 50,
  },
  picture: {
    call: "picture",
    node: textToImage as NodeType,
    params: { width: SIDE, height: SIDE },
    inputs: { prompt: PROMPT },
    model: { ...MODEL, cost_unit: "per_image" },
    price: 300,
  },
  cutout: {
    call: "cutout",
    node: aiRemoveBackground as unknown as NodeType,
    params: {},
    inputs: { image: storedFile("MARKER.png", "image/png", PNG) },
    model: MODEL,
    price: 300,
  },
  speech: {
    call: "speech",
    node: aiTextToSpeech as unknown as NodeType,
    params: { voice: "voice1" },
    inputs: { text: PROMPT },
    model: { ...MODEL, cost_unit: "per_1k_characters", credit_cost_milli_credits: 1_000 },
    price: PROMPT.length,
  },
  transcript: {
    call: "transcript",
    node: aiSpeechToText as unknown as NodeType,
    params: {},
    inputs: { audio: storedFile("MARKER.wav", "audio/wav", WAV) },
    model: { ...MODEL, cost_unit: "per_second", credit_cost_milli_credits: 10 },
    // Two seconds.
    price: 20,
  },
} as const satisfies Record<string, Work>;

export async function openSubjects(clock: TaskClock) {
  const openai = new ScriptedServer(answerOpenai);
  const replicate = new ReplicateServer();
  const fal = new FalServer();
  const eleven = new ElevenLabsServer();
  /** An origin that is not the provider's, and that callers may name. */
  const other = new ScriptedServer((_request, response) => {
    response.end(PNG);
  });
  const servers = [openai, replicate.server, fal.server, eleven.server, other];
  await Promise.all(servers.map((server) => server.start()));
  const redirects: MatrixRow = {
    name: "a redirect to another origin",
    at: "work",
    answer: (_request, response) => {
      response.writeHead(307, { location: `http://${other.host}/MARKER` });
      response.end();
    },
    code: "PROVIDER_BAD_OUTPUT",
    tries: "all",
  };
  const http = (spec: HttpSpec): Subject => httpSubject(spec, other, clock);
  const ofOpenai = (work: Work, rows: readonly MatrixRow[], specials: Specials = () => []) =>
    http({
      kind: "openai_compatible",
      work,
      asks: "with keys",
      server: openai,
      path: "/v1",
      isWork: ({ method }) => method === "POST",
      rows: [...rows, ...refusals(), redirects],
      reset: () => {},
      specials,
    });
  const ofReplicate: HttpSpec = {
    kind: "replicate",
    work: { ...WORKS.picture, model: ofJobs(WORKS.picture, "black-forest-labs/flux-schnell") },
    asks: "for jobs",
    server: replicate.server,
    path: "/v1",
    isWork: ({ method, path }) => method === "POST" && path.includes("/models/"),
    isPoll: ({ method, path }) => method === "GET" && path.includes("/predictions/"),
    rows: [...jsonRows(clock, REQUEST_TIMEOUT_MS), redirects, ...jobRows(), ...ofPredictions()],
    reset: () => {
      replicate.reset();
      replicate.file = PNG;
      replicate.output = ({ id }, origin) => [`${origin}/files/${id}.png`];
      replicate.urls = (id, base) => ({
        get: `${base}/predictions/${id}`,
        cancel: `${base}/predictions/${id}/cancel`,
      });
    },
    specials: (foreign) => [
      {
        name: "its file at another origin",
        plan: () => {
          replicate.output = () => [`${foreign}/MARKER.png`];
        },
      },
      {
        name: "addresses of its job at another origin",
        plan: () => {
          replicate.urls = () => ({ get: `${foreign}/steal`, cancel: `${foreign}/steal` });
        },
      },
    ],
  };
  const ofFal = (work: Work, remote: string): HttpSpec => ({
    kind: "fal",
    work: { ...work, model: ofJobs(work, remote) },
    asks: "for jobs",
    server: fal.server,
    path: "",
    isWork: ({ method }) => method === "POST",
    isPoll: ({ path }) => path.endsWith("/status"),
    isOutput: ({ method, path }) => method === "GET" && /\/requests\/[^/]+$/.test(path),
    rows: [
      ...jsonRows(clock, REQUEST_TIMEOUT_MS),
      redirects,
      ...refusals(),
      ...jobRows(),
      ...ofQueue(),
    ],
    reset: () => {
      fal.reset();
      fal.files = { png: PNG };
    },
    specials: (foreign) => [
      {
        name: "its file at another origin",
        plan: () => {
          const file = { url: `${foreign}/MARKER.png` };
          fal.result = () => ({ status: 200, body: { images: [file], image: file } });
        },
      },
      {
        name: "addresses of its job at another origin",
        plan: () => {
          fal.urls = () => ({
            status_url: `${foreign}/steal/status`,
            response_url: `${foreign}/steal`,
            cancel_url: `${foreign}/steal/cancel`,
          });
        },
      },
    ],
  });
  const subjects: readonly Subject[] = [
    ofOpenai(WORKS.text, jsonRows(clock, TIMEOUT_MS)),
    ofOpenai(WORKS.picture, [...jsonRows(clock, TIMEOUT_MS), ...halfPictures()], (foreign) => [
      {
        name: "its file at another origin",
        plan: () => {
          openai.answer = answerPictures({ pictures: [PNG], asUrls: true, origin: foreign });
        },
      },
    ]),
    ofOpenai(WORKS.speech, soundRows(clock)),
    ofOpenai(WORKS.transcript, jsonRows(clock, TIMEOUT_MS)),
    http(ofReplicate),
    http(ofFal(WORKS.picture, "fal-ai/flux/schnell")),
    http(ofFal(WORKS.cutout, "fal-ai/birefnet/v2")),
    http({
      kind: "elevenlabs",
      work: WORKS.speech,
      asks: "without keys",
      server: eleven.server,
      path: "",
      isWork: ({ method }) => method === "POST",
      rows: [...soundRows(clock), redirects],
      reset: () => {
        eleven.reset();
      },
      specials: () => [],
    }),
    ...[WORKS.text, WORKS.picture, WORKS.speech, WORKS.transcript].map((work) =>
      boundSubject(work, clock),
    ),
    sampleSubject(clock),
  ];
  return {
    subjects,
    close: () => {
      servers.forEach((server) => {
        server.stop();
      });
    },
  };
}

const answerOpenai: Answer = (request, response) => {
  const { path } = request;
  const answer = path.endsWith("/completions")
    ? answerChat({
        pieces: ["A ", "kite."],
        usage: { prompt_tokens: 1_000, completion_tokens: 500 },
      })
    : path.endsWith("/generations")
      ? answerPictures({ pictures: [PNG] })
      : path.endsWith("/speech")
        ? answerSpeech(WAV)
        : answerTranscript({ text: "A kite.", duration: 2, segments: [] });
  return answer(request, response);
};

function ofJobs({ model }: Work, remoteModel: string): ReferencedModel {
  return { ...model, remote_model: remoteModel, timeout_ms: JOB_TIMEOUT_MS };
}

type Specials = (foreign: string) => Subject["specials"];

interface HttpSpec {
  readonly kind: ProviderKind;
  readonly work: Work;
  readonly asks: Subject["asks"];
  readonly server: ScriptedServer;
  readonly path: string;
  readonly isWork: (request: ReceivedRequest) => boolean;
  readonly isPoll?: (request: ReceivedRequest) => boolean;
  readonly isOutput?: (request: ReceivedRequest) => boolean;
  readonly rows: readonly MatrixRow[];
  readonly reset: () => void;
  readonly specials: Specials;
}

function httpSubject(spec: HttpSpec, other: ScriptedServer, clock: TaskClock): Subject {
  const { kind, work, asks, server, path, isWork } = spec;
  const never = () => false;
  const isAt = {
    work: isWork,
    poll: spec.isPoll ?? never,
    output: spec.isOutput ?? never,
    file: ({ path: of }: ReceivedRequest) => of.startsWith("/files/"),
  };
  const works = server.answer;
  return {
    kind,
    call: work.call,
    asks,
    price: work.price,
    rows: spec.rows,
    specials: spec.specials(`http://${other.host}`),
    world: () => ({
      ...worldOf(kind, work, clock),
      connection: { baseUrl: `http://${server.host}${path}`, apiKey: KEY, headers: HEADERS },
      operatorHosts: server.host,
      callerHosts: other.host,
    }),
    begin() {
      server.answer = works;
      spec.reset();
      server.received.length = 0;
      other.received.length = 0;
    },
    fail(rows) {
      const failures = rows[Symbol.iterator]();
      let row = nextOf(failures);
      server.answer = (request, response) => {
        if (row === undefined || !isAt[row.at](request)) {
          return works(request, response);
        }
        const { answer } = row;
        row = nextOf(failures);
        return answer(request, response);
      };
    },
    requests: () => server.received.filter(isWork).length,
    leaks: () => other.received.map((one) => JSON.stringify(one.headers)).filter(hasSecret),
  };
}

function nextOf(rows: Iterator<MatrixRow>): MatrixRow | undefined {
  const { done, value } = rows.next();
  return done === true ? undefined : value;
}

const hasSecret = (headers: string) => headers.includes("the-operators");

/** A task that does such a work; a provider with an address needs its connection. */
export function worldOf(
  kind: ProviderKind,
  { node, params, inputs, model }: Work,
  clock: TaskClock,
): ModelTaskWorld {
  const provider = findProvider(kind);
  if (provider === undefined || !isTaskNode(node)) {
    throw new Error(`There is no provider ${kind}, or ${node.type} does not run as a task.`);
  }
  return { provider, connection: null, model, node, params, inputs, clock };
}

/** Failures of the request that asks for work, whatever is asked for. */
function workRows(clock: TaskClock, timeoutMs: number): readonly MatrixRow[] {
  const rows = commonFaults(START_MS)
    .filter((fault) => fault.timeoutMs === undefined)
    // This one leaves the machine; `redirects` stays.
    .filter(({ name }) => name !== "a redirect away")
    .filter(({ code }) => code !== "CONTENT_REFUSED")
    .map(({ name, answer, code, isRetried, retryAfterMs, isJson }) => ({
      name,
      at: "work" as const,
      answer,
      code,
      tries: isRetried ? ("all" as const) : ("no" as const),
      isLost: name === "a reset before the answer" || isJson === true,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }));
  return [
    ...rows,
    {
      name: "429 for 2 s, in its body",
      at: "work",
      answer: status(429, { detail: "MARKER", retry_after: 2 }),
      code: "PROVIDER_RATE_LIMITED",
      tries: "all",
      retryAfterMs: 2_000,
    },
    {
      name: "401 quota_exceeded",
      at: "work",
      answer: status(401, { detail: { status: "quota_exceeded", message: "MARKER" } }),
      code: "PROVIDER_QUOTA_EXCEEDED",
      tries: "no",
    },
    {
      name: "no answer in time",
      at: "work",
      answer: () => {
        clock.pass(timeoutMs);
      },
      code: "PROVIDER_TIMEOUT",
      tries: "once",
      isLost: true,
    },
  ];
}

/** The same for a call that is answered with JSON, or with events that hold it. */
function jsonRows(clock: TaskClock, timeoutMs: number): readonly MatrixRow[] {
  return [
    ...workRows(clock, timeoutMs),
    ...FAULTS_OF_JSON.filter(({ isLarge }) => isLarge !== true).map(({ name, answer, code }) => ({
      name,
      at: "work" as const,
      answer,
      code,
      tries: "all" as const,
    })),
  ];
}

/** The same for a call that is answered with a sound. */
function soundRows(clock: TaskClock): readonly MatrixRow[] {
  const bad = (name: string, answer: Answer): MatrixRow => ({
    name,
    at: "work",
    answer,
    code: "PROVIDER_BAD_OUTPUT",
    tries: "all",
  });
  return [
    ...workRows(clock, TIMEOUT_MS).filter(({ name }) => name !== "an answer that is cut off"),
    {
      name: "a sound that is cut off",
      at: "work",
      answer: (_request, response) => {
        response.writeHead(200, { "content-type": "audio/wav", "content-length": WAV.length });
        response.write(WAV.subarray(0, 1_000), () => response.socket?.resetAndDestroy());
      },
      code: "PROVIDER_UNAVAILABLE",
      tries: "all",
      isLost: true,
    },
    bad("an HTML page", text("<!DOCTYPE html><title>MARKER</title>", "text/html")),
    bad("JSON", text('{"MARKER":"no sound"}')),
    bad("half of a sound", text(WAV.subarray(0, 1_000), "audio/wav")),
  ];
}

/** The words of a safety filter, as OpenAI-compatible servers and fal have them. */
function refusals(): readonly MatrixRow[] {
  const row = (name: string, code: number, body: unknown): MatrixRow => ({
    name,
    at: "work",
    answer: status(code, body),
    code: "CONTENT_REFUSED",
    tries: "no",
  });
  return [
    ...["content_policy_violation", "moderation_blocked", "content_filter"].map((code) =>
      row(code, 400, { error: { code, message: "MARKER" } }),
    ),
    row("a refusal in detail", 422, {
      detail: [{ loc: ["body"], msg: "MARKER", type: "content_policy_violation" }],
    }),
  ];
}

function halfPictures(): readonly MatrixRow[] {
  return [
    {
      name: "half of a picture",
      at: "work",
      answer: answerPictures({ pictures: [PNG.subarray(0, PNG.length - 8)] }),
      code: "PROVIDER_BAD_OUTPUT",
      tries: "all",
    },
    {
      name: "no picture",
      at: "work",
      answer: answerPictures({ pictures: [] }),
      code: "PROVIDER_BAD_OUTPUT",
      tries: "all",
    },
  ];
}

/** Failures after a job was submitted, for every provider of jobs. */
function jobRows(): readonly MatrixRow[] {
  const poll = (name: string, answer: Answer): MatrixRow => ({
    name,
    at: "poll",
    answer,
    code: "PROVIDER_UNAVAILABLE",
    tries: "all",
    isPoll: true,
  });
  const file = (name: string, answer: Answer, code: string): MatrixRow => ({
    name,
    at: "file",
    answer,
    code,
    tries: "all",
  });
  return [
    poll("polls with 503", status(503)),
    poll("polls that are reset", (_request, response) => {
      response.socket?.resetAndDestroy();
    }),
    poll("polls with an HTML page", text("<!DOCTYPE html>MARKER", "text/html")),
    { ...poll("polls with 401", status(401)), code: "PROVIDER_AUTH_FAILED", tries: "no" },
    { ...poll("polls with 404", status(404)), code: "PROVIDER_REJECTED", tries: "no" },
    file("a file with 500", status(500), "PROVIDER_UNAVAILABLE"),
    file(
      "a file that is reset",
      (_request, response) => {
        response.socket?.resetAndDestroy();
      },
      "PROVIDER_UNAVAILABLE",
    ),
    file("a file that is not there", status(404), "PROVIDER_BAD_OUTPUT"),
    file("an HTML page as its file", text("<!DOCTYPE html>MARKER"), "PROVIDER_BAD_OUTPUT"),
    file(
      "half of a picture as its file",
      text(PNG.subarray(0, PNG.length - 8), "image/png"),
      "PROVIDER_BAD_OUTPUT",
    ),
  ];
}

/** Ends of a prediction of Replicate. */
function ofPredictions(): readonly MatrixRow[] {
  const end = (name: string, more: object, code: string): MatrixRow => ({
    name,
    at: "poll",
    answer: (_request, response) => {
      sendJson(response, 200, { id: "prediction1", output: null, error: null, ...more });
    },
    code,
    tries: code === "PROVIDER_TIMEOUT" ? "once" : code === "PROVIDER_BAD_OUTPUT" ? "all" : "no",
    isForGood: true,
  });
  return [
    end("failed", { status: "failed", error: "CUDA MARKER" }, "PROVIDER_JOB_FAILED"),
    end("refused", { status: "failed", error: "NSFW MARKER" }, "CONTENT_REFUSED"),
    end("canceled", { status: "canceled" }, "PROVIDER_JOB_CANCELLED"),
    end("aborted", { status: "aborted" }, "PROVIDER_JOB_CANCELLED"),
    end("an end without a picture", { status: "succeeded" }, "PROVIDER_BAD_OUTPUT"),
    end("no end", { status: "processing" }, "PROVIDER_TIMEOUT"),
  ];
}

/** Ends of a request to fal. */
function ofQueue(): readonly MatrixRow[] {
  const end = (name: string, answer: Answer, code: string): MatrixRow => ({
    name,
    at: "output",
    answer,
    code,
    tries: code === "PROVIDER_BAD_OUTPUT" ? "all" : "no",
    isForGood: true,
  });
  const detail = (type: string) => ({ detail: [{ loc: ["body"], msg: "MARKER", type }] });
  const blackened = (_request: ReceivedRequest, response: Parameters<Answer>[1]) => {
    const made = outputOf(
      { model: "fal-ai/flux/schnell", id: "1", input: {}, polls: 1, isCancelled: false },
      "http://127.0.0.1:9",
    );
    sendJson(response, 200, { ...(made as object), has_nsfw_concepts: [true] });
  };
  return [
    end("refused", status(422, detail("content_policy_violation")), "CONTENT_REFUSED"),
    end("a blackened picture", blackened, "CONTENT_REFUSED"),
    end("rejected", status(422, detail("image_too_small")), "PROVIDER_REJECTED"),
    end("failed", status(500, detail("internal_server_error")), "PROVIDER_JOB_FAILED"),
    end("cancelled", status(499, { error_type: "client_cancelled" }), "PROVIDER_JOB_CANCELLED"),
    end("an end without a picture", status(200, { images: [] }), "PROVIDER_BAD_OUTPUT"),
  ];
}

/** A call through the binding of Workers AI, whose failures are what it throws and returns. */
function boundSubject(work: Work, clock: TaskClock): Subject {
  let requests = 0;
  let failures: Iterator<MatrixRow> = [][Symbol.iterator]();
  const faults = new Map<MatrixRow, () => unknown>();
  const row = (
    [name, code, tries]: readonly [string, string, MatrixRow["tries"]],
    fault: () => unknown,
    isLost = false,
  ): MatrixRow => {
    const made: MatrixRow = { name, at: "work", answer: () => {}, code, tries, isLost };
    faults.set(made, fault);
    return made;
  };
  const thrown = (message: string) => () => {
    throw new Error(message);
  };
  const start = work.call === "picture" ? PNG.subarray(0, PNG.length - 8) : WAV.subarray(0, 1_000);
  const rows = [
    row(["3040", "PROVIDER_RATE_LIMITED", "all"], thrown("3040: Capacity MARKER")),
    row(["3036", "PROVIDER_QUOTA_EXCEEDED", "no"], thrown("3036: Allocation MARKER")),
    row(["another error", "PROVIDER_UNAVAILABLE", "all"], thrown("5007: MARKER"), true),
    row(
      ["no answer in time", "PROVIDER_TIMEOUT", "once"],
      () => {
        clock.pass(TIMEOUT_MS);
        return new Promise(() => {});
      },
      true,
    ),
    row(["nothing", "PROVIDER_BAD_OUTPUT", "all"], () => undefined),
    row(["another object", "PROVIDER_BAD_OUTPUT", "all"], () => ({ errors: ["MARKER"] })),
    row(["an HTML page", "PROVIDER_BAD_OUTPUT", "all"], () =>
      streamOf(Buffer.from("<!DOCTYPE html><title>MARKER</title>")),
    ),
    ...(work.call === "picture" || work.call === "speech"
      ? [
          row(["an answer that is not whole", "PROVIDER_BAD_OUTPUT", "all"], () => streamOf(start)),
          row(
            ["an answer that breaks off", "PROVIDER_UNAVAILABLE", "all"],
            () => streamOf(start, new Error("MARKER")),
            true,
          ),
        ]
      : []),
  ];
  return {
    kind: "workers_ai",
    call: work.call,
    asks: "without keys",
    price: work.price,
    rows,
    specials: [],
    world: () => ({
      ...worldOf("workers_ai", work, clock),
      ai: {
        run: async () => {
          requests += 1;
          await Promise.resolve();
          const row = nextOf(failures);
          const fault = row && faults.get(row);
          return fault === undefined ? boundAnswer(work) : await fault();
        },
      },
    }),
    begin() {
      requests = 0;
      failures = [][Symbol.iterator]();
    },
    fail(given) {
      failures = given[Symbol.iterator]();
    },
    requests: () => requests,
    leaks: () => [],
  };
}

function boundAnswer({ call }: Work): unknown {
  switch (call) {
    case "text":
      return streamOf(
        Buffer.from(
          'data: {"response":"A kite."}\n\n' +
            'data: {"response":"","usage":{"prompt_tokens":1000,"completion_tokens":500}}\n\ndata: [DONE]\n\n',
        ),
      );
    case "picture":
      return { image: PNG.toString("base64") };
    case "speech":
      return streamOf(WAV);
    default:
      return { text: "A kite.", segments: [], transcription_info: { duration: 2 } };
  }
}

/** These bytes, then the end or the failure. */
export function streamOf(bytes: Uint8Array, failure?: Error): ReadableStream<Uint8Array> {
  let isGiven = false;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!isGiven) {
        isGiven = true;
        controller.enqueue(new Uint8Array(bytes));
      } else if (failure === undefined) {
        controller.close();
      } else {
        controller.error(failure);
      }
    },
  });
}

/** The embedded provider, which never fails. */
function sampleSubject(clock: TaskClock): Subject {
  let begun = 0;
  const work: Work = {
    ...WORKS.speech,
    params: { voice: "mid" },
    model: { ...WORKS.speech.model, voices: ["mid"] },
  };
  return {
    kind: "sample",
    call: "speech",
    asks: "itself",
    price: work.price,
    rows: [],
    specials: [],
    world: () => worldOf("sample", work, clock),
    begin: () => {
      begun = 1;
    },
    fail: () => {},
    // It sends nothing; its trace counts the call.
    requests: () => begun,
    leaks: () => [],
  };
}
