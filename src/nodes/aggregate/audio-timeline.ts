import * as z from "zod";
import { MISSING_CUE_POLICIES, OVERLAP_POLICIES } from "../../contracts/media/audio-timeline.ts";
import { aggregateParameters, decimalField } from "../../contracts/workflows/node-parameters.ts";
import { asJson, ExactNumber } from "../../lib/json/exact-json.ts";
import { FileRef } from "../../lib/files/file-ref.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import {
  AUDIO_COLOR,
  MEDIA_TIME_LIMIT_MS,
  qualityCheckOutput,
  soundOutput,
} from "../define-audio-nodes.ts";
import type { TimelineClip } from "../define-dub-tools.ts";
import { defineNode } from "../define-node.ts";
import type { NodeInputs, RunValue } from "../define-ports.ts";
import { soundParameterIssues, soundParameters } from "../define-sound-formats.ts";

const CUES_MAX = LIMITS.timeline_cues.value;

const params = z.strictObject({
  overlap_policy: z.enum(OVERLAP_POLICIES).default("fail").meta({
    title: "Clips that overlap",
    description:
      "fail: the node fails. mix: they are added. trim_previous: a clip ends where the next one starts.",
    exposable: true,
  }),
  missing_cue_policy: z.enum(MISSING_CUE_POLICIES).default("fail").meta({
    title: "Cues without a clip",
    description: "fail: the node fails. warn: there is silence, and a check fails.",
    exposable: true,
  }),
  timeline_duration: decimalField(0.01, LIMITS.decoded_duration.value / 1_000)
    .nullish()
    .meta({
      title: "Duration",
      description:
        "In seconds, where no input has one. The default is the end of the last cue or clip.",
      exposable: true,
    }),
  fade_ms: decimalField(0, 100).default(5).meta({
    title: "Fade",
    description: "In milliseconds, at the end of a clip that ends where the next one starts.",
    advanced: true,
  }),
  ...soundParameters,
  sample_rate: soundParameters.sample_rate.meta({
    title: "Sample rate",
    description:
      "In Hz; 48,000 by default. A rate that the format does not have becomes the next higher one that it has, or its highest.",
    exposable: true,
  }),
  channels: soundParameters.channels.meta({
    title: "Channels",
    description: "1 or 2. The default is the most that any clip has, at most 2.",
    exposable: true,
  }),
  ...aggregateParameters,
});

function numberAt(inputs: NodeInputs, port: string): number | undefined {
  const value = inputs.get(port);
  return value instanceof ExactNumber
    ? value.toNumber()
    : typeof value === "number"
      ? value
      : undefined;
}

function textAt(inputs: NodeInputs, port: string): string | undefined {
  return inputs.has(port) ? inputs.text(port) : undefined;
}

/** The clips of an iteration, each at its time (docs/contract/media.md#timeline). */
export const aggregateAudioTimeline = defineNode({
  type: "aggregate/audio_timeline",
  version: "1.0",
  name: "Audio timeline",
  description:
    "Places the sounds of an iteration at their times in one sound, exact to the sample, and says where each stands.",
  whenToUse: "To end an iteration over cues, such as the spoken lines of a dub.",
  subCategory: "iteration",
  status: "stable",
  icon: "audio-lines",
  color: AUDIO_COLOR,
  inputs: [
    { name: "clips", type: "audio", label: "Clips", mayFail: true },
    { name: "cue_id", type: "text", accepts: ["number"], label: "Id of the cue" },
    { name: "start", type: "number", label: "Start in seconds" },
    { name: "end", type: "number", label: "End in seconds" },
    { name: "speaker", type: "text", required: false, label: "Speaker" },
    {
      name: "timeline_duration",
      type: "number",
      required: false,
      once: true,
      label: "Duration in seconds",
    },
  ],
  outputs: [
    soundOutput,
    {
      name: "timeline_manifest",
      type: "json",
      label: "Where each clip stands",
      schemaRef: "svc.audio-timeline/v1",
    },
    qualityCheckOutput,
  ],
  params,
  check: soundParameterIssues,
  role: "aggregator",
  columnsCode: "TIMELINE_SCOPE_MISMATCH",
  variesCode: "TIMELINE_SCOPE_MISMATCH",
  placement: "task",
  needs: ["audio"],
  timeLimitMs: MEDIA_TIME_LIMIT_MS,
  cost: { unit: "request", milliCredits: 10 },
  collapse: ({ collapse }) => collapse,
  onFailedItems: ({ on_failed_items: onFailedItems }) => onFailedItems,
  async combine(ctx, elements, once, request) {
    const clips: TimelineClip[] = [];
    for await (const inputs of elements) {
      if (clips.length === CUES_MAX) {
        throw new NodeError(
          "TIMELINE_CUE_INVALID",
          `There are more than ${CUES_MAX} cues. Make several timelines, and join their sounds.`,
        );
      }
      const clip = inputs.get("clips");
      clips.push({
        index: elements.place,
        cueId: textAt(inputs, "cue_id"),
        speaker: textAt(inputs, "speaker"),
        start: numberAt(inputs, "start"),
        end: numberAt(inputs, "end"),
        clip: clip instanceof FileRef ? clip : undefined,
      });
    }
    const made = await ctx.audio.placeClips(clips, request, {
      durationSeconds: numberAt(once, "timeline_duration"),
      skippedItems: elements.failed,
    });
    return new Map<string, RunValue>([
      ["audio", made.audio],
      ["timeline_manifest", asJson(made.timeline)],
      ["quality_check", asJson(made.check)],
    ]);
  },
});
