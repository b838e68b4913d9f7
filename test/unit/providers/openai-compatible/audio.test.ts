/**
 * docs/contract/models.md#calls: voices and transcripts of OpenAI-compatible servers. The scripted server is first driven
 * by OpenAI's own client, so that its script is known to speak the protocol, then by ours.
 */
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type {
  ReferencedModel,
  SpeechRequest,
  TranscriptRequest,
} from "../../../../src/contracts/models/model-calls.ts";
import { MemorySource } from "../../../../src/lib/files/memory-source.ts";
import { openaiCompatible } from "../../../../src/providers/openai-compatible/openai-compatible.ts";
import { speak, speechFields } from "../../../../src/providers/openai-compatible/speech.ts";
import { transcribe } from "../../../../src/providers/openai-compatible/transcription.ts";
import {
  type CallOptions,
  failureOf,
  ioOf,
  modelOf,
  PROVIDER_KEY,
} from "../../../support/providers/call-provider.ts";
import { soundOf } from "../../../support/models/sound-of.ts";
import { answerSpeech, answerTranscript, wavOf } from "../../../support/providers/openai-audio.ts";
import { readForm } from "../../../support/providers/openai-images.ts";
import {
  commonFaults,
  endless,
  type Fault,
  FAULTS_OF_JSON,
  status,
  text,
} from "../../../support/providers/provider-faults.ts";
import { ScriptedServer } from "../../../support/providers/scripted-server.ts";

const server = new ScriptedServer((_request, response) => {
  response.end();
});
beforeAll(() => server.start());
afterAll(() => {
  server.stop();
});
beforeEach(() => {
  server.received.length = 0;
});

const WAV = wavOf(4_000);
const TTS: Partial<ReferencedModel> = {
  remote_model: "gpt-4o-mini-tts",
  voices: ["alloy", "coral"],
  controls: ["voice", "speed", "emotion"],
};
const SPEECH: SpeechRequest = {
  text: "A kite rises.\nSlowly.",
  voice: "coral",
  language: null,
  speed: 1.25,
  pitch: null,
  emotion: "calm",
  parameters: {},
};
const SOUND: TranscriptRequest = {
  sound: soundOf(new MemorySource(WAV, "1"), 0.5),
  language: "en",
  parameters: {},
};
const SPOKEN = {
  text: " A kite rises. Slowly.",
  duration: 0.5,
  segments: [
    { start: 0, end: 0.3, text: " A kite rises." },
    { start: 0.3, end: 0.5, text: " Slowly." },
  ],
};

async function joined(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
    pieces.push(piece.slice());
  }
  return Buffer.concat(pieces);
}

const io = (options: CallOptions) => ioOf(openaiCompatible, server.host, options);
const say = async (request: Partial<SpeechRequest> = {}, options: CallOptions = {}) =>
  await joined((await speak(modelOf(TTS), { ...SPEECH, ...request }, io(options))).bytes);
const listen = (request: Partial<TranscriptRequest> = {}, options: CallOptions = {}) =>
  transcribe(modelOf({ remote_model: "whisper-1" }), { ...SOUND, ...request }, io(options));

const client = () =>
  new OpenAI({ baseURL: `http://${server.host}/v1`, apiKey: PROVIDER_KEY, maxRetries: 0 });

describe("the script speaks the protocol: OpenAI's client", () => {
  test("reads a sound, and sends what ours sends", async () => {
    server.answer = answerSpeech(WAV);
    const spoken = await client().audio.speech.create({
      model: "gpt-4o-mini-tts",
      input: SPEECH.text,
      voice: "coral",
      response_format: "wav",
      speed: 1.25,
      instructions: "Speak in a calm tone.",
    });
    expect(Buffer.from(await spoken.arrayBuffer()).equals(WAV)).toBe(true);
    expect((await say()).equals(WAV)).toBe(true);
    const [theirs, ours] = server.received;
    expect(ours?.path).toBe(theirs?.path);
    expect(ours?.json()).toEqual(theirs?.json());
    expect(ours?.headers).toMatchObject({
      authorization: theirs?.headers.authorization,
      "content-type": theirs?.headers["content-type"],
      "idempotency-key": "el-1",
    });
  });

  test("reads a transcript, and sends what ours sends", async () => {
    server.answer = answerTranscript(SPOKEN);
    const heard = await client().audio.transcriptions.create({
      file: await toFile(WAV, "sound.wav", { type: "audio/wav" }),
      model: "whisper-1",
      response_format: "verbose_json",
      timestamp_granularities: ["segment"],
      language: "en",
    });
    expect([heard.text, heard.segments?.length]).toEqual([SPOKEN.text, 2]);
    expect(await listen()).toEqual({
      text: SPOKEN.text,
      passages: SPOKEN.segments,
      seconds: 0.5,
    });
    const [theirs, ours] = server.received;
    expect(ours?.path).toBe(theirs?.path);
    const byName = (a: readonly [string, unknown], b: readonly [string, unknown]) =>
      a[0] < b[0] ? -1 : 1;
    const [theirForm, ourForm] = [await readForm(theirs!), await readForm(ours!)];
    expect(ourForm.toSorted(byName)).toEqual(theirForm.toSorted(byName));
  });
});

