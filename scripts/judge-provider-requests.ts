/**
 * Validates the requests that the service sends to OpenAI-compatible servers with the OpenAPI document that OpenAI publishes
 * (`openapi.json` of the repository openai/openai-openapi): their types, required members and values, and that every member is
 * one that the document names. The requests are those of the real adapters, as a server on this machine receives them. Prints
 * what differs:
 *
 * node scripts/judge-provider-requests.ts openapi.json
 */
import { readFile } from "node:fs/promises";
import { registerSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import type {
  ImageRequest,
  ReferencedModel,
  SpeechRequest,
  TextRequest,
} from "../src/contracts/models/model-calls.ts";
import { MemorySource } from "../src/lib/files/memory-source.ts";
import { makeImage } from "../src/providers/openai-compatible/images.ts";
import { generateText } from "../src/providers/openai-compatible/chat.ts";
import { openaiCompatible } from "../src/providers/openai-compatible/openai-compatible.ts";
import { speak } from "../src/providers/openai-compatible/speech.ts";
import { transcribe } from "../src/providers/openai-compatible/transcription.ts";
import type { ProviderIo } from "../src/providers/provider.ts";
import { ioOf, modelOf } from "../test/support/providers/call-provider.ts";
import { readForm } from "../test/support/providers/openai-images.ts";
import { wavOf } from "../test/support/providers/openai-audio.ts";
import { PIXEL } from "../test/support/providers/pixel.ts";
import { type ReceivedRequest, ScriptedServer } from "../test/support/providers/scripted-server.ts";

type Json = { readonly [name: string]: unknown };

const TEXT: TextRequest = {
  system: null,
  prompt: "Describe a kite.",
  images: [],
  turns: [],
  maxOutputTokens: 64,
  temperature: null,
  seed: null,
  jsonSchema: null,
  parameters: {},
};
const PICTURE = { contentType: "image/png", bytes: PIXEL } as const;
const SCHEMA = {
  type: "object",
  properties: { color: { type: "string" } },
  required: ["color"],
  additionalProperties: false,
};
const IMAGE: ImageRequest = {
  capability: "text_to_image",
  prompt: "A kite",
  negativePrompt: null,
  images: [],
  size: { width: 1_024, height: 1_024 },
  seed: null,
  variant: 0,
  preset: null,
  effect: null,
  parameters: {},
};
const GPT_IMAGE = {
  remote_model: "gpt-image-1",
  sizes: ["1024x1024", "1536x1024", "1024x1536"],
} as const;
const SPEECH: SpeechRequest = {
  text: "A kite rises.",
  voice: "alloy",
  language: null,
  speed: null,
  pitch: null,
  emotion: null,
  parameters: {},
};
const WAV = wavOf(8_000);
const SOUND = {
  format: "wav",
  contentType: "audio/wav",
  seconds: 1,
  source: new MemorySource(WAV, "1"),
} as const;

type Ask = (io: ProviderIo) => Promise<unknown>;
const chat =
  (request: Partial<TextRequest>, model: Partial<ReferencedModel> = {}, isStreamed = false): Ask =>
  (io) =>
    generateText(
      modelOf({ remote_model: "gpt-4.1-mini", ...model }),
      { ...TEXT, ...request },
      io,
      isStreamed ? () => undefined : undefined,
    );
const image =
  (request: Partial<ImageRequest>, model: Partial<ReferencedModel> = {}): Ask =>
  (io) =>
    makeImage(modelOf({ remote_model: "dall-e-3", ...model }), { ...IMAGE, ...request }, io);
const speech =
  (request: Partial<SpeechRequest>): Ask =>
  (io) =>
    speak(modelOf({ remote_model: "gpt-4o-mini-tts" }), { ...SPEECH, ...request }, io);
const transcript =
  (language: string | null): Ask =>
  (io) =>
    transcribe(
      modelOf({ remote_model: "whisper-1" }),
      { sound: SOUND, language, parameters: {} },
      io,
    );

const turns = [{ answer: "{}", complaint: "Your answer does not conform." }];
const CASES: readonly (readonly [name: string, ask: Ask])[] = [
  ["a chat", chat({})],
  ["a streamed chat", chat({}, {}, true)],
  [
    "a chat with instructions, temperature and seed",
    chat({ system: "Be brief.", temperature: 2, seed: 7 }),
  ],
  ["a chat with pictures", chat({ images: [PICTURE, PICTURE] })],
  ["a chat with a schema and a repair", chat({ jsonSchema: SCHEMA, turns })],
  ["a chat in JSON mode", chat({ jsonSchema: SCHEMA }, { json_mode: "json_object" })],
  ["a chat of a newer model", chat({}, { max_tokens_field: "max_completion_tokens" })],
  ["a picture", image({})],
  [
    "a picture of gpt-image-1",
    image({ parameters: { quality: "high", background: "transparent" } }, GPT_IMAGE),
  ],
  ["an edit", image({ capability: "image_edit", images: [PICTURE] }, GPT_IMAGE)],
  [
    "an edit of two pictures",
    image({ capability: "multi_image_edit", images: [PICTURE, PICTURE] }, GPT_IMAGE),
  ],
  ["speech", speech({})],
  ["speech with controls", speech({ speed: 4, emotion: "cheerful" })],
  ["a transcript", transcript(null)],
  ["a transcript of a language", transcript("en")],
];

/** Names of form fields with several values. */
const LISTS = new Set(["image[]", "timestamp_granularities[]"]);
/** Form fields that are numbers. */
const NUMBERS = new Set(["n"]);

/** The body as the document describes it: a file of a form is a text, a field that is repeated a list. */
async function bodyOf(request: ReceivedRequest): Promise<Json> {
  if (!(request.headers["content-type"] ?? "").startsWith("multipart/")) {
    return request.json() as Json;
  }
  const body: Record<string, unknown> = {};
  for (const [name, value] of await readForm(request)) {
    const plain = typeof value === "string" ? value : value[2];
    const given = NUMBERS.has(name) ? Number(plain) : plain;
    const key = name.replace(/\[\]$/, "");
    body[key] = LISTS.has(name) ? [...((body[key] as unknown[] | undefined) ?? []), given] : given;
  }
  return body;
}

class PublishedApi {
  readonly #document: Json;
  readonly #schemas: Readonly<Record<string, Json>>;
  readonly #registered = new Set<string>();

  constructor(document: Json) {
    this.#document = document;
    this.#schemas = (document["components"] as { schemas: Record<string, Json> }).schemas;
  }

  /** What is wrong with the body of a request to this path. */
  async problemsOf(path: string, contentType: string, body: Json): Promise<readonly string[]> {
    const content = contentType.split(";")[0] ?? "";
    const paths = this.#document["paths"] as Record<string, { post?: Json } | undefined>;
    const { content: types } = (paths[path]?.post?.["requestBody"] ?? {}) as {
      content?: Record<string, { schema: { $ref: string } }>;
    };
    const name = types?.[content]?.schema.$ref.split("/").at(-1);
    if (name === undefined) {
      return [`the document has no request to ${path} of the type ${content}`];
    }
    const known = new Set(this.#members({ $ref: name }));
    const unknown = Object.keys(body).filter((member) => !known.has(member));
    const id = `https://published.example/${name}`;
    if (!this.#registered.has(id)) {
      const root = { $ref: `#/components/schemas/${name}`, components: { schemas: this.#schemas } };
      registerSchema(root as never, id, "https://json-schema.org/draft/2020-12/schema");
      this.#registered.add(id);
    }
    const output = await validate(id, body as never, "BASIC");
    return [
      ...unknown.map((member) => `the document has no member ${member}`),
      ...(output.valid
        ? []
        : (output.errors ?? []).map(
            ({ keyword, instanceLocation }) => `${instanceLocation}: ${keyword.split("/").at(-1)}`,
          )),
    ];
  }

  /** Names of the members that a schema and those it consists of have. */
  *#members(schema: Json): Generator<string> {
    const { $ref, properties, allOf } = schema as {
      $ref?: string;
      properties?: Json;
      allOf?: readonly Json[];
    };
    yield* Object.keys(properties ?? {});
    const referred = $ref === undefined ? undefined : this.#schemas[$ref.split("/").at(-1) ?? ""];
    for (const part of [...(allOf ?? []), ...(referred === undefined ? [] : [referred])]) {
      yield* this.#members(part);
    }
  }
}

const [file] = process.argv.slice(2);
if (file === undefined) {
  throw new Error("Usage: node scripts/judge-provider-requests.ts openapi.json");
}
const api = new PublishedApi(JSON.parse(await readFile(file, "utf8")) as Json);
const server = new ScriptedServer((_request, response) => {
  response.writeHead(400);
  response.end();
});
await server.start();
let differing = 0;
let caught = 0;
for (const [name, ask] of CASES) {
  server.received.length = 0;
  // The server refuses everything: only the request matters.
  await ask(ioOf(openaiCompatible, server.host)).catch(() => undefined);
  const [request] = server.received;
  if (request === undefined) {
    throw new Error(`${name} was not sent.`);
  }
  const path = request.path.replace(/^\/v1/, "");
  const type = request.headers["content-type"] ?? "";
  const body = await bodyOf(request);
  const problems = await api.problemsOf(path, type, body);
  differing += problems.length > 0 ? 1 : 0;
  console.log(`${problems.length === 0 ? "conforms" : "DIFFERS "}  ${path}  ${name}`);
  problems.forEach((problem) => {
    console.log(`          ${problem}`);
  });
  // The judge itself: a member that the API does not have, one of a wrong type, and none of those that it requires.
  const planted = [{ ...body, planted: true }, { ...body, model: 7 }, {}];
  for (const wrong of planted) {
    const found = await api.problemsOf(path, type, wrong);
    caught += found.length > 0 ? 1 : 0;
  }
}
server.stop();
console.log(
  `${CASES.length - differing} of ${CASES.length} requests conform; ${caught} of ${3 * CASES.length} planted faults found.`,
);
process.exitCode = differing === 0 && caught === 3 * CASES.length ? 0 : 1;
