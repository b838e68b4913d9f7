import * as z from "zod";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { AudioProcessingReport, SOUND_FIELDS } from "./audio-reports.ts";
import { QualityCheck, QualityCheckItem } from "../quality-check.ts";
import { SpeechReport } from "./sound-reports.ts";

export const BACKGROUND_MODES = ["none", "provided", "ducked", "stems"] as const;
export const SPEAKER_VOICE_SOURCES = ["evidence", "voices", "single"] as const;

const file = z
  .strictObject({
    storage_ref: z.string().describe("`storage://` and the path of the file."),
    content_type: z.string(),
    size_bytes: z.int().min(0),
  })
  .nullable();

/** Everything that a dub consists of, and whether it is complete (docs/contract/media.md#dubbing). */
export const DubbingManifest = z.strictObject({
  schema: z.literal("svc.dubbing-manifest/v1"),
  background_mode: z.enum(BACKGROUND_MODES),
  speaker_voice_source: z.enum(SPEAKER_VOICE_SOURCES),
  timeline: z.strictObject(SOUND_FIELDS),
  speakers: z
    .array(
      z.strictObject({
        speaker: z.string().nullable(),
        voice: z.string().nullable(),
        cues: z.int().min(1),
      }),
    )
    .describe("Sorted by speaker."),
  cues: z
    .array(
      z.strictObject({
        cue_id: z.string(),
        index: z.int().min(0),
        speaker: z.string().nullable(),
        voice: z.string().nullable(),
        start_seconds: z.number().min(0),
        end_seconds: z.number().min(0),
        start_sample: z.int().min(0),
        samples: z.int().min(0),
        generation: SpeechReport.nullable(),
        fit: AudioProcessingReport.nullable(),
        quality_check: QualityCheck.nullable(),
      }),
    )
    .describe("In the order of `cues`."),
  files: z.strictObject({
    dubbed_audio: file,
    background_audio: file,
    final_audio: file,
    final_video: file,
    subtitles: file,
  }),
  stems: z.record(z.string(), z.custom<JsonValue>()).nullable(),
  passed: z.boolean(),
  checks: z.array(QualityCheckItem),
});
export type DubbingManifest = z.infer<typeof DubbingManifest>;
