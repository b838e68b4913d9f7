import * as z from "zod";
import { AUDIO_COLOR, MEDIA_TIME_LIMIT_MS, soundOutput } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";

const params = z.strictObject({
  ...soundParameters,
  // The purpose of the node, so it has no default.
  format: soundParameters.format.unwrap().meta({
    title: "Format",
    description: "wav and flac are lossless; mp3, m4a (AAC) and ogg (Opus) are lossy.",
    exposable: true,
  }),
});

/** A sound in another format (docs/contract/media.md#written). */
export const audioConvert = defineNode({
  type: "audio/convert",
  version: "1.0",
  name: "Convert audio",
  description:
    "Writes a sound as WAV, FLAC, MP3, M4A or Ogg, and in another sample rate or number of channels.",
  whenToUse:
    "For a player or a provider that takes one format only. Other sound nodes write these formats themselves.",
  subCategory: "edit",
  status: "stable",
  icon: "file-audio",
  color: AUDIO_COLOR,
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [soundOutput],
  params,
  check: soundParameterIssues,
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 10 },
  async run(ctx, inputs, form) {
    return new Map([["audio", await ctx.audio.convert(inputs.file("audio"), form)]]);
  },
});
