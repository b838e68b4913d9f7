/** `POST {base}/audio/transcriptions` of OpenAI-compatible servers. */
import type { ReferencedModel, TranscriptRequest } from "../../contracts/models/model-calls.ts";
import { isJsonObject, stringifyJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { badOutput } from "../call-failure.ts";
import { formBody, type FormPart } from "../form-body.ts";
import type { Transcribe } from "../provider.ts";
import { readJsonAnswer } from "../read-answer.ts";
import { passagesOf, secondsOf } from "../transcript-answer.ts";

/** The sound is sent as it is read. */
export const transcribe: Transcribe = async (model, request, io) => {
  const { contentType, body } = formBody(transcriptionParts(model, request), io.key);
  const response = await io.send("/audio/transcriptions", {
    method: "POST",
    headers: {
      "content-type": contentType,
      accept: "application/json",
      "idempotency-key": io.key,
    },
    body,
    maxBytes: LIMITS.provider_json.value,
  });
  const answer = await readJsonAnswer(response, io);
  const text = isJsonObject(answer) ? answer["text"] : undefined;
  if (!isJsonObject(answer) || typeof text !== "string") {
    throw badOutput("it has no text");
  }
  return { text, passages: passagesOf(answer["segments"]), seconds: secondsOf(answer["duration"]) };
};

/** The parts of a request's form. */
export function transcriptionParts(
  { remote_model: model }: ReferencedModel,
  { sound, language, parameters }: TranscriptRequest,
): readonly FormPart[] {
  const { format, contentType, source } = sound;
  const fields = {
    ...parameters,
    model,
    response_format: "verbose_json",
    "timestamp_granularities[]": "segment",
    ...(language !== null && { language }),
  };
  return [
    ...Object.entries(fields).map(([name, value]) => ({
      name,
      value: typeof value === "string" ? value : stringifyJson(value),
    })),
    {
      name: "file",
      fileName: `sound.${format}`,
      contentType,
      sizeBytes: source.sizeBytes,
      bytes: (async function* () {
        yield* await source.stream();
      })(),
    },
  ];
}
