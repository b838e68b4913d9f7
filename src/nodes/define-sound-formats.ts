/** The parameters with which nodes choose the form of the sound that they write, and their rules. */
import * as z from "zod";
import { integerField } from "../contracts/workflows/node-parameters.ts";
import {
  BIT_DEPTHS,
  type BitDepth,
  LOSSY_FORMATS,
  SAMPLE_RATE_RANGE,
  SOUND_FORMAT_ENTRIES,
  SOUND_FORMATS,
  type SoundFormatName,
} from "../contracts/media/sound-formats.ts";
import { ExactNumber } from "../lib/json/exact-json.ts";
import type { ParameterIssue } from "./define-ports.ts";

/** The format of the input is kept, as far as it can be. */
export const SOURCE_FORMAT = "source";

/** Numbers of which a parameter takes one; their digits do not matter. */
function oneOf<const T extends readonly [number, number, ...number[]]>(values: T) {
  return z.preprocess(
    (value) => (value instanceof ExactNumber ? value.toNumber() : value),
    z.literal([...values] as T[number][]),
  );
}

const bitrate = integerField(16, 510)
  .optional()
  .meta({
    title: "Bit rate",
    description:
      "In kbit/s. mp3 and m4a take 32 to 320, ogg 16 to 510. Defaults for stereo and mono: mp3 192 and 128, m4a 160 and 96, ogg 128 and 64. A rate that MP3 does not have becomes the next lower one.",
    exposable: true,
    visible_when: { parameter: "format", value: LOSSY_FORMATS },
  });
const bitDepth = oneOf(BIT_DEPTHS)
  .optional()
  .meta({
    title: "Bit depth",
    description:
      "Of wav (16, 24, or 32 for floating point) and flac (16 or 24). The default is 24 if an input is PCM or lossless with more than 16 bits, otherwise 16.",
    exposable: true,
    visible_when: { parameter: "format", value: ["wav", "flac"] },
  });
const sampleRate = integerField(SAMPLE_RATE_RANGE.min, SAMPLE_RATE_RANGE.max).optional().meta({
  title: "Sample rate",
  description:
    "In Hz. The default is that of the input, of the first one if there are several. A rate that the format does not have becomes the next higher one that it has, or its highest.",
  exposable: true,
});
const channels = oneOf([1, 2]).optional().meta({
  title: "Channels",
  description:
    "1 or 2. The default is the number of the input, of the first one if there are several; more than two become two.",
  exposable: true,
});

/** Parameters of nodes that always write a new sound. */
export const soundParameters = {
  format: z.enum(SOUND_FORMATS).default("wav").meta({
    title: "Format",
    description: "wav and flac are lossless; mp3, m4a (AAC) and ogg (Opus) are lossy.",
    exposable: true,
  }),
  bitrate_kbps: bitrate,
  bit_depth: bitDepth,
  sample_rate: sampleRate,
  channels,
};

/** Parameters of nodes that can keep the format of their input. */
export const sourceSoundParameters = {
  ...soundParameters,
  format: z
    .enum([SOURCE_FORMAT, ...SOUND_FORMATS])
    .default(SOURCE_FORMAT)
    .meta({
      title: "Format",
      description: "source keeps the format of the input. mp3, m4a (AAC) and ogg (Opus) are lossy.",
      exposable: true,
    }),
};

/** Values of the common parameters as a node has them. */
export interface GivenSoundParameters {
  readonly format: SoundFormatName | typeof SOURCE_FORMAT;
  readonly bitrate_kbps?: number | undefined;
  readonly bit_depth?: BitDepth | undefined;
  readonly sample_rate?: number | undefined;
  readonly channels?: number | undefined;
}

/** The issues of common parameters that do not fit the format, each as `INVALID_PARAMETER`. */
export function soundParameterIssues(given: GivenSoundParameters): readonly ParameterIssue[] {
  const { format, bitrate_kbps: kbps, bit_depth: depth } = given;
  const issues: ParameterIssue[] = [];
  const report = (path: string, message: string, suggestion: string) => {
    issues.push({ code: "INVALID_PARAMETER", path, message, suggestion });
  };
  if (format === SOURCE_FORMAT) {
    for (const name of ["bitrate_kbps", "bit_depth", "sample_rate", "channels"] as const) {
      if (given[name] !== undefined) {
        report(
          name,
          `${name} is ${given[name]}, and a sound that keeps the format of its source takes none.`,
          `Leave ${name} out, or choose a format.`,
        );
      }
    }
    return issues;
  }
  const { bitrate: rates, bitDepths } = SOUND_FORMAT_ENTRIES[format];
  if (kbps !== undefined && rates === undefined) {
    report(
      "bitrate_kbps",
      `bitrate_kbps is ${kbps}, and ${format} is lossless: it has no bit rate.`,
      `Leave bitrate_kbps out, or choose ${LOSSY_FORMATS.join(", ")} as format.`,
    );
  } else if (kbps !== undefined && rates !== undefined && (kbps < rates.min || kbps > rates.max)) {
    report(
      "bitrate_kbps",
      `bitrate_kbps is ${kbps}, and ${format} takes ${rates.min} to ${rates.max}.`,
      `Set bitrate_kbps to ${rates.min} to ${rates.max}.`,
    );
  }
  if (depth !== undefined && !bitDepths.includes(depth)) {
    const [first, ...others] = bitDepths;
    report(
      "bit_depth",
      first === undefined
        ? `bit_depth is ${depth}, and ${format} is lossy: it has no bit depth.`
        : `bit_depth is ${depth}, and ${format} takes ${[first, ...others].join(" or ")}.`,
      first === undefined
        ? "Leave bit_depth out, or choose wav or flac as format."
        : `Set bit_depth to ${[first, ...others].join(" or ")}, or choose wav as format.`,
    );
  }
  return issues;
}
