/**
 * docs/contract/models.md#calls: voices of ElevenLabs. The scripted server is first driven by ElevenLabs' own client, so
 * that its script is known to speak the protocol, then by ours.
 */
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { BodyTextToSpeechFull } from "@elevenlabs/elevenlabs-js/serialization/resources/textToSpeech/client/requests/BodyTextToSpeechFull.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SpeechRequest } from "../../../../src/contracts/models/model-calls.ts";
import { readSoundMetadata } from "../../../../src/formats/sound/read-sound-metadata.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { elevenlabs } from "../../../../src/providers/elevenlabs/elevenlabs.ts";
import { ELEVENLABS_MODELS } from "../../../../src/providers/elevenlabs/entries.ts";
import { listVoices } from "../../../../src/providers/elevenlabs/voices.ts";
import { speak, speechFields } from "../../../../src/providers/elevenlabs/speak.ts";
import { pictureBytes, referencedEntry } from "../../../support/providers/call-job.ts";
import {
  type CallOptions,
  failureOf,
  ioOf,
  PROVIDER_KEY,
} from "../../../support/providers/call-provider.ts";
import {
  ElevenLabsServer,
  silentMp3,
  voiceOf,
} from "../../../support/providers/elevenlabs-server.ts";
import { sendJson } from "../../../support/providers/openai-chat.ts";
import {
  commonFaults,
  endless,
  FAULTS_OF_JSON,
  status,
  text,
} from "../../../support/providers/provider-faults.ts";

const script = new ElevenLabsServer();
beforeAll(() => script.server.start());
afterAll(() => {
  script.server.stop();
});
beforeEach(() => {
  script.reset();
});

const SPEECH: SpeechRequest = {
  text: "A MARKER kite rises.",
  voice: "JBFqnCBsd6RMkjVDRZzb",
  language: null,
  speed: null,
  pitch: null,
  emotion: null,
  parameters: {},
};
const model = (slug = "eleven-flash-v2-5") => referencedEntry(ELEVENLABS_MODELS, slug);
const io = (options: CallOptions = {}) =>
  ioOf(elevenlabs, script.server.host, { ...options, path: "" });
const say = async (request: Partial<SpeechRequest> = {}, options: CallOptions = {}) => {
  const { bytes, characters } = await speak(model(), { ...SPEECH, ...request }, io(options));
  return { bytes: await pictureBytes({ bytes }), characters };
};
const sent = () => script.server.received.map(({ method, path }) => `${method} ${path}`);

describe("the schema of ElevenLabs' own client", () => {
  const judge = (body: unknown) =>
    BodyTextToSpeechFull.parse(body, { unrecognizedObjectKeys: "fail" }).ok;

  test.each<[string, Partial<SpeechRequest>]>([
    ["a text alone", {}],
    ["a language", { language: "de" }],
    ["the slowest speed", { speed: 0.7 }],
    ["everything", { language: "en", speed: 1.2, voice: "voice1" }],
  ])("accepts the body of a request with %s", (_name, request) => {
    expect(judge(speechFields(model(), { ...SPEECH, ...request }))).toBe(true);
  });

  test("refuses members and values that the API does not have", () => {
    const body = speechFields(model(), SPEECH);
    expect([
      judge({ ...body, model: "eleven_flash_v2_5" }),
      judge({ ...body, voice_settings: { speed: "1" } }),
      judge({ ...body, text: null }),
    ]).toEqual([false, false, false]);
  });
});

describe("ElevenLabs' own client", () => {
  const client = () =>
    new ElevenLabsClient({ apiKey: PROVIDER_KEY, baseUrl: script.origin, maxRetries: 0 });

  test("speaks with the script and lists its voices and models", async () => {
    const stream = await client().textToSpeech.convert("JBFqnCBsd6RMkjVDRZzb", {
      text: "A kite rises.",
      modelId: "eleven_flash_v2_5",
      outputFormat: "mp3_44100_128",
      languageCode: "en",
      voiceSettings: { speed: 1.1 },
    });
    const bytes = Buffer.from(await new Response(stream).arrayBuffer());
    expect(bytes).toEqual(silentMp3(40));
    const page = await client().voices.search({ pageSize: 2 });
    expect([page.voices.map(({ voiceId }) => voiceId), page.hasMore, page.nextPageToken]).toEqual([
      [voiceOf(0).voice_id, voiceOf(1).voice_id],
      true,
      "2",
    ]);
    expect((await client().models.list()).map(({ modelId }) => modelId)).toContain(
      "eleven_flash_v2_5",
    );
  });

  test("sends what ours sends", async () => {
    await client().textToSpeech.convert("JBFqnCBsd6RMkjVDRZzb", {
      text: SPEECH.text,
      modelId: "eleven_flash_v2_5",
      outputFormat: "mp3_44100_128",
      languageCode: "en",
      voiceSettings: { speed: 1.1 },
    });
    await say({ language: "en", speed: 1.1 });
    const [theirs, ours] = script.server.received;
    expect([ours?.method, ours?.path, ours?.json()]).toEqual([
      theirs?.method,
      theirs?.path,
      theirs?.json(),
    ]);
    expect(ours?.headers["xi-api-key"]).toBe(theirs?.headers["xi-api-key"]);
  });

  test("reads the errors of the script", async () => {
    script.interrupt = (_request, response) => {
      sendJson(response, 401, { detail: { status: "quota_exceeded", message: "no" } });
      return true;
    };
    await expect(
      client().textToSpeech.convert("JBFqnCBsd6RMkjVDRZzb", { text: "a" }),
    ).rejects.toMatchObject({ statusCode: 401 });
  });
});

