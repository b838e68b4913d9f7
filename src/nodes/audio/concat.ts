import * as z from "zod";
import { decimalField } from "../../contracts/workflows/node-parameters.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import {
  AUDIO_COLOR,
  MEDIA_TIME_LIMIT_MS,
  processingReportOutput,
  soundOutput,
  soundOutputs,
} from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";

const params = z.strictObject({
  gap_seconds: decimalField(0, 60).default(0).meta({
    title: "Gap",
    description: "Silence between two clips, in seconds.",
    exposable: true,
  }),
  crossfade_ms: decimalField(0, 10_000).default(0).meta({
    title: "Crossfade",
    description:
      "Milliseconds over which a clip fades into the next one, linearly; at most half of the shorter clip. It excludes a gap.",
    exposable: true,
  }),
  ...soundParameters,
});

/** Sounds one after another (docs/contract/media.md#joining). */
export const audioConcat = defineNode({
  type: "audio/concat",
  version: "1.0",
  name: "Join audio",
  description: "Joins up to 100 sounds in the order of their connections, with gaps or crossfades.",
  whenToUse:
    "For an intro, an episode and an outro. To place clips at given times, use aggregate/audio_timeline.",
  subCategory: "edit",
  status: "stable",
  icon: "list-music",
  color: AUDIO_COLOR,
  inputs: [
    {
      name: "clips",
      type: "audio",
      label: "Clips",
      list: { minCount: 1, maxCount: LIMITS.joined_clips.value, compact: true },
    },
  ],
  outputs: [soundOutput, processingReportOutput],
  params,
  check: (given) => [
    ...soundParameterIssues(given),
    ...(given.gap_seconds > 0 && given.crossfade_ms > 0
      ? [
          {
            code: "INVALID_PARAMETER" as const,
            path: "crossfade_ms",
            message: "Clips that fade into each other have no gap between them.",
            suggestion: "Set gap_seconds or crossfade_ms to 0.",
          },
        ]
      : []),
  ],
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 10 },
  async run(ctx, inputs, request) {
    const clips = inputs.list("clips").filter((value) => value instanceof FileRef);
    return soundOutputs(await ctx.audio.concat(clips, request));
  },
});
