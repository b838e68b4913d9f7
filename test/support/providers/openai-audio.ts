/** Answers of an OpenAI-compatible server to `POST /audio/speech` and `/audio/transcriptions`. */
import { sendJson } from "./openai-chat.ts";
import type { Answer } from "./scripted-server.ts";

/** Mono, 16 bit, 8 kHz. With `isStreamed`, the header does not know the length, as when the official API streams. */
export function wavOf(samples: number, isStreamed = false): Buffer {
  const data = samples * 2;
  const bytes = Buffer.alloc(44 + data);
  bytes.write("RIFF", 0, "latin1");
  bytes.writeUInt32LE(isStreamed ? 0xffff_ffff : 36 + data, 4);
  bytes.write("WAVEfmt ", 8, "latin1");
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(isStreamed ? 0xffff_ffff : data, 40);
  for (let at = 0; at < samples; at++) {
    bytes.writeInt16LE(Math.round(8_000 * Math.sin(at / 9)), 44 + at * 2);
  }
  return bytes;
}

export function answerSpeech(sound: Uint8Array, type = "audio/wav"): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-type": type });
    response.end(sound);
  };
}

export interface ScriptedTranscript {
  readonly text: string;
  readonly duration: number | string;
  readonly segments: readonly {
    readonly start: number;
    readonly end: number;
    readonly text: string;
  }[];
}

/** Answers in the format `verbose_json`. */
export function answerTranscript({ text, duration, segments }: ScriptedTranscript): Answer {
  return (_request, response) => {
    sendJson(response, 200, {
      task: "transcribe",
      language: "english",
      duration,
      text,
      segments: segments.map((segment, id) => ({
        id,
        seek: 0,
        ...segment,
        tokens: [50364],
        temperature: 0,
        avg_logprob: -0.3,
        compression_ratio: 1.1,
        no_speech_prob: 0.01,
      })),
      usage: { type: "duration", seconds: 2 },
    });
  };
}
