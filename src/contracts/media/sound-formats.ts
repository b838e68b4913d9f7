/** The formats in which nodes write sound (docs/contract/media.md#written). */
import { LIMITS } from "../../lib/limits/limits-table.ts";

export const SOUND_FORMATS = ["wav", "flac", "mp3", "m4a", "ogg"] as const;
export type SoundFormatName = (typeof SOUND_FORMATS)[number];

/** Bits of a written sample; 32 are a floating-point number. */
export const BIT_DEPTHS = [16, 24, 32] as const;
export type BitDepth = (typeof BIT_DEPTHS)[number];

/** Bounds of the sample rate of written sound, in Hz. */
export const SAMPLE_RATE_RANGE = {
  min: LIMITS.sound_rate_lowest.value,
  max: LIMITS.sound_rate_highest.value,
} as const;

export interface SoundFormatEntry {
  readonly contentType: string;
  /** Bit depths that may be asked for; empty for lossy formats. */
  readonly bitDepths: readonly BitDepth[];
  /** Bounds of `bitrate_kbps`, and its defaults for stereo and mono; undefined for lossless formats. */
  readonly bitrate:
    | {
        readonly min: number;
        readonly max: number;
        readonly stereo: number;
        readonly mono: number;
      }
    | undefined;
  /** Sample rates of the format in Hz, in rising order; undefined if it has all. */
  readonly sampleRates: readonly number[] | undefined;
}

/** By name, which is also the extension of a file. */
export const SOUND_FORMAT_ENTRIES: Readonly<Record<SoundFormatName, SoundFormatEntry>> = {
  wav: {
    contentType: "audio/wav",
    bitDepths: BIT_DEPTHS,
    bitrate: undefined,
    sampleRates: undefined,
  },
  flac: {
    contentType: "audio/flac",
    bitDepths: [16, 24],
    bitrate: undefined,
    sampleRates: undefined,
  },
  mp3: {
    contentType: "audio/mpeg",
    bitDepths: [],
    bitrate: { min: 32, max: 320, stereo: 192, mono: 128 },
    sampleRates: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
  },
  m4a: {
    contentType: "audio/mp4",
    bitDepths: [],
    bitrate: { min: 32, max: 320, stereo: 160, mono: 96 },
    sampleRates: [
      8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
    ],
  },
  ogg: {
    contentType: "audio/ogg",
    bitDepths: [],
    bitrate: { min: 16, max: 510, stereo: 128, mono: 64 },
    sampleRates: [48_000],
  },
};

/** Names of the formats in which a bit rate has a meaning. */
export const LOSSY_FORMATS: readonly SoundFormatName[] = SOUND_FORMATS.filter(
  (name) => SOUND_FORMAT_ENTRIES[name].bitrate !== undefined,
);

/** The form in which a sound is written: every property is decided. */
export interface SoundFormat {
  readonly format: SoundFormatName;
  readonly sampleRate: number;
  /** 1 or 2; more only of a lossless sound that keeps its channels. */
  readonly channels: number;
  /** Null for lossy formats. */
  readonly bitDepth: BitDepth | null;
  /** Null for lossless formats. */
  readonly bitrateKbps: number | null;
}

/** The parameters that nodes which write sound have in common; undefined ones follow from the inputs. */
export interface SoundParameters {
  readonly format: SoundFormatName;
  readonly bitrate_kbps?: number | undefined;
  readonly bit_depth?: BitDepth | undefined;
  readonly sample_rate?: number | undefined;
  readonly channels?: 1 | 2 | undefined;
}
