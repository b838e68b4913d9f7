import type { SoundShape } from "../../audio-block.ts";
import { unreadableMedia, unsupportedCodec, unsupportedParameter } from "../media-error.ts";

/** Samples of a packet of AAC before the doubling of HE-AAC. */
export const AAC_PACKET_FRAMES = 1_024;
const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  7_350,
];
/** By channel configuration; 0 stands for a description in the stream. */
const CHANNELS = [0, 1, 2, 3, 4, 5, 6, 8];
const LC = 2;
const SBR = 5;
const PS = 29;

/** What an AudioSpecificConfig (ISO/IEC 14496-3, section 1.6.2.1) says. */
export interface AacConfig extends SoundShape {
  /** Of the stream beneath HE-AAC, which may have half of the decoded rate. */
  readonly coreRate: number;
}

/** Throws NodeError `MEDIA_CODEC_UNSUPPORTED` for other profiles than LC and HE-AAC. */
export function readAacConfig(config: Uint8Array): AacConfig {
  const bits = new Bits(config);
  const stated = objectType(bits);
  const coreRate = rateOf(bits);
  const channelConfig = bits.take(4);
  let sampleRate = coreRate;
  let underlying = stated;
  if (stated === SBR || stated === PS) {
    sampleRate = rateOf(bits);
    underlying = objectType(bits);
  }
  if (underlying !== LC) {
    throw unsupportedCodec("sound", `mp4a.40.${underlying}`);
  }
  const channels = CHANNELS[channelConfig];
  if (channels === undefined) {
    throw unsupportedParameter(
      `has the channel configuration ${channelConfig} of AAC; 1 to 7 are accepted. Convert it first.`,
    );
  }
  return { coreRate, sampleRate, channels: stated === PS ? 2 : channels };
}

/** Makes the config for the fields of an ADTS header. */
export function writeAacConfig(rateIndex: number, channelConfig: number): Uint8Array {
  return Uint8Array.of((LC << 3) | (rateIndex >> 1), ((rateIndex & 1) << 7) | (channelConfig << 3));
}

export function aacRate(index: number): number | undefined {
  return SAMPLE_RATES[index];
}

function objectType(bits: Bits): number {
  const type = bits.take(5);
  return type === 31 ? 32 + bits.take(6) : type;
}

function rateOf(bits: Bits): number {
  const index = bits.take(4);
  const rate = index === 15 ? bits.take(24) : SAMPLE_RATES[index];
  if (rate === undefined || rate === 0) {
    throw unreadableMedia("has a reserved sampling rate in its AAC. Encode it again.");
  }
  return rate;
}

/** Reads bits from the highest one of the first byte on. */
class Bits {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++, this.#at++) {
      const byte = this.#bytes[this.#at >> 3];
      if (byte === undefined) {
        throw unreadableMedia("has a configuration of AAC that is too short. Encode it again.");
      }
      value = value * 2 + ((byte >> (7 - (this.#at & 7))) & 1);
    }
    return value;
  }
}
