/** A server with the API of ElevenLabs. */
import { sendJson } from "./openai-chat.ts";
import type { Interruption } from "./replicate-server.ts";
import { type Answer, ScriptedServer } from "./scripted-server.ts";

/** A silent MP3 of so many frames: MPEG 1 layer III, 44.1 kHz, 128 kbit/s, mono. */
export function silentMp3(frames: number): Buffer {
  // 417 bytes without padding: 144 × 128,000 / 44,100.
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0xc4]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
}

export function voiceOf(at: number) {
  return {
    voice_id: `voice${String(at).padStart(4, "0")}xyz`,
    name: `Voice ${at}`,
    category: "premade",
    labels: { accent: "american", gender: "female", language: "en" },
    description: "MARKER",
    preview_url: `https://storage.googleapis.com/eleven-public-prod/voice-${at}.mp3`,
    available_for_tiers: [],
    high_quality_base_model_ids: ["eleven_multilingual_v2"],
    verified_languages: [
      { language: "en", model_id: "eleven_multilingual_v2", accent: "american" },
    ],
  };
}

export class ElevenLabsServer {
  readonly server: ScriptedServer;
  /** How many voices the account has. */
  voices = 3;
  sound: Uint8Array = silentMp3(40);
  /** Headers of an answer with a sound. */
  headers: (text: string) => Record<string, string> = (text) => ({
    "x-character-count": String(text.length),
  });
  interrupt: Interruption = () => false;

  constructor() {
    this.server = new ScriptedServer((request, response) => this.answer(request, response));
  }

  get origin(): string {
    return `http://${this.server.host}`;
  }

  reset(): void {
    const { voices, sound, headers, interrupt } = new ElevenLabsServer();
    Object.assign(this, { voices, sound, headers, interrupt });
    this.server.received.length = 0;
  }

  async answer(...[request, response]: Parameters<Answer>): Promise<void> {
    if ((await this.interrupt(request, response)) === true) {
      return;
    }
    const { method, headers } = request;
    const { pathname, searchParams } = new URL(request.path, "http://localhost");
    const spoken = /^\/v1\/text-to-speech\/([^/]+)$/.exec(pathname)?.[1];
    if ((headers["xi-api-key"] ?? "") === "") {
      sendJson(response, 401, {
        detail: { status: "invalid_api_key", message: "Invalid API key" },
      });
    } else if (method === "POST" && spoken !== undefined) {
      const { text } = request.json() as { readonly text: string };
      response.writeHead(200, { "content-type": "audio/mpeg", ...this.headers(text) });
      response.end(this.sound);
    } else if (method === "GET" && pathname === "/v2/voices") {
      const size = Math.min(100, Number(searchParams.get("page_size") ?? 10));
      const from = Number(searchParams.get("next_page_token") ?? 0);
      const to = Math.min(this.voices, from + size);
      const hasMore = to < this.voices;
      sendJson(response, 200, {
        voices: Array.from({ length: to - from }, (_, at) => voiceOf(from + at)),
        has_more: hasMore,
        total_count: this.voices,
        next_page_token: hasMore ? String(to) : null,
      });
    } else if (method === "GET" && pathname === "/v1/models") {
      sendJson(response, 200, [
        { model_id: "eleven_multilingual_v2", name: "Eleven Multilingual v2" },
        { model_id: "eleven_flash_v2_5", name: "Eleven Flash v2.5" },
      ]);
    } else {
      sendJson(response, 404, { detail: "Not Found" });
    }
  }
}
