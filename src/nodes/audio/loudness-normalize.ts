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
import type { OutputPort } from "../define-ports.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";

const params = z.strictObject({
  target_lufs: decimalField(-50, -5).default(-16).meta({
    title: "Target loudness",
    description: "In LUFS: -16 for podcasts, -14 for streaming, -23 for broadcasting.",
    exposable: true,
  }),
  true_peak_db: decimalField(-9, 0).default(-1).meta({
    title: "Highest true peak",
    description: "In dBTP. A limiter holds it where the gain alone would exceed it.",
    exposable: true,
  }),
  mode: z.enum(["two_pass", "single_pass"]).default("two_pass").meta({
    title: "Mode",
    description:
      "two_pass measures first and applies one gain. single_pass follows the loudness while it reads, for long recordings with changing levels.",
    exposable: true,
  }),
  tolerance_lu: decimalField(0.1, 3).default(0.5).meta({
    title: "Tolerance",
    description: "In LU: the largest accepted distance from the target.",
    exposable: true,
  }),
  max_gain_db: decimalField(0, 60).default(30).meta({
    title: "Largest gain",
    description: "In dB, up or down.",
    advanced: true,
  }),
  ...soundParameters,
});

const report = (name: string, label: string): OutputPort => ({
  name,
  type: "json",
  label,
  schemaRef: "svc.audio-quality-report/v1",
});

/** A sound at a loudness (docs/contract/media.md#loudness). */
export const audioLoudnessNormalize = defineNode({
  type: "audio/loudness_normalize",
  version: "1.0",
  name: "Normalize loudness",
  description:
    "Brings a sound to a target loudness by EBU R 128, with a true-peak limiter, and measures it before and after.",
  whenToUse: "Last in a chain of sounds, for the level that a platform demands.",
  subCategory: "loudness",
  status: "stable",
  icon: "activity",
  color: AUDIO_COLOR,
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [
    soundOutput,
    report("before", "Before"),
    report("after", "After"),
    processingReportOutput,
    qualityCheckOutput,
  ],
  params,
  check: soundParameterIssues,
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 20 },
  async run(ctx, inputs, request) {
    const made = await ctx.audio.normalize(inputs.file("audio"), request);
    return soundOutputs(made)
      .set("before", asJson(made.before))
      .set("after", asJson(made.after))
      .set("quality_check", asJson(made.check));
  },
});
