/** `POST {base}/audio/speech` of OpenAI-compatible servers. */
import type { ReferencedModel, SpeechRequest } from "../../contracts/models/model-calls.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { Speak } from "../provider.ts";
import { readPieces, requireSuccess } from "../read-answer.ts";
import { readSound } from "../sound-answer.ts";

export const speak: Speak = async (model, request, io) => {
  const response = await io.send("/audio/speech", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "audio/*",
      "idempotency-key": io.key,
    },
    body: stringifyJson(speechFields(model, request)),
    maxBytes: LIMITS.provider_sound.value,
  });
  await requireSuccess(response, io);
  await io.holding(Infinity);
  return { bytes: await readSound(readPieces(response.body, io)), characters: null };
};

/** The body of a request. Without a voice, the first of the model's list speaks. Pure. */
export function speechFields(
  { remote_model: model, voices }: ReferencedModel,
  { text, voice, speed, emotion, parameters }: SpeechRequest,
): { readonly [member: string]: JsonValue } {
  const speaker = voice ?? voices[0];
  return {
    ...parameters,
    model,
    input: text,
    ...(speaker !== undefined && { voice: speaker }),
    response_format: "wav",
    ...(speed !== null && { speed }),
    ...(emotion !== null && { instructions: `Speak in a ${emotion} tone.` }),
  };
}