describe("a voice", () => {
  test("is the first of the list unless one is asked for; controls that are not set are not sent", () => {
    const none = { ...SPEECH, voice: null, speed: null, emotion: null };
    expect(speechFields(modelOf(TTS), none)).toEqual({
      model: "gpt-4o-mini-tts",
      input: SPEECH.text,
      voice: "alloy",
      response_format: "wav",
    });
    expect(speechFields(modelOf({}), none)).toEqual({
      model: "vendor/tiny-1",
      input: SPEECH.text,
      response_format: "wav",
    });
  });

  test.each([
    ["a WAV whose header does not know its length", wavOf(2_000, true)],
    ["an MP3 with a tag", Buffer.concat([Buffer.from("ID3\x04"), Buffer.alloc(40)])],
    ["an MP3", Buffer.from([0xff, 0xfb, 0x90, 0x64, ...new Uint8Array(40)])],
    ["a FLAC", Buffer.concat([Buffer.from("fLaC"), Buffer.alloc(40)])],
    ["an Ogg", Buffer.concat([Buffer.from("OggS"), Buffer.alloc(40)])],
  ])("may answer with %s, whatever type it states", async (_, sound) => {
    server.answer = answerSpeech(sound, "application/octet-stream");
    expect((await say()).equals(sound)).toBe(true);
  });
});

describe("a transcript", () => {
  test("is sent as its file is read, the same in each attempt", async () => {
    server.answer = answerTranscript(SPOKEN);
    await listen();
    await listen({}, { attempt: 2 });
    const [first, second] = server.received;
    expect(second?.body.equals(first!.body)).toBe(true);
  });

  test.each([
    ["0.5", 0.5],
    [-1, null],
    ["soon", null],
  ])("with the duration %s", async (duration, seconds) => {
    server.answer = answerTranscript({ ...SPOKEN, duration });
    expect((await listen()).seconds).toBe(seconds);
  });

  test("without segments, and with some that have no times", async () => {
    server.answer = status(200, { text: "A kite." });
    expect(await listen()).toEqual({ text: "A kite.", passages: [], seconds: null });
    server.answer = answerTranscript({
      ...SPOKEN,
      segments: [
        { start: 2, end: 1, text: "x" },
        { start: -1, end: 1, text: "y" },
        ...SPOKEN.segments,
      ],
    });
    expect((await listen()).passages).toEqual(SPOKEN.segments);
  });
});

const BAD = { code: "PROVIDER_BAD_OUTPUT", isRetried: true };
const FAULTS_OF_SOUNDS: readonly Fault[] = [
  { name: "nothing", answer: text(""), ...BAD },
  { name: "an HTML page", answer: text("<!DOCTYPE html><p>MARKER</p>", "audio/wav"), ...BAD },
  { name: "JSON", answer: status(200), ...BAD },
  { name: "a picture", answer: text(Buffer.from("\x89PNG\r\n\x1a\n....IHDR", "latin1")), ...BAD },
  { name: "a WAV that is cut short", answer: answerSpeech(WAV.subarray(0, -200)), ...BAD },
  { name: "its first bytes", answer: answerSpeech(WAV.subarray(0, 8)), ...BAD },
  { name: "a page without an end", answer: endless("<html>", "<p>"), ...BAD },
];
const FAULTS_OF_TRANSCRIPTS: readonly Fault[] = [
  { name: "no text", answer: status(200, { duration: 1 }), ...BAD },
  { name: "another text", answer: status(200, { text: 7 }), ...BAD },
  { name: "a list", answer: status(200, ["MARKER"]), ...BAD },
];

describe("a failure has its code, whatever the provider says about it", () => {
  test.each([
    ["a voice", say, FAULTS_OF_SOUNDS],
    ["a transcript", listen, [...FAULTS_OF_JSON, ...FAULTS_OF_TRANSCRIPTS]],
  ] as const)("each row of the table, for %s", async (_, ask, faults) => {
    const common = commonFaults(Date.now()).filter(
      // The beginning of their JSON is not the beginning of a sound.
      ({ isJson }) => ask === listen || isJson !== true,
    );
    for (const fault of [...common, ...faults]) {
      server.answer = fault.answer;
      const options = fault.timeoutMs === undefined ? {} : { timeoutMs: fault.timeoutMs };
      const expected = {
        code: fault.code,
        retryable: fault.isRetried,
        ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
      };
      // oxlint-disable-next-line no-await-in-loop -- one server
      expect(await failureOf(ask({}, options)), fault.name).toEqual(expected);
      if (fault.code === "PROVIDER_TIMEOUT") {
        // oxlint-disable-next-line no-await-in-loop -- one server
        expect(await failureOf(ask({}, { ...options, attempt: 2 })), fault.name).toEqual({
          ...expected,
          retryable: false,
        });
      }
    }
  });

  test("a sound that breaks off", async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { "content-length": WAV.length });
      response.write(WAV.subarray(0, 400), () => response.socket?.resetAndDestroy());
    };
    expect(await failureOf(say())).toEqual({ code: "PROVIDER_UNAVAILABLE", retryable: true });
  });

  test("cancelling reaches the provider amid a sound", async () => {
    server.answer = (_request, response) => {
      response.write(WAV.subarray(0, 400));
    };
    const before = server.aborted;
    const abort = new AbortController();
    const said = say({}, { signal: abort.signal });
    await expect.poll(() => server.received.length).toBe(1);
    abort.abort(new Error("cancelled"));
    await expect(said).rejects.toThrow("cancelled");
    await expect.poll(() => server.aborted).toBe(before + 1);
  });
});
