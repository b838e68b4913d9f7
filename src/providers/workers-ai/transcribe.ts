import type { JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { badOutput } from "../call-failure.ts";
import { encodeBase64 } from "../encode-base64.ts";
import type { Transcribe } from "../provider.ts";
import { passagesOf, secondsOf } from "../transcript-answer.ts";
import { memberOf } from "./member-of.ts";
import { runAi } from "./run-ai.ts";

const SOUND_BYTES_MAX = LIMITS.bound_sound.value;

/** The binding takes a sound as one text of base64. Throws also NodeError `INPUT_TOO_LONG`. */
export const transcribe: Transcribe = async (model, { sound, language, parameters }, io) => {
  const { sizeBytes } = sound.source;
  if (sizeBytes > SOUND_BYTES_MAX) {
    throw new NodeError(
      "INPUT_TOO_LONG",
      `The sound has ${sizeBytes} bytes; models of Workers AI take at most ${SOUND_BYTES_MAX}. Shorten it, or compress it as MP3 or Ogg.`,
    );
  }
  const inputs = {
    ...parameters,
    audio: await base64Of(await sound.source.stream(), io.signal),
    ...(language !== null && { language }),
  };
  const output = await runAi(model, inputs, io, LIMITS.provider_json.value);
  if (output.kind === "bytes") {
    await output.body.cancel();
    throw badOutput("it is not a transcript");
  }
  const { value } = output;
  const text = memberOf(value, "text");
  if (typeof text !== "string") {
    throw badOutput("it has no text");
  }
  return {
    text,
    passages: passagesOf(memberOf(value, "segments") as JsonValue | undefined),
    seconds: secondsOf(memberOf(memberOf(value, "transcription_info"), "duration") as JsonValue),
  };
};

async function base64Of(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string> {
  let text = "";
  for await (const piece of encodeBase64(pieces)) {
    signal.throwIfAborted();
    text += piece;
  }
  return text;
}
