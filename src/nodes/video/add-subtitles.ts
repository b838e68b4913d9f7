import * as z from "zod";
import { decimalField } from "../../contracts/workflows/node-parameters.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import { MEDIA_TIME_LIMIT_MS } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import type { NodeInputs } from "../define-ports.ts";
import { VIDEO_COLOR, videoOutput } from "../define-video-nodes.ts";
import type { SubtitleSource } from "../define-video-tools.ts";

const SOURCES = ["cues", "subtitles", "subtitles_file"] as const;

const params = z.strictObject({
  language: z
    .string()
    .regex(/^[a-z]{3}$/, "Must be three lower-case letters of ISO 639-2, such as eng.")
    .default("und")
    .meta({
      title: "Language",
      description: "Three letters of ISO 639-2, such as eng or deu; und if it is not known.",
      exposable: true,
    }),
  default: z.boolean().default(true).meta({
    title: "Shown by default",
    description: "Whether a player shows the subtitles without being asked.",
    exposable: true,
  }),
  sidecar_format: z.enum(["srt", "vtt"]).default("srt").meta({
    title: "Format of the document",
    description: "srt or vtt (WebVTT).",
    exposable: true,
  }),
  offset_seconds: decimalField(-3_600, 3_600).default(0).meta({
    title: "Offset",
    description: "In seconds: positive values show every cue later.",
    exposable: true,
  }),
});

/** Subtitles in the file of a video (docs/contract/media.md#subtitles). */
export const videoAddSubtitles = defineNode({
  type: "video/add_subtitles",
  version: "1.0",
  name: "Add subtitles",
  description:
    "Puts subtitles into a video as a track that players can switch on and off, and writes them as SRT or WebVTT.",
  whenToUse:
    "For captions and translations. The texts come from cues, from a text or from an SRT or WebVTT file. Pictures are not changed.",
  subCategory: "edit",
  status: "stable",
  icon: "captions",
  color: VIDEO_COLOR,
  inputs: [
    { name: "video", type: "video", label: "Video" },
    { name: "cues", type: "json", required: false, label: "Cues" },
    { name: "subtitles", type: "text", required: false, label: "SRT or WebVTT" },
    { name: "subtitles_file", type: "document", required: false, label: "SRT or WebVTT file" },
  ],
  outputs: [videoOutput, { name: "subtitles", type: "document", label: "Subtitles" }],
  params,
  check: (_given, connected) =>
    SOURCES.some((name) => connected.some(({ port }) => port === name))
      ? []
      : [
          {
            code: "PORT_NOT_CONNECTED",
            path: "cues",
            message:
              "There are no subtitles: cues, subtitles and subtitles_file are not connected.",
            suggestion: "Connect one of them.",
          },
        ],
  role: "transform",
  placement: "task",
  needs: ["video"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  async run(ctx, inputs, request) {
    const source = sourceOf(inputs);
    const made = await ctx.video.addSubtitles(inputs.file("video"), source, request);
    ctx.task.countCaptions(made.captions);
    return new Map([
      ["video", made.video],
      ["subtitles", made.subtitles],
    ]);
  },
});

/** Throws NodeError `SUBTITLES_INVALID` if more than one input has a value. */
function sourceOf(inputs: NodeInputs): SubtitleSource {
  const [name, other] = SOURCES.filter((port) => inputs.get(port) !== undefined);
  if (other !== undefined) {
    throw new NodeError(
      "SUBTITLES_INVALID",
      `Both ${name} and ${other} have subtitles; a video takes them from one input. Let only one of them have a value.`,
    );
  }
  switch (name) {
    case "cues":
      return { kind: "cues", cues: inputs.json("cues") };
    case "subtitles":
      return { kind: "text", text: inputs.text("subtitles") };
    case "subtitles_file":
      return { kind: "file", file: inputs.file("subtitles_file") };
    default:
      return null;
  }
}
