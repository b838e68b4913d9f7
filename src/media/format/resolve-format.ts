import {
  type BitDepth,
  SOUND_FORMAT_ENTRIES,
  type SoundFormat,
  type SoundFormatName,
  type SoundParameters,
} from "../../contracts/media/sound-formats.ts";
import type { SoundShape } from "../audio-block.ts";
import { isMpeg25, mp3FrameSamples } from "../codec/mp3-frame.ts";

/** The properties of an input that decide what is unset. */
export interface InputSound extends SoundShape {
  /** Bits of a sample of PCM or of a lossless codec; null for lossy ones. */
  readonly bitDepth: number | null;
}

/** Bit rates of LAME in kbit/s from 32 on, at the sample rates of MPEG 1, MPEG 2 and MPEG 2.5. */
const MP3_RATES_1 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const;
const MP3_RATES_2 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const;
const MP3_RATES_25 = [32, 40, 48, 56, 64] as const;

/** Most bits that a packet of AAC has for each channel (ISO/IEC 14496-3, 4.5.3), and the frames in it. */
const AAC_PACKET_BITS_MAX = 6_144;
const AAC_PACKET_FRAMES = 1_024;

const SIXTEEN = 16;

/**
 * The form in which a sound is written: what `parameters` leave open follows from the inputs, in their order
 * (docs/contract/media.md#written). The parameters must fit the format (`soundParameterIssues`). Throws RangeError
 * without an input if the rate or the channels are open.
 */
export function resolveFormat(
  parameters: SoundParameters,
  inputs: readonly InputSound[],
): SoundFormat {
  const { format } = parameters;
  const [first] = inputs;
  const rate = parameters.sample_rate ?? first?.sampleRate;
  const count = parameters.channels ?? first?.channels;
  if (rate === undefined || count === undefined) {
    throw new RangeError("A sound without an input needs a sample rate and a number of channels.");
  }
  const sampleRate = supportedRate(format, rate);
  const channels = count === 1 ? 1 : 2;
  return {
    format,
    sampleRate,
    channels,
    bitDepth: depthOf(parameters, inputs),
    bitrateKbps: bitrateOf(parameters, sampleRate, channels),
  };
}

/** The rate itself if the format has it, otherwise the next higher one that it has, or its highest. In Hz. */
export function supportedRate(format: SoundFormatName, sampleRate: number): number {
  const { sampleRates } = SOUND_FORMAT_ENTRIES[format];
  return sampleRates?.find((rate) => rate >= sampleRate) ?? sampleRates?.at(-1) ?? sampleRate;
}

function depthOf(
  { format, bit_depth: asked }: SoundParameters,
  inputs: readonly InputSound[],
): BitDepth | null {
  if (SOUND_FORMAT_ENTRIES[format].bitDepths.length === 0) {
    return null;
  }
  return asked ?? (inputs.some(({ bitDepth }) => (bitDepth ?? 0) > SIXTEEN) ? 24 : SIXTEEN);
}

function bitrateOf(
  { format, bitrate_kbps: asked }: SoundParameters,
  sampleRate: number,
  channels: 1 | 2,
): number | null {
  const { bitrate } = SOUND_FORMAT_ENTRIES[format];
  if (bitrate === undefined) {
    return null;
  }
  const wanted = asked ?? (channels === 1 ? bitrate.mono : bitrate.stereo);
  if (format === "mp3") {
    return mp3Rates(sampleRate).findLast((rate) => rate <= wanted) ?? bitrate.min;
  }
  if (format === "m4a") {
    const most = (AAC_PACKET_BITS_MAX * channels * sampleRate) / (AAC_PACKET_FRAMES * 1000);
    return Math.min(wanted, Math.floor(most));
  }
  return wanted;
}

function mp3Rates(sampleRate: number): readonly number[] {
  if (isMpeg25(sampleRate)) {
    return MP3_RATES_25;
  }
  return mp3FrameSamples(sampleRate) === 1_152 ? MP3_RATES_1 : MP3_RATES_2;
}
