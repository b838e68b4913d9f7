import * as z from "zod";
import { decimalField, integerField } from "../../contracts/workflows/node-parameters.ts";
import { MEDIA_TIME_LIMIT_MS } from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { VIDEO_COLOR, videoOutput } from "../define-video-nodes.ts";

const gain = (title: string, description: string) =>
  decimalField(-60, 24).default(0).meta({ title, description, exposable: true });

const params = z.strictObject({
  mode: z.enum(["replace", "mix"]).default("replace").meta({
    title: "Mode",
    description:
      "replace removes the sound of the video; mix adds both. A video without sound gets the new one in both.",
    exposable: true,
  }),
  audio_gain_db: gain("Gain of the audio", "In dB, of the sound that is added."),
  video_gain_db: gain("Gain of the video's sound", "In dB; mix uses it."),
  offset_seconds: decimalField(-3_600, 3_600).default(0).meta({
    title: "Offset",
    description:
      "In seconds: positive values start the audio later, negative ones leave out its beginning.",
    exposable: true,
  }),
  loop: z.boolean().default(false).meta({
    title: "Loop the audio",
    description: "The audio begins again at its end, up to the end of the video.",
    exposable: true,
  }),
  bitrate_kbps: integerField(16, 510).optional().meta({
    title: "Bit rate",
    description:
      "In kbit/s, where the sound is encoded: AAC in MP4 and MOV (32 to 320; 160, mono 96), Opus in WebM (16 to 510; 128, mono 64). A rate that the codec does not have becomes the nearest one.",
    exposable: true,
  }),
});

/** A video with another sound (docs/contract/media.md#sound-of-a-video). */
export const videoMuxAudio = defineNode({
  type: "video/mux_audio",
  version: "1.0",
  name: "Add audio to video",
  description:
    "Gives a video another sound, or adds a sound to its own. The result is as long as the video.",
  whenToUse: "For a voice-over, a dub or music. Pictures are copied.",
  subCategory: "sound",
  status: "stable",
  icon: "music",
  color: VIDEO_COLOR,
  inputs: [
    { name: "video", type: "video", label: "Video" },
    { name: "audio", type: "audio", label: "Sound" },
  ],
  outputs: [videoOutput],
  params,
  role: "transform",
  placement: "task",
  needs: ["video"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 10 },
  async run(ctx, inputs, request) {
    const [video, audio] = [inputs.file("video"), inputs.file("audio")];
    return new Map([["video", await ctx.video.muxAudio(video, audio, request)]]);
  },
});
