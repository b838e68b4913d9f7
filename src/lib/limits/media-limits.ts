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
  media_output: {
    name: "Sound or video that a node writes",
    value: 2 * 1024 * MB,
    unit: "bytes",
    reason: "A WAV states its size in 32 bits, which many programs read with a sign.",
  },
  media_duration: {
    name: "Duration of a video whose packets are copied",
    value: 14_400_000,
    unit: "milliseconds",
    reason: "Its tables are held in memory.",
  },
  decoded_duration: {
    name: "Duration of a sound or video whose sound is decoded, and of a timeline",
    value: 3_600_000,
    unit: "milliseconds",
    reason: "It is decoded, changed and encoded within the time of one task.",
  },
  media_task: {
    name: "Time of an attempt of a node of sound or video",
    value: 600_000,
    unit: "milliseconds",
    reason: "The slowest node takes less for an hour of sound.",
  },
  sound_rate_lowest: {
    name: "Lowest sampling rate of a sound, in Hz",
    value: 8_000,
    unit: "count",
    reason: "It is that of telephones; below it filters of speech have no room.",
  },
  sound_rate_highest: {
    name: "Highest sampling rate of a sound, in Hz",
    value: 192_000,
    unit: "count",
    reason: "It is the highest one of studios.",
  },
  sound_channels: {
    name: "Channels of a sound",
    value: 8,
    unit: "count",
    reason: "It is 7.1, the largest arrangement that the codecs have.",
  },
  video_pixels: {
    name: "Pixels of a picture of a video",
    value: 16_777_216,
    unit: "count",
    reason: "A picture of 4,096 by 4,096 is decoded in the memory of a task.",
  },
  media_tracks: {
    name: "Tracks of a sound or video",
    value: 16,
    unit: "count",
    reason: "Each of them has tables in memory.",
  },
  media_packets: {
    name: "Packets of one track",
    value: 2_000_000,
    unit: "count",
    reason: "Four hours of sound have 675,000.",
  },
  media_packet: {
    name: "Packet of a sound or video",
    value: 32 * MB,
    unit: "bytes",
    reason: "It is held whole; an uncompressed picture of the largest size has 25 MB.",
  },
  media_header: {
    name: "Header of a sound or video, with its tags",
    value: 32 * MB,
    unit: "bytes",
    reason: "Its tables are read before the first packet.",
  },
  media_depth: {
    name: "Depth of the boxes or elements in a header",
    value: 16,
    unit: "count",
    reason: "Players need eight.",
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
