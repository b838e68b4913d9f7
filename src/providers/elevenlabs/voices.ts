/** `GET {base}/v2/voices` of ElevenLabs. */
import type { ModelVoice } from "../../contracts/models/model.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { badOutput } from "../call-failure.ts";
import type { ListVoices, ProviderIo } from "../provider.ts";
import { readJsonAnswer } from "../read-answer.ts";

/** The most that a page can have. */
const PAGE_VOICES = 100;
const VOICES_MAX = LIMITS.provider_voices.value;
const LABELS_MAX = 20;
const TEXT_CHARS_MAX = 200;
const ADDRESS_CHARS_MAX = 2_048;

export const listVoices: ListVoices = async (io) => {
  const voices = new Map<string, ModelVoice>();
  let token: string | null = null;
  do {
    const known = voices.size;
    // oxlint-disable-next-line no-await-in-loop -- a page names the next one
    const page: VoicePage = await readPage(io, PAGE_VOICES, token);
    page.voices.forEach((voice) => voices.set(voice.voice, voice));
    // A page without another voice would be followed by others without an end.
    token = voices.size > known ? page.next : null;
  } while (token !== null && voices.size < VOICES_MAX);
  return [...voices.values()].slice(0, VOICES_MAX);
};

/** The voice that speaks if none is asked for. Throws NodeError `PROVIDER_REJECTED` for an account without voices. */
export async function firstVoice(io: ProviderIo): Promise<string> {
  const { voices } = await readPage(io, 1, null);
  const [first] = voices;
  if (first === undefined) {
    throw new NodeError(
      "PROVIDER_REJECTED",
      "The operator's account at ElevenLabs has no voices. Add one there, or name a voice.",
    );
  }
  return first.voice;
}

interface VoicePage {
  readonly voices: readonly ModelVoice[];
  /** Of the next page; null if this is the last one. */
  readonly next: string | null;
}

async function readPage(io: ProviderIo, size: number, token: string | null): Promise<VoicePage> {
  const query = new URLSearchParams({ page_size: String(size) });
  if (token !== null) {
    query.set("next_page_token", token);
  }
  const answer = await readJsonAnswer(
    await io.send(`/v2/voices?${query.toString()}`, {
      method: "GET",
      headers: { accept: "application/json" },
      maxBytes: LIMITS.provider_json.value,
    }),
    io,
  );
  const { voices, has_more: hasMore, next_page_token: next } = isJsonObject(answer) ? answer : {};
  if (!Array.isArray(voices)) {
    throw badOutput("its body has no voices");
  }
  return {
    voices: (voices as readonly JsonValue[]).slice(0, size).flatMap(voiceOf),
    next: hasMore === true && typeof next === "string" && next !== "" ? next : null,
  };
}

/** A voice as callers see it; none for an entry without a usable id. */
function voiceOf(value: JsonValue): readonly ModelVoice[] {
  if (!isJsonObject(value)) {
    return [];
  }
  const {
    voice_id: voice,
    name,
    labels,
    preview_url: preview,
    verified_languages: verified,
  } = value;
  if (typeof voice !== "string" || !/^[A-Za-z0-9_-]{1,128}$/.test(voice)) {
    return [];
  }
  const named = isJsonObject(labels) ? labels : {};
  const first = Array.isArray(verified) ? (verified as readonly JsonValue[])[0] : undefined;
  return [
    {
      voice,
      name: shortText(name) ?? voice,
      language:
        shortText(named["language"]) ??
        (isJsonObject(first) ? shortText(first["language"]) : undefined) ??
        null,
      labels: Object.fromEntries(
        Object.entries(named)
          .flatMap(([label, text]) => {
            const short = shortText(text);
            return short === undefined || label.length > TEXT_CHARS_MAX ? [] : [[label, short]];
          })
          .slice(0, LABELS_MAX),
      ),
      preview_url: publicAddress(preview),
    },
  ];
}

function shortText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== ""
    ? value.slice(0, TEXT_CHARS_MAX).toWellFormed()
    : undefined;
}

function publicAddress(value: JsonValue | undefined): string | null {
  if (typeof value !== "string" || value.length > ADDRESS_CHARS_MAX || !URL.canParse(value)) {
    return null;
  }
  const { href, protocol, username, password } = new URL(value);
  return protocol === "https:" && username === "" && password === "" ? href : null;
}
