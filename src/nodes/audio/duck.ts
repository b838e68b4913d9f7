import * as z from "zod";
import { decimalField } from "../../contracts/workflows/node-parameters.ts";
import { asJson } from "../../lib/json/exact-json.ts";
import {
  AUDIO_COLOR,
  MEDIA_TIME_LIMIT_MS,
  processingReportOutput,
  qualityCheckOutput,
  soundOutput,
} from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import type { RunValue } from "../define-ports.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";

/** A control without a value is that of the profile. */
const control = (min: number, max: number, title: string, description: string) =>
  decimalField(min, max).nullish().meta({ title, description, exposable: true });

const params = z.strictObject({
  profile: z.enum(["voice_over", "podcast", "music_bed", "custom"]).default("voice_over").meta({
    title: "Profile",
    description: "How the background follows the foreground. A control that is set outranks it.",
    exposable: true,
  }),
  threshold_db: control(
    -60,
    0,
    "Threshold",
    "In dB: the foreground above it turns the background down.",
  ),
  ratio: control(1, 20, "Ratio", "Decibels above the threshold for each decibel that is left."),
  attack_ms: control(1, 500, "Attack", "In milliseconds."),
  release_ms: control(10, 5_000, "Release", "In milliseconds."),
  max_reduction_db: control(0, 60, "Largest reduction", "In dB."),
  background_gain_db: control(-60, 12, "Background gain", "In dB, besides the reduction."),
  foreground_gain_db: control(-60, 12, "Foreground gain", "In dB."),
  length: z.enum(["longest", "foreground", "background"]).default("longest").meta({
    title: "Length",
    description: "That of the longer sound, of the foreground or of the background.",
    exposable: true,
  }),
  loop_background: z.boolean().default(false).meta({
    title: "Loop the background",
    description: "The background begins again at its end; longest then means the foreground.",
    exposable: true,
  }),
  ...soundParameters,
});

const NEEDED_BY_CUSTOM = ["threshold_db", "ratio", "attack_ms", "release_ms"] as const;

/** A background that gives way to a voice (docs/contract/media.md#speech). */
export const audioDuck = defineNode({
  type: "audio/duck",
  version: "1.0",
  name: "Duck background",
  description: "Turns a background down while a foreground is heard, and adds both.",
  whenToUse: "For music under speech. For a fixed level, use audio/mix.",
  subCategory: "speech",
  status: "stable",
  icon: "audio-waveform",
  color: AUDIO_COLOR,
  inputs: [
    { name: "foreground", type: "audio", label: "Foreground" },
    { name: "background", type: "audio", label: "Background" },
  ],
  outputs: [
    soundOutput,
    { name: "ducked_background", type: "audio", label: "Background alone" },
    { ...processingReportOutput, name: "ducking_report", label: "How it was ducked" },
    qualityCheckOutput,
  ],
  params,
  check: (given) => [
    ...soundParameterIssues(given),
    ...(given.profile === "custom"
      ? NEEDED_BY_CUSTOM.filter((name) => (given[name] ?? null) === null).map((name) => ({
          code: "INVALID_PARAMETER" as const,
          path: name,
          message: `The profile custom has no ${name} of its own.`,
          suggestion: `Set ${name}, or choose another profile.`,
        }))
      : []),
  ],
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 20 },
  async run(ctx, inputs, request) {
    const [foreground, background] = [inputs.file("foreground"), inputs.file("background")];
    const made = await ctx.audio.duck(foreground, background, request);
    return new Map<string, RunValue>([
      ["audio", made.audio],
      ["ducked_background", made.background],
      ["ducking_report", asJson(made.report)],
      ["quality_check", asJson(made.check)],
    ]);
  },
});
