import * as z from "zod";
import { decimalField, integerField } from "../../contracts/workflows/node-parameters.ts";
import { ExactNumber } from "../../lib/json/exact-json.ts";
import { MEDIA_TIME_LIMIT_MS } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { VIDEO_COLOR } from "../define-video-nodes.ts";

const params = z.strictObject({
  at: decimalField(0, Number.MAX_VALUE).default(0).meta({
    title: "Time",
    description: "In seconds from the beginning; the input at wins.",
    exposable: true,
  }),
  mode: z.enum(["exact", "keyframe"]).default("exact").meta({
    title: "Mode",
    description:
      "exact takes the picture that a player shows at the time, keyframe the last key frame at or before it, which is faster.",
    exposable: true,
  }),
  format: z.enum(["jpg", "png", "webp"]).default("jpg").meta({
    title: "Format",
    description: "png is lossless, jpg and webp are lossy.",
    exposable: true,
  }),
  quality: integerField(1, 100)
    .default(85)
    .meta({
      title: "Quality",
      description: "1 to 100, for jpg and webp.",
      exposable: true,
      visible_when: { parameter: "format", value: ["jpg", "webp"] },
    }),
  width: integerField(16, 4_096).optional().meta({
    title: "Width",
    description: "In pixels. The default is that of the video; the height keeps the shape.",
    exposable: true,
  }),
});

/** A picture of a video (docs/contract/media.md#thumbnails). */
export const videoThumbnail = defineNode({
  type: "video/thumbnail",
  version: "3.0",
  name: "Video thumbnail",
  description:
    "Makes an image of the picture that a video shows at a time, upright and with square pixels. H.264, HEVC, VP8 and VP9 are decoded.",
  whenToUse: "For previews and covers of videos, or to give a picture of a video to a model.",
  subCategory: "read",
  status: "stable",
  icon: "image-play",
  color: VIDEO_COLOR,
  inputs: [
    { name: "video", type: "video", label: "Video" },
    { name: "at", type: "number", required: false, label: "Time in seconds" },
  ],
  outputs: [{ name: "image", type: "image", label: "Image" }],
  params,
  role: "transform",
  placement: "task",
  needs: ["video"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs, { at: saved, ...request }) {
    const given = inputs.has("at") ? inputs.number("at") : saved;
    const at = given instanceof ExactNumber ? given.toNumber() : given;
    return new Map([["image", await ctx.video.thumbnail(inputs.file("video"), at, request)]]);
  },
});
