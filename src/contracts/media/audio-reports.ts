/** Structured contracts of the nodes that measure and process sound (docs/contract/media.md#reports). */
import * as z from "zod";
import type { JsonValue } from "../../lib/json/exact-json.ts";

/** Length and shape of a sound, which several contracts share. */
export const SOUND_FIELDS = {
  duration_seconds: z.number().min(0).describe("`samples` divided by `sample_rate`."),
  samples: z.int().min(0).describe("Samples of one channel."),
  sample_rate: z.int().min(1).describe("In samples a second."),
  channels: z.int().min(1),
};

const peaks = {
  true_peak_dbtp: z.number().nullable().describe("Null for digital silence."),
  sample_peak_dbfs: z.number().nullable().describe("Null for digital silence."),
};
const lufs = (what: string) => z.number().nullable().describe(`${what}, in LUFS.`);
const seconds = z.number().min(0);

/** What a meter reads of a sound. */
export const AudioQualityReport = z.strictObject({
  schema: z.literal("svc.audio-quality-report/v1"),
  ...SOUND_FIELDS,
  container: z.string(),
  codec: z.string(),
  bit_depth: z.int().nullable().describe("Of PCM and lossless codecs."),
  loudness: z
    .strictObject({
      integrated_lufs: lufs("Integrated loudness, gated"),
      threshold_lufs: lufs("Relative gate of the integrated loudness"),
      range_lu: z.number().min(0).nullable().describe("Loudness range, in LU."),
      momentary_max_lufs: lufs("Greatest loudness of 400 ms"),
      short_term_max_lufs: lufs("Greatest loudness of 3 s"),
    })
    .describe("By ITU-R BS.1770-4, EBU R128 and EBU Tech 3342. Null: cannot be computed."),
  peaks: z.strictObject({
    ...peaks,
    channels: z.array(z.strictObject(peaks)),
  }),
  near_clipped: z.strictObject({
    threshold_db: z.number(),
    samples: z.int().min(0).describe("Of all channels."),
  }),
  silence: z.strictObject({
    threshold_db: z.number(),
    min_seconds: seconds,
    total_seconds: seconds,
    ratio: z.number().min(0).max(1).describe("Share of the duration."),
    count: z.int().min(0),
    leading_seconds: seconds,
    trailing_seconds: seconds,
    segments: z
      .array(z.strictObject({ start: seconds, end: seconds }))
      .describe("The first 100, in seconds."),
  }),
  decode_errors: z.int().min(0).describe("Packets that became silence."),
});
export type AudioQualityReport = z.infer<typeof AudioQualityReport>;

/** The operations that have a processing report. */
export const AUDIO_OPERATIONS = [
  "concat",
  "mix",
  "loudness_normalize",
  "fit_duration",
  "duck",
  "speech_enhance",
] as const;

/** How a sound was made. */
export const AudioProcessingReport = z.strictObject({
  schema: z.literal("svc.audio-processing-report/v1"),
  operation: z.enum(AUDIO_OPERATIONS),
  inputs: z.array(z.strictObject({ ...SOUND_FIELDS, port: z.string() })),
  output: z.strictObject({
    ...SOUND_FIELDS,
    format: z.string(),
    codec: z.string(),
    bit_depth: z.int().nullable(),
    bitrate_kbps: z.number().nullable(),
  }),
  settings: z
    .record(z.string(), z.custom<JsonValue>())
    .describe("Every parameter that had an effect, with the value that was used."),
  results: z.record(z.string(), z.custom<JsonValue>()).describe("Figures of the operation."),
  warnings: z.array(z.strictObject({ code: z.string(), message: z.string() })),
});
export type AudioProcessingReport = z.infer<typeof AudioProcessingReport>;
