/** The scripted servers of all providers, each on a port of its own, with answers that a run can go on with. */
import { ElevenLabsServer, silentMp3 } from "./elevenlabs-server.ts";
import { FalServer } from "./fal-server.ts";
import { answerSpeech, answerTranscript, wavOf } from "./openai-audio.ts";
import { answerChat, sendJson } from "./openai-chat.ts";
import { answerPictures } from "./openai-images.ts";
import { ReplicateServer } from "./replicate-server.ts";
import { type Answer, ScriptedServer } from "./scripted-server.ts";

export interface MockServers {
  /** By kind of provider: the `base_url` of its configuration. */
  readonly baseUrls: Readonly<
    Record<"openai_compatible" | "replicate" | "fal" | "elevenlabs", string>
  >;
  stop(): void;
}

/** Starts four servers, on `port` and the next three, or on free ports for 0. `picture` is the PNG that every model makes. */
export async function startMocks(port: number, picture: Uint8Array): Promise<MockServers> {
  const openai = new ScriptedServer(answerOpenai(picture));
  const replicate = new ReplicateServer();
  replicate.file = picture;
  const fal = new FalServer();
  fal.files = { png: picture, wav: wavOf(16_000) };
  const elevenlabs = new ElevenLabsServer();
  elevenlabs.sound = silentMp3(80);
  const servers = [openai, replicate.server, fal.server, elevenlabs.server];
  await Promise.all(servers.map((server, at) => server.start(port === 0 ? 0 : port + at)));
  return {
    baseUrls: {
      openai_compatible: `http://${openai.host}/v1`,
      replicate: replicate.base,
      fal: fal.origin,
      elevenlabs: elevenlabs.origin,
    },
    stop: () => {
      servers.forEach((server) => {
        server.stop();
      });
    },
  };
}

function answerOpenai(picture: Uint8Array): Answer {
  const answers: readonly (readonly [RegExp, Answer])[] = [
    [
      /\/chat\/completions$/,
      answerChat({
        pieces: ["This text ", "is from ", "a mock server."],
        usage: { prompt_tokens: 20, completion_tokens: 10 },
      }),
    ],
    [/\/images\/(?:generations|edits)$/, answerPictures({ pictures: [picture] })],
    [/\/audio\/speech$/, answerSpeech(wavOf(16_000))],
    [
      /\/audio\/transcriptions$/,
      answerTranscript({
        text: "A mock transcript.",
        duration: 2,
        segments: [{ start: 0, end: 2, text: "A mock transcript." }],
      }),
    ],
    [
      /\/models$/,
      (_request, response) => {
        sendJson(response, 200, { object: "list", data: [{ id: "mock", object: "model" }] });
      },
    ],
  ];
  return (request, response) => {
    const found = answers.find(([path]) => path.test(request.path));
    if (found === undefined) {
      sendJson(response, 404, { error: { message: "Not found", code: "not_found" } });
      return;
    }
    return found[1](request, response);
  };
}
