import * as z from "zod";
import type { ReferencedModel, SpeechRequest } from "../../contracts/models/model-calls.ts";
import { integerField } from "../../contracts/workflows/node-parameters.ts";
import type { SpeechReport } from "../../contracts/media/sound-reports.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { countCharacters } from "../../lib/count-characters.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { costOfCall } from "../define-model-costs.ts";
import { askInOrder, modelChain, modelParameters } from "../define-models.ts";
import { defineNode } from "../define-node.ts";
import { oneModel } from "../define-one-model.ts";
import type { RunValue } from "../define-ports.ts";
import type { StoredSpeech } from "../define-model-tools.ts";
import {
  controlIssues,
  controlsFor,
  type ControlValue,
  type ControlValues,
} from "../define-voice-controls.ts";

const CAPABILITY = "text_to_speech";

const savedText = (title: string, description: string) =>
  z
    .string()
    .min(1)
    .max(LIMITS.provider_text.value)
    .nullish()
    .meta({ title, description, exposable: true });
const savedNumber = (title: string, description: string) =>
  z.number().nullish().meta({ title, description, exposable: true });

const params = z.strictObject({
  ...modelParameters,
  voice: savedText(
    "Voice",
    "A voice of the model, as `GET /models/{model}/voices` lists it; its first one if left out.",
  ),
  language: savedText("Language", "The language of the text, for models that are told."),
  emotion: savedText("Emotion", "How the text is spoken, for example `cheerful`."),
  speed: savedNumber("Speed", "1 for the usual speed of the voice, 2 for twice as fast."),
  pitch: savedNumber("Pitch", "In semitones above or below the usual pitch of the voice."),
  max_characters: integerField(1, 40_000).default(2_000).meta({
    title: "Longest text",
    description: "In characters. A longer text is refused before anything is sent.",
    advanced: true,
  }),
});

const MODEL = oneModel<z.output<typeof params>>(CAPABILITY, "character", (given) => ({
  characters: given.max_characters,
}));

/** Speaks a text (docs/contract/models.md#sounds). */
export const aiTextToSpeech = defineNode({
  ...MODEL,
  type: "ai/text_to_speech",
  version: "1.0",
  name: "Speak a text",
  description: "Speaks a text with the voice of a model.",
  whenToUse: "For voice-overs, announcements and dubbed cues.",
  subCategory: "audio",
  status: "preview",
  icon: "speech",
  color: "#7c3aed",
  inputs: [
    { name: "text", type: "text", label: "Text" },
    { name: "voice", type: "text", required: false, label: "Voice" },
    { name: "language", type: "text", required: false, label: "Language" },
    { name: "emotion", type: "text", required: false, label: "Emotion" },
    { name: "speed", type: "number", required: false, label: "Speed" },
    { name: "pitch", type: "number", required: false, label: "Pitch" },
  ],
  outputs: [
    { name: "audio", type: "audio", label: "Speech" },
    {
      name: "generation_metadata",
      type: "json",
      label: "How it was made",
      schemaRef: "svc.tts-generation/v1",
    },
  ],
  params,
  check: (given, connected, stored) => [
    ...MODEL.check(given, connected, stored),
    ...controlIssues(modelChain(given, stored, CAPABILITY), given, connected),
  ],
  role: "transform",
  placement: "task",
  needs: ["models"],
  async run(ctx, inputs, given) {
    const text = inputs.text("text");
    const counted = requireShort(text, given.max_characters);
    const chain = modelChain(given, ctx.references, CAPABILITY);
    // Every model of the chain, so that no request is sent if one of them cannot be asked.
    const controls = chain.map((model, at) => controlsFor(model, given, inputs, at > 0));
    return await askInOrder(chain, given, ctx.task.attempt, async (model) => {
      const at = chain.indexOf(model);
      const values = controls[at] ?? {};
      // They belong to the first model; a fallback has others.
      const parameters = at === 0 ? given.model_parameters : {};
      const request = { text, parameters, ...requestedControls(values) };
      const made = await ctx.models.speak(model, request, model.model);
      const characters = made.characters ?? counted;
      ctx.task.charge({ milliCredits: costOfCall(model, { characters }), quantity: characters });
      const report = reportOf(model, characters, made, values);
      return new Map<string, RunValue>([
        ["audio", made.file],
        ["generation_metadata", asJson(report)],
      ]);
    });
  },
});

/** Code points of the text. Throws NodeError `INPUT_TOO_LONG`. */
function requireShort(text: string, max: number): number {
  const count = countCharacters(text);
  if (count > max) {
    throw new NodeError(
      "INPUT_TOO_LONG",
      `The text has ${count} characters, and max_characters is ${max}. Shorten it or raise the limit.`,
    );
  }
  return count;
}

/** What is sent: a default is sent too, so that the report says what was asked for. */
function requestedControls(
  values: ControlValues,
): Pick<SpeechRequest, "voice" | "language" | "emotion" | "speed" | "pitch"> {
  const text = (control: ControlValue | undefined) =>
    typeof control?.value === "string" ? control.value : null;
  const number = (control: ControlValue | undefined) =>
    typeof control?.value === "number" ? control.value : null;
  return {
    voice: text(values.voice),
    language: text(values.language),
    emotion: text(values.emotion),
    speed: number(values.speed),
    pitch: number(values.pitch),
  };
}

function reportOf(
  { model, provider }: ReferencedModel,
  characters: number,
  { file, metadata }: StoredSpeech,
  controls: ControlValues,
): SpeechReport {
  return {
    schema: "svc.tts-generation/v1",
    provider,
    model,
    characters,
    duration_seconds: metadata.seconds,
    content_type: file.contentType,
    sample_rate: metadata.sampleRate,
    channels: metadata.channels,
    sha256: file.requireSha256(),
    controls,
  };
}
