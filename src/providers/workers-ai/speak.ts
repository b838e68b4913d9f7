import { LIMITS } from "../../lib/limits/limits-table.ts";
import { badOutput } from "../call-failure.ts";
import type { Speak } from "../provider.ts";
import { readPieces } from "../read-answer.ts";
import { readSound } from "../sound-answer.ts";
import { runAi } from "./run-ai.ts";

/** Without a voice, the first of the model's list speaks. */
export const speak: Speak = async (model, { text, voice, parameters }, io) => {
  const speaker = voice ?? model.voices[0];
  const inputs = {
    ...parameters,
    text,
    ...(speaker !== undefined && { speaker }),
    encoding: "linear16",
    container: "wav",
  };
  const output = await runAi(model, inputs, io, LIMITS.provider_sound.value);
  if (output.kind === "value") {
    throw badOutput("it is not a sound");
  }
  return { bytes: await readSound(readPieces(output.body, io)), characters: null };
};
