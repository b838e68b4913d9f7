import * as z from "zod";
import { decimalField } from "../../contracts/workflows/node-parameters.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import {
  AUDIO_COLOR,
  MEDIA_TIME_LIMIT_MS,
  processingReportOutput,
  soundOutput,
  soundOutputs,
} from "../define-audio-nodes.ts";
import { defineNode } from "../define-node.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";

const TRACKS_MAX = LIMITS.joined_clips.value;

const params = z.strictObject({
  gains_db: z.array(decimalField(-60, 24)).max(TRACKS_MAX).default([]).meta({
    title: "Gains",
    description:
      "In dB, one for each track in the order of the connections, also of those that are absent in a run. Missing ones are 0.",
  }),
  length: z.enum(["longest", "shortest", "first"]).default("longest").meta({
    title: "Length",
    description: "That of the longest, the shortest or the first track.",
    exposable: true,
  }),
  ...soundParameters,
});

/** Sounds on top of each other (docs/contract/media.md#mixing). */
export const audioMix = defineNode({
  type: "audio/mix",
  version: "1.1",
  name: "Mix audio",
  description: "Adds up to 100 sounds that begin at the same time, each with a gain.",
  whenToUse:
    "For a voice over music at a fixed level. To lower the music only while somebody speaks, use audio/duck.",
  subCategory: "edit",
  status: "stable",
  icon: "blend",
  color: AUDIO_COLOR,
  inputs: [
    {
      name: "tracks",
      type: "audio",
      label: "Tracks",
      list: { minCount: 1, maxCount: TRACKS_MAX, compact: true },
    },
  ],
  outputs: [soundOutput, processingReportOutput],
  params,
  check: (given, connected) => {
    const tracks = connected.filter(({ port }) => port === "tracks").length;
    const gains = given.gains_db.length;
    return [
      ...soundParameterIssues(given),
      ...(gains > tracks
        ? [
            {
              code: "INVALID_PARAMETER" as const,
              path: "gains_db",
              message: `There are ${gains} gains and ${tracks} connected tracks.`,
              suggestion: "Remove gains, or connect more tracks.",
            },
          ]
        : []),
    ];
  },
  role: "transform",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 10 },
  async run(ctx, inputs, request) {
    const tracks = inputs.list("tracks").filter((value) => value instanceof FileRef);
    // A gain belongs to its connection: where a track is absent, those after it keep theirs.
    const gains = inputs.places("tracks").map((place) => request.gains_db[place] ?? 0);
    return soundOutputs(await ctx.audio.mix(tracks, { ...request, gains_db: gains }));
  },
});
