/** `POST {base}/v1/text-to-speech/{voice_id}` of ElevenLabs. */
import type { ReferencedModel, SpeechRequest } from "../../contracts/models/model-calls.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { ProviderIo, Speak } from "../provider.ts";
import { readPieces, requireSuccess } from "../read-answer.ts";
import { readSound } from "../sound-answer.ts";
import { firstVoice } from "./voices.ts";

/** An id as the list of voices has it: a part of the path. */
const VOICE_ID = /^[A-Za-z0-9_-]{1,128}$/;

export const speak: Speak = async (model, request, io) => {
  const voice = await voiceOf(request, io);
  const response = await io.send(`/v1/text-to-speech/${voice}?output_format=mp3_44100_128`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "audio/mpeg" },
    body: stringifyJson(speechFields(model, request)),
    maxBytes: LIMITS.provider_sound.value,
  });
  await requireSuccess(response, io);
  await io.holding(Infinity);
  return {
    bytes: await readSound(readPieces(response.body, io)),
    characters: countedCharacters(response.headers),
  };
};

/** Throws NodeError `UNKNOWN_VOICE` before anything is sent for a text that cannot be a voice. */
async function voiceOf({ voice }: SpeechRequest, io: ProviderIo): Promise<string> {
  if (voice === null) {
    return await io.kept("first voice", () => firstVoice(io));
  }
  if (!VOICE_ID.test(voice)) {
    throw new NodeError(
      "UNKNOWN_VOICE",
      "The voice is not an id of ElevenLabs: letters, digits, `_` and `-`. `GET /models/{model}/voices` lists those of the account.",
    );
  }
  return voice;
}

/** The body of a request. Pure. */
export function speechFields(
  { remote_model: model }: ReferencedModel,
  { text, language, speed, parameters }: SpeechRequest,
): { readonly [member: string]: JsonValue } {
  return {
    ...parameters,
    text,
    model_id: model,
    ...(language !== null && { language_code: language }),
    ...(speed !== null && { voice_settings: { speed } }),
  };
}

/** What the account was charged for; null if the answer does not say. */
function countedCharacters(headers: Headers): number | null {
  const text = headers.get("x-character-count") ?? headers.get("character-cost") ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
