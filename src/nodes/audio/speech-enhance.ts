import * as z from "zod";
import { decimalField } from "../../contracts/workflows/node-parameters.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import {
  AUDIO_COLOR,
  MEDIA_TIME_LIMIT_MS,
  processingReportOutput,
  qualityCheckOutput,
  soundOutput,
  soundOutputs,
} from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";

/** A control without a value is that of the profile. */
const control = (min: number, max: number, title: string, description: string) =>
  decimalField(min, max).nullish().meta({ title, description, exposable: true });

const params = z.strictObject({
  profile: z.enum(["light", "podcast", "dialogue", "custom"]).default("podcast").meta({
    title: "Profile",
    description:
      "How much is done. A control that is set outranks it; custom does only what is set.",
    exposable: true,
  }),
  denoise_technique: z.enum(["auto", "spectral", "neural", "none"]).default("auto").meta({
    title: "Noise reduction",
    description:
      "auto is the technique of the profile. neural (a recurrent network) removes more than spectral, which keeps more of the room.",
    exposable: true,
  }),
  denoise_mix: control(
    0,
    1,
    "Mix",
    "Share of the cleaned sound: 0 is the input, 1 the cleaned sound alone.",
  ),
  highpass_hz: control(20, 400, "High-pass filter", "In Hz: lower frequencies are removed."),
  deess_db: control(0, 24, "De-esser", "In dB: how far sharp sibilants are turned down."),
  compress_ratio: control(1, 10, "Compression", "Ratio of the compressor."),
  compress_threshold_db: control(-60, 0, "Compression threshold", "In dB."),
  ...soundParameters,
});

/** A voice with less noise (docs/contract/media.md#speech). */
export const audioSpeechEnhance = defineNode({
  type: "audio/speech_enhance",
  version: "1.0",
  name: "Enhance speech",
  description:
    "Removes rumble and noise from a voice, softens sibilants and evens out its level. It removes no reverberation and separates no sources.",
  whenToUse: "For recordings of a voice with noise, before the loudness is normalized.",
  subCategory: "speech",
  status: "stable",
  icon: "mic",
  color: AUDIO_COLOR,
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [soundOutput, processingReportOutput, qualityCheckOutput],
  params,
  check: soundParameterIssues,
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 20 },
  async run(ctx, inputs, request) {
    const made = await ctx.audio.enhance(inputs.file("audio"), request);
    return soundOutputs(made).set("quality_check", asJson(made.check));
  },
});