describe("a voice", () => {
  test("speaks an MP3, and reports the characters that were charged", async () => {
    const { bytes, characters } = await say();
    expect(characters).toBe(SPEECH.text.length);
    const metadata = await readSoundMetadata(new MemorySource(bytes, "1"));
    expect(metadata).toMatchObject({ format: "mp3", sampleRate: 44_100, channels: 1 });
    expect(metadata.seconds).toBeCloseTo((40 * 1_152) / 44_100, 6);
    expect(sent()).toEqual([
      "POST /v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=mp3_44100_128",
    ]);
    expect(script.server.received[0]?.json()).toEqual({
      text: SPEECH.text,
      model_id: "eleven_flash_v2_5",
    });
  });

  test.each([
    [{ "character-cost": "7" }, 7],
    [{ "x-character-count": "5", "character-cost": "7" }, 5],
    [{}, null],
    [{ "x-character-count": "-1" }, null],
    [{ "x-character-count": "1000000000000" }, null],
    [{ "x-character-count": "1.5" }, null],
  ])("with the headers %j counts %j", async (headers, characters) => {
    script.headers = () => headers as Record<string, string>;
    expect((await say()).characters).toBe(characters);
  });

  test("is the first of the account if none is asked for", async () => {
    await say({ voice: null });
    expect(sent()).toEqual([
      "GET /v2/voices?page_size=1",
      `POST /v1/text-to-speech/${voiceOf(0).voice_id}?output_format=mp3_44100_128`,
    ]);
    script.voices = 0;
    expect(await failureOf(say({ voice: null }))).toMatchObject({ code: "PROVIDER_REJECTED" });
  });

  test.each(["..", "a/b", "a?b", "", "ä", "x".repeat(129)])(
    "%j is UNKNOWN_VOICE before anything is sent",
    async (voice) => {
      expect(await failureOf(say({ voice }))).toMatchObject({ code: "UNKNOWN_VOICE" });
      expect(sent()).toEqual([]);
    },
  );
});

