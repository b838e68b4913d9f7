import * as z from "zod";
import type { TranscriptPassage } from "../../contracts/models/model-calls.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { costOfCall } from "../define-model-costs.ts";
import { modelParameters } from "../define-models.ts";
import { defineNode } from "../define-node.ts";
import { askOneModel, oneModel } from "../define-one-model.ts";
import type { RunValue } from "../define-ports.ts";
import { maxSecondsParameter, measured } from "../define-sounds.ts";

const CAPABILITY = "speech_to_text";

const params = z.strictObject({
  ...modelParameters,
  language: z.string().min(1).max(LIMITS.identifier.value).nullish().meta({
    title: "Language",
    description: "The language that is spoken, for example `en`; left out, the model finds out.",
    exposable: true,
  }),
  max_seconds: maxSecondsParameter,
});

/** Writes down what is said (docs/contract/models.md#sounds). */
export const aiSpeechToText = defineNode({
  ...oneModel<z.output<typeof params>>(CAPABILITY, "second", (given) => ({
    seconds: given.max_seconds,
  })),
  type: "ai/speech_to_text",
  version: "1.0",
  name: "Transcribe speech",
  description: "Writes down what is said in a sound, whole and in cues with their times.",
  whenToUse: "For subtitles, minutes, and for texts that other nodes work on.",
  subCategory: "audio",
  status: "preview",
  icon: "captions",
  color: "#7c3aed",
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [
    { name: "text", type: "text", label: "Text" },
    { name: "cues", type: "json", label: "Cues" },
  ],
  params,
  role: "transform",
  placement: "task",
  needs: ["models"],
  async run(ctx, inputs, given) {
    const file = inputs.file("audio");
    const metadata = await measured(ctx.models, file, given.max_seconds);
    return await askOneModel(ctx, given, CAPABILITY, async (model, parameters) => {
      const request = {
        file,
        metadata: () => Promise.resolve(metadata),
        language: given.language ?? null,
        parameters,
      };
      const answer = await ctx.models.transcribe(model, request, model.model);
      const seconds = Math.ceil(answer.seconds ?? metadata.seconds);
      ctx.task.charge({ milliCredits: costOfCall(model, { seconds }), quantity: seconds });
      return new Map<string, RunValue>([
        ["text", answer.text.trim()],
        ["cues", cuesOf(answer.passages)],
      ]);
    });
  },
});

function cuesOf(passages: readonly TranscriptPassage[]): JsonValue {
  return passages.map(({ start, end, text }, index) => ({ index, start, end, text: text.trim() }));
}
