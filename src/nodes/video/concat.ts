import * as z from "zod";
import { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { MEDIA_TIME_LIMIT_MS } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { VIDEO_COLOR, videoOutput } from "../define-video-nodes.ts";

/** Videos one after another (docs/contract/media.md#joining-videos). */
export const videoConcat = defineNode({
  type: "video/concat",
  version: "1.0",
  name: "Join videos",
  description:
    "Joins up to 100 videos in the order of their connections. Pictures are copied, so all clips must have been made with the same settings.",
  whenToUse: "For an intro, a film and credits from one encoder, or the segments of video/split.",
  subCategory: "edit",
  status: "stable",
  icon: "film",
  color: VIDEO_COLOR,
  inputs: [
    {
      name: "clips",
      type: "video",
      label: "Clips",
      list: { minCount: 1, maxCount: LIMITS.joined_clips.value, compact: true },
    },
  ],
  outputs: [videoOutput],
  params: z.strictObject({}),
  role: "transform",
  placement: "task",
  needs: ["video"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs) {
    const clips = inputs.list("clips").filter((value) => value instanceof FileRef);
    return new Map([["video", await ctx.video.concat(clips)]]);
  },
});
