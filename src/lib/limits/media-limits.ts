import type { Limits } from "./limit.ts";

const MB = 1024 * 1024;

/** Sound and video: a part of the table of limits. */
export const MEDIA_LIMITS = {
  media_file: {
    name: "Sound or video that a node reads",
    value: 1024 * MB,
    unit: "bytes",
    reason: "It is read within the time of one task.",
  },
  media_duration: {
    name: "Duration of a video whose packets are copied",
    value: 14_400_000,
    unit: "milliseconds",
    reason: "Its tables are held in memory.",
  },
  joined_clips: {
    name: "Sounds or videos that one node joins or mixes",
    value: 100,
    unit: "count",
    reason: "Each of them is opened and read.",
  },
  timeline_cues: {
    name: "Cues of a timeline",
    value: 2_000,
    unit: "count",
    reason: "Each clip is opened twice within one invocation, which has 10,000 requests.",
  },
  cue_text: {
    name: "Id or speaker of a cue",
    value: 500,
    unit: "characters",
    reason: "A manifest repeats the ids of cues that overlap.",
  },
  segments: {
    name: "Parts that one node cuts out of a sound or video",
    value: 20,
    unit: "count",
    reason: "Each of them is a port of the node, and a file.",
  },
  subtitle_cues: {
    name: "Subtitles of one video",
    value: 10_000,
    unit: "count",
    reason: "All of them are held while the track is written.",
  },
  subtitle_cue: {
    name: "Text of one subtitle",
    value: 4_000,
    unit: "bytes",
    reason: "More cannot be read on a picture.",
  },
  subtitle_bytes: {
    name: "Subtitles as a document",
    value: 4 * MB,
    unit: "bytes",
    reason: "They are parsed in memory.",
  },
  subtitle_sample: {
    name: "Texts of subtitles that are shown at once",
    value: 65_535,
    unit: "bytes",
    reason: "The length of a sample of a subtitle track has 16 bits.",
  },
  subtitle_track: {
    name: "Subtitle track of a video",
    value: 16 * MB,
    unit: "bytes",
    reason: "Where cues overlap, their texts are repeated in each part of the overlap.",
  },
} as const satisfies Limits;
