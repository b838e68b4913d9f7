import * as z from "zod";
import { MEDIA_TIME_LIMIT_MS, soundOutput } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { soundParameterIssues, sourceSoundParameters } from "../define-sound-formats.ts";
import { VIDEO_COLOR } from "../define-video-nodes.ts";

const params = z.strictObject(sourceSoundParameters);

/** The sound of a video (docs/contract/media.md#sound-of-a-video). */
export const videoExtractAudio = defineNode({
  type: "video/extract_audio",
  version: "1.0",
  name: "Extract audio",
  description: "Takes the sound out of a video, as it is or in another format.",
  whenToUse:
    "For a transcript, or to work on the sound of a film. video/mux_audio puts a sound back into a video.",
  subCategory: "sound",
  status: "stable",
  icon: "audio-lines",
  color: VIDEO_COLOR,
  inputs: [{ name: "video", type: "video", label: "Video" }],
  outputs: [soundOutput],
  params,
  check: soundParameterIssues,
  role: "transform",
  placement: "task",
  needs: ["video"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs, request) {
    return new Map([["audio", await ctx.video.extractAudio(inputs.file("video"), request)]]);
  },
});
