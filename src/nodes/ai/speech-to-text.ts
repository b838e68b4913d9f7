import * as z from "zod";
import type { TranscriptPassage } from "../../contracts/model-calls.ts";
import type { JsonValue } from "../../lib/exact-json.ts";
import { LIMITS } from "../../lib/limits-table.ts";
import { costOfCall, highestCost, mayCostLess } from "../define-model-costs.ts";
import {
  askInOrder,
  modelChain,
  modelParameterIssues,
  modelParameters,
  modelReferences,
  unsupportedModels,
} from "../define-models.ts";
import { defineNode } from "../define-node.ts";
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
  type: "ai/speech_to_text",
  version: "1.0",
  name: "Transcribe speech",
  description: "Writes down what is said in a sound, whole and in cues with their times.",
  whenToUse: "For subtitles, minutes, and for texts that other nodes work on.",
  subCategory: "audio",
  status: "preview",
  icon: "captions",
  color: "#7c3aed",
  capabilities: [CAPABILITY],
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [
    { name: "text", type: "text", label: "Text" },
    { name: "cues", type: "json", label: "Cues" },
  ],
  params,
  references: (given) => modelReferences(given, [CAPABILITY]),
  check: (given, _connected, stored) => [
    ...unsupportedModels(given, stored, { capability: CAPABILITY, needsVision: false }),
    ...modelParameterIssues(given, stored, CAPABILITY),
  ],
  cost: {
    unit: "second",
    milliCredits: (given, _connected, stored) =>
      highestCost(modelChain(given, stored, CAPABILITY), { seconds: given.max_seconds }),
    isCeiling: (given, stored) => mayCostLess(modelChain(given, stored, CAPABILITY)),
  },
  role: "transform",
  placement: "task",
  needs: ["models"],
  timeLimitMs: 900_000,
  async run(ctx, inputs, given) {
    const file = inputs.file("audio");
    const metadata = await measured(ctx.models, file, given.max_seconds);
    const chain = modelChain(given, ctx.references, CAPABILITY);
    return await askInOrder(chain, given, ctx.task.attempt, async (model) => {
      // They belong to the first model; a fallback has others.
      const parameters = model === chain[0] ? given.model_parameters : {};
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
