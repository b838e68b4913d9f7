import * as z from "zod";
import { decimalField, integerField } from "../../contracts/workflows/node-parameters.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import { AUDIO_COLOR, MEDIA_TIME_LIMIT_MS, qualityCheckOutput } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import type { RunValue } from "../define-ports.ts";

const params = z.strictObject({
  silence_threshold_db: decimalField(-120, 0).default(-50).meta({
    title: "Silence threshold",
    description: "In dB. Sound at or below this level in every channel is silence.",
    exposable: true,
  }),
  min_silence_seconds: decimalField(0.05, 60).default(0.5).meta({
    title: "Shortest silence",
    description: "In seconds. A shorter silence does not count.",
    exposable: true,
  }),
  near_clip_db: decimalField(-6, 0).default(-0.1).meta({
    title: "Near clipping",
    description: "In dB. Samples at or above this level are counted as near-clipped.",
    advanced: true,
  }),
  target_lufs: decimalField(-70, 0).nullish().meta({
    title: "Target loudness",
    description: "In LUFS. With it, the integrated loudness is checked.",
    exposable: true,
  }),
  loudness_tolerance_lu: decimalField(0, 20).default(1).meta({
    title: "Loudness tolerance",
    description: "In LU: the largest accepted distance from the target loudness.",
    exposable: true,
  }),
  max_true_peak_db: decimalField(-20, 6).default(-1).meta({
    title: "Highest true peak",
    description: "In dBTP.",
    exposable: true,
  }),
  max_near_clipped_samples: integerField(0, Number.MAX_SAFE_INTEGER).default(0).meta({
    title: "Most near-clipped samples",
    description: "Of all channels together.",
    advanced: true,
  }),
  max_silence_ratio: decimalField(0, 1).default(0.5).meta({
    title: "Largest share of silence",
    description: "0.5 is half of the duration.",
    exposable: true,
  }),
});

/** Measures a sound by ITU-R BS.1770-4 and EBU R 128 (docs/contract/media.md#meter). */
export const audioQualityReport = defineNode({
  type: "audio/quality_report",
  version: "1.0",
  name: "Audio quality report",
  description:
    "Measures loudness, true peak, near-clipped samples and silence of a sound, and checks them against limits.",
  whenToUse:
    "Before a sound is delivered, with a quality gate behind it; or to learn the loudness of a recording.",
  subCategory: "loudness",
  status: "stable",
  icon: "gauge",
  color: AUDIO_COLOR,
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [
    { name: "metrics", type: "json", label: "Metrics", schemaRef: "svc.audio-quality-report/v1" },
    qualityCheckOutput,
  ],
  params,
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs, limits) {
    const { metrics, check } = await ctx.audio.measure(inputs.file("audio"), limits);
    return new Map<string, RunValue>([
      ["metrics", asJson(metrics)],
      ["quality_check", asJson(check)],
    ]);
  },
});
