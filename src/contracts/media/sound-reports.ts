/** Structured contracts of the nodes that make sounds with a model (docs/contract/models.md#sounds). */
import * as z from "zod";
import { STEM_NAMES } from "../models/model-calls.ts";
import { VOICE_CONTROLS } from "../models/model.ts";

const sha256 = z.string().describe("64 lower-case hex digits, of the stored bytes.");
const soundFields = {
  duration_seconds: z.number().min(0),
  sample_rate: z.number().describe("In samples a second."),
  channels: z.int().min(1),
};
const provider = z.string().describe("Id of the provider that served the model.");
const model = z.string().describe("Slug of the model that answered.");

const control = z
  .strictObject({
    value: z
      .union([z.string(), z.number()])
      .nullable()
      .describe("Null if the model chose it by itself."),
    source: z
      .enum(["input", "parameter", "model_default"])
      .describe("A connected input, the node's parameter, or neither."),
  })
  .optional();

/** How a speech was made; it does not contain the text. */
export const SpeechReport = z.strictObject({
  schema: z.literal("svc.tts-generation/v1"),
  provider,
  model,
  characters: z.int().min(0).describe("Characters of the text, as they were charged."),
  ...soundFields,
  content_type: z.string(),
  sha256,
  controls: z
    .strictObject(
      Object.fromEntries(VOICE_CONTROLS.map((name) => [name, control])) as Record<
        (typeof VOICE_CONTROLS)[number],
        typeof control
      >,
    )
    .describe("Each control that the model has."),
});
export type SpeechReport = z.infer<typeof SpeechReport>;

/** The stems of a sound, with their files. */
export const StemReport = z.strictObject({
  schema: z.literal("svc.stem-separation/v1"),
  provider,
  model,
  source: z.strictObject({ duration_seconds: z.number().min(0), sha256 }),
  stems: z
    .array(
      z.strictObject({
        name: z.enum(STEM_NAMES),
        storage_ref: z.string().describe("`storage://` and the path of the file."),
        content_type: z.string(),
        size_bytes: z.int().min(0),
        sha256,
        ...soundFields,
      }),
    )
    .length(STEM_NAMES.length)
    .describe("In the order vocals, drums, bass, other."),
});
export type StemReport = z.infer<typeof StemReport>;
