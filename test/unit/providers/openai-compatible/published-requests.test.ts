/**
 * Requests to OpenAI-compatible servers, judged by the schemas that OpenAI publishes: their types, required members and values,
 * and that every member is one that OpenAI's document names. The requests are those of the real adapters, as a server on this
 * machine receives them. test/fixtures/provider-requests/openai.json names the document, its date and its license.
 */
// The library has one registry of keywords in a thread, and what it compiled with its own does not fit the service's.
import "../../../../src/expressions/json-schema.ts";
import { registerSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  ImageRequest,
  ReferencedModel,
  SpeechRequest,
  TextRequest,
} from "../../../../src/contracts/models/model-calls.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { generateText } from "../../../../src/providers/openai-compatible/chat.ts";
import { makeImage } from "../../../../src/providers/openai-compatible/images.ts";
import { openaiCompatible } from "../../../../src/providers/openai-compatible/openai-compatible.ts";
import { speak } from "../../../../src/providers/openai-compatible/speech.ts";
import { transcribe } from "../../../../src/providers/openai-compatible/transcription.ts";
import type { ProviderIo } from "../../../../src/providers/provider.ts";
import published from "../../../fixtures/provider-requests/openai.json" with { type: "json" };
import { soundOf } from "../../../support/models/sound-of.ts";
import { ioOf, modelOf } from "../../../support/providers/call-provider.ts";
import { wavOf } from "../../../support/providers/openai-audio.ts";
import { readForm } from "../../../support/providers/openai-images.ts";
import { PIXEL } from "../../../support/providers/pixel.ts";
import {
  type ReceivedRequest,
  ScriptedServer,
} from "../../../support/providers/scripted-server.ts";

type Json = { readonly [name: string]: unknown };

const SCHEMAS: Readonly<Record<string, Json>> = published.schemas;
const REQUESTS: Readonly<Record<string, Readonly<Record<string, string>>>> = published.requests;

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
const SOUND = soundOf(new MemorySource(WAV, "1"), 1);

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

/** What the schema of a request to this path says against a body. */
async function problemsOf(path: string, contentType: string, body: Json) {
  const name = REQUESTS[path]?.[contentType.split(";")[0] ?? ""];
  if (name === undefined) {
    return [`no request to ${path} of the type ${contentType}`];
  }
  const known = new Set(membersOf(name));
  const output = await validate(`https://published.example/${name}`, body as never, "BASIC");
  return [
    ...Object.keys(body).flatMap((member) => (known.has(member) ? [] : [`unknown: ${member}`])),
    ...(output.valid
      ? []
      : (output.errors ?? []).map(
          ({ keyword, instanceLocation }) => `${instanceLocation}: ${keyword.split("/").at(-1)}`,
        )),
  ];
}

/** Names of the members that a schema and those it consists of have. */
function* membersOf(name: string): Generator<string> {
  yield* membersIn(SCHEMAS[name] ?? {});
}

function* membersIn({ $ref, properties, allOf }: { $ref?: string } & Json): Generator<string> {
  yield* Object.keys((properties ?? {}) as Json);
  if ($ref !== undefined) {
    yield* membersOf($ref.split("/").at(-1) ?? "");
  }
  for (const part of (allOf ?? []) as readonly Json[]) {
    yield* membersIn(part);
  }
}

/** The server refuses everything: only the request matters. */
const server = new ScriptedServer((_request, response) => {
  response.writeHead(400);
  response.end();
});
beforeAll(async () => {
  await server.start();
  for (const name of new Set(Object.values(REQUESTS).flatMap((types) => Object.values(types)))) {
    const root = { $ref: `#/components/schemas/${name}`, components: { schemas: SCHEMAS } };
    registerSchema(
      root as never,
      `https://published.example/${name}`,
      "https://json-schema.org/draft/2020-12/schema",
    );
  }
});
afterAll(() => {
  server.stop();
});

/** The request that a call sends: its path, its type and its body. */
async function sentBy(ask: Ask): Promise<readonly [path: string, type: string, body: Json]> {
  server.received.length = 0;
  await ask(ioOf(openaiCompatible, server.host)).catch(() => undefined);
  const [request] = server.received;
  if (request === undefined) {
    throw new Error("Nothing was sent.");
  }
  const type = request.headers["content-type"] ?? "";
  return [request.path.replace(/^\/v1/, ""), type, await bodyOf(request)];
}

describe("the schemas that OpenAI publishes", () => {
  test.each(CASES)("accept the request of %s, and refuse it with a fault", async (_name, ask) => {
    const [path, type, body] = await sentBy(ask);
    expect(await problemsOf(path, type, body)).toEqual([]);
    // A member that the API does not have, one of a wrong type, and none of those that it requires.
    for (const wrong of [{ ...body, planted: true }, { ...body, model: 7 }, {}]) {
      // oxlint-disable-next-line no-await-in-loop -- faults follow each other
      expect(await problemsOf(path, type, wrong)).not.toEqual([]);
    }
  });

  test("judge every request that the service can send to such a server", async () => {
    const paths = new Set<string>();
    for (const [, ask] of CASES) {
      // oxlint-disable-next-line no-await-in-loop -- the server tells calls apart by their order
      paths.add((await sentBy(ask))[0]);
    }
    expect([...paths].toSorted()).toEqual(Object.keys(REQUESTS).toSorted());
  });
});
