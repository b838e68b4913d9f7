import * as z from "zod";
import { SOUND_FIELDS } from "./audio-reports.ts";

export const OVERLAP_POLICIES = ["fail", "mix", "trim_previous"] as const;
export const MISSING_CUE_POLICIES = ["fail", "warn"] as const;
export const CUE_STATES = ["placed", "trimmed", "truncated", "missing"] as const;

const sample = z.int().min(0);

/** Where each clip of a timeline plays (docs/contract/media.md#timeline). */
export const AudioTimeline = z.strictObject({
  schema: z.literal("svc.audio-timeline/v1"),
  ...SOUND_FIELDS,
  duration_source: z
    .enum(["dynamic", "saved", "content"])
    .describe("An input, the parameter, or the end of the content."),
  overlap_policy: z.enum(OVERLAP_POLICIES),
  missing_cue_policy: z.enum(MISSING_CUE_POLICIES),
  skipped_items: z.int().min(0),
  overload_gain_db: z.number().describe("0 if the sum did not exceed full scale."),
  cues: z
    .array(
      z.strictObject({
        index: z.int().min(0).describe("The element's place among the elements."),
        cue_id: z.string(),
        speaker: z.string().nullable(),
        start_seconds: z.number().min(0),
        end_seconds: z.number().min(0),
        start_sample: sample,
        samples: sample.describe("Samples that play; 0 if the clip is missing."),
        source_samples: sample,
        state: z.enum(CUE_STATES),
        overlaps: z.array(z.string()).describe("Ids of the cues with which this one overlaps."),
      }),
    )
    .describe("In order of placement."),
  gaps: z
    .array(z.strictObject({ start_sample: sample, end_sample: sample }))
    .describe("Runs without a clip."),
});
export type AudioTimeline = z.infer<typeof AudioTimeline>;
