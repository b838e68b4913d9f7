import * as z from "zod";
import { AUDIO_COLOR, MEDIA_TIME_LIMIT_MS } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { segmentPort, segmentPorts, segmentsField, segmentsOf } from "../define-segments.ts";
import { soundParameterIssues, sourceSoundParameters } from "../define-sound-formats.ts";

const { format, bitrate_kbps, bit_depth } = sourceSoundParameters;

/** Parts of a sound, to the sample (docs/contract/media.md#cutting). */
export const audioSplit = defineNode({
  type: "audio/split",
  version: "1.0",
  name: "Split audio",
  description:
    "Cuts up to 20 parts out of a sound, exact to the sample. WAV and FLAC stay bit-exact, and AAC and ALAC are copied.",
  whenToUse: "For chapters, quotations and clips of a recording. To join sounds, use audio/concat.",
  subCategory: "edit",
  status: "stable",
  icon: "scissors",
  color: AUDIO_COLOR,
  inputs: [{ name: "audio", type: "audio", label: "Sound" }],
  outputs: [],
  params: z.strictObject({ segments: segmentsField, format, bitrate_kbps, bit_depth }),
  dynamicPorts: segmentPorts("audio"),
  check: (given) => soundParameterIssues(given),
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs, { segments, ...form }) {
    const files = await ctx.audio.split(inputs.file("audio"), segmentsOf(segments), form);
    return new Map(files.map((file, index) => [segmentPort(index), file]));
  },
});