describe("a failure", () => {
  const detail = (name: string) => ({ detail: { status: name, message: "MARKER" } });
  test.each([
    ...commonFaults(Date.now()).filter(({ isJson }) => isJson !== true),
    {
      name: "quota_exceeded",
      answer: status(401, detail("quota_exceeded")),
      code: "PROVIDER_QUOTA_EXCEEDED",
      isRetried: false,
    },
    {
      name: "invalid_api_key",
      answer: status(401, detail("invalid_api_key")),
      code: "PROVIDER_AUTH_FAILED",
      isRetried: false,
    },
    {
      name: "too_many_concurrent_requests",
      answer: status(429, detail("too_many_concurrent_requests")),
      code: "PROVIDER_RATE_LIMITED",
      isRetried: true,
    },
    {
      name: "voice_not_found",
      answer: status(404, detail("voice_not_found")),
      code: "PROVIDER_REJECTED",
      isRetried: false,
    },
    {
      name: "a page",
      answer: text("<!DOCTYPE html><p>MARKER", "audio/mpeg"),
      code: "PROVIDER_BAD_OUTPUT",
      isRetried: true,
    },
    { name: "JSON", answer: status(200), code: "PROVIDER_BAD_OUTPUT", isRetried: true },
    {
      name: "nothing",
      answer: text("", "audio/mpeg"),
      code: "PROVIDER_BAD_OUTPUT",
      isRetried: true,
    },
  ])("by $name is $code", async ({ answer, code, isRetried, ...more }) => {
    script.interrupt = async (request, response) => {
      await answer(request, response);
      return true;
    };
    const { timeoutMs, retryAfterMs } = more as { timeoutMs?: number; retryAfterMs?: number };
    expect(await failureOf(say({}, { ...(timeoutMs !== undefined && { timeoutMs }) }))).toEqual({
      code,
      retryable: isRetried,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  });

  test.each(["before", "within"])(
    "%s the answer can be repeated: the task counts the lost answers",
    async (when) => {
      script.interrupt = (_request, response) => {
        if (when === "before") {
          response.socket?.resetAndDestroy();
        } else {
          response.writeHead(200, { "content-type": "audio/mpeg", "content-length": 99_999 });
          response.write(silentMp3(1), () => response.socket?.resetAndDestroy());
        }
        return true;
      };
      const code = "PROVIDER_UNAVAILABLE";
      expect(await failureOf(say())).toEqual({ code, retryable: true });
      expect(await failureOf(say({}, { attempt: 2 }))).toEqual({ code, retryable: true });
    },
  );

  test("by an abort is its reason, and closes the connection", async () => {
    const abort = new AbortController();
    script.interrupt = () => {
      abort.abort(new Error("gone"));
      return true;
    };
    const { aborted } = script.server;
    await expect(say({}, { signal: abort.signal })).rejects.toThrow("gone");
    await expect.poll(() => script.server.aborted).toBe(aborted + 1);
  });
});

describe("the list of voices", () => {
  const VOICE = {
    voice: voiceOf(0).voice_id,
    name: "Voice 0",
    language: "en",
    labels: { accent: "american", gender: "female", language: "en" },
    preview_url: voiceOf(0).preview_url,
  };

  test.each([
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [500, 5],
    [1_234, 5],
  ])("of an account with %i has every page up to 500 voices: %i requests", async (count, pages) => {
    script.voices = count;
    const voices = await listVoices(io());
    expect(voices).toHaveLength(Math.min(500, count));
    expect(sent()).toHaveLength(pages);
    expect(sent()[0]).toBe("GET /v2/voices?page_size=100");
    if (count > 0) {
      expect(voices[0]).toEqual(VOICE);
    }
  });

  const answering = (body: unknown) => {
    script.interrupt = (_request, response) => {
      sendJson(response, 200, body);
      return true;
    };
  };

  test("keeps of an entry what is sound", async () => {
    const [first] = [voiceOf(0)];
    answering({
      voices: [
        first,
        first,
        null,
        { name: "no id" },
        { voice_id: "../x" },
        { voice_id: "bare" },
        {
          voice_id: "odd",
          name: "n".repeat(999),
          labels: {
            a: 1,
            b: "x",
            ...Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`l${at}`, "y"])),
          },
          verified_languages: [{ language: "de" }],
          preview_url: "javascript:alert(1)",
        },
        { voice_id: "user", preview_url: "https://a:b@example.com/x.mp3" },
      ],
      has_more: false,
    });
    const voices = await listVoices(io());
    expect(voices.map(({ voice }) => voice)).toEqual([VOICE.voice, "bare", "odd", "user"]);
    expect(voices[1]).toEqual({
      voice: "bare",
      name: "bare",
      language: null,
      labels: {},
      preview_url: null,
    });
    expect(voices[2]).toMatchObject({ language: "de", preview_url: null });
    expect([voices[2]?.name.length, Object.keys(voices[2]?.labels ?? {}).length]).toEqual([
      200, 20,
    ]);
    expect(voices[3]?.preview_url).toBeNull();
  });

  test("ends although every page says that there are more", async () => {
    answering({ voices: [voiceOf(1)], has_more: true, next_page_token: "again" });
    expect(await listVoices(io())).toHaveLength(1);
    expect(sent()).toHaveLength(2);
    script.server.received.length = 0;
    answering({ voices: [], has_more: true, next_page_token: "again" });
    expect(await listVoices(io())).toEqual([]);
    expect(sent()).toHaveLength(1);
  });

  test.each([
    ...FAULTS_OF_JSON.map(({ name, answer, code }) => ({ name, answer, code })),
    { name: "no list", answer: status(200, { voices: "MARKER" }), code: "PROVIDER_BAD_OUTPUT" },
    { name: "500", answer: status(500), code: "PROVIDER_UNAVAILABLE" },
    { name: "401", answer: status(401), code: "PROVIDER_AUTH_FAILED" },
    { name: "an endless list", answer: endless('{"voices":[', "{},"), code: "PROVIDER_BAD_OUTPUT" },
  ])("with $name is $code", async ({ answer, code }) => {
    script.interrupt = async (request, response) => {
      await answer(request, response);
      return true;
    };
    expect(await failureOf(listVoices(io()))).toMatchObject({ code });
  });
});
