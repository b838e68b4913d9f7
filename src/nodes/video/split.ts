import * as z from "zod";
import { MEDIA_TIME_LIMIT_MS } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { segmentPort, segmentPorts, segmentsField, segmentsOf } from "../define-segments.ts";
import { VIDEO_COLOR } from "../define-video-nodes.ts";

/** Parts of a video, to the picture (docs/contract/media.md#cutting). */
export const videoSplit = defineNode({
  type: "video/split",
  version: "1.0",
  name: "Split video",
  description:
    "Cuts up to 20 parts out of a video, exact to the picture and to the sample of its sound. Nothing is encoded again.",
  whenToUse: "For clips and chapters of a video. To join videos, use video/concat.",
  subCategory: "edit",
  status: "stable",
  icon: "scissors",
  color: VIDEO_COLOR,
  inputs: [{ name: "video", type: "video", label: "Video" }],
  outputs: [],
  params: z.strictObject({
    segments: segmentsField,
    cut: z.enum(["exact", "keyframe"]).default("exact").meta({
      title: "Cut",
      description:
        "exact begins with the first picture at or after the start; an edit list hides what it is predicted from. keyframe begins at the key frame at or before the start, for players that ignore edit lists.",
      exposable: true,
    }),
  }),
  dynamicPorts: segmentPorts("video"),
  role: "transform",
  placement: "task",
  needs: ["video"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs, { segments, cut }) {
    const files = await ctx.video.split(inputs.file("video"), segmentsOf(segments), cut);
    return new Map(files.map((file, index) => [segmentPort(index), file]));
  },
});
