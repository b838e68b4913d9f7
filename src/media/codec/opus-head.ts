import {
  unreadableMedia,
  unsupportedCodec,
  unsupportedParameter,
} from "../container/media-error.ts";

/** All times of Opus count in this rate, whatever the input had. */
export const OPUS_RATE = 48_000;
const HEAD_BYTES = 19;
const MAGIC = [...new TextEncoder().encode("OpusHead")];

/** The identification header of Opus (RFC 7845, section 5.1). */
export interface OpusHead {
  readonly channels: number;
  /** Samples at 48 kHz before the first one that is presented. */
  readonly preSkip: number;
  /** Factor for all samples. */
  readonly gain: number;
  readonly streams: number;
  readonly coupledStreams: number;
  /** For each channel in the order of WAV, the decoded channel; 255 for silence. */
  readonly mapping: readonly number[];
}

/** Places of the channels L R C LFE Ls Rs … in the order of Vorbis (RFC 7845, section 5.1.1.2), by their number. */
const VORBIS_ORDER: readonly (readonly number[])[] = [
  [],
  [0],
  [0, 1],
  [0, 2, 1],
  [0, 1, 2, 3],
  [0, 2, 1, 3, 4],
  [0, 2, 1, 5, 3, 4],
  [0, 2, 1, 6, 5, 3, 4],
  [0, 2, 1, 7, 5, 6, 3, 4],
];

/** Throws NodeError `MEDIA_UNREADABLE`, `MEDIA_CODEC_UNSUPPORTED` or `MEDIA_PARAMETERS_UNSUPPORTED`. */
export function readOpusHead(bytes: Uint8Array): OpusHead {
  if (!isOpusHead(bytes)) {
    throw unreadableMedia("has a damaged header of Opus. Encode it again.");
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const channels = view.getUint8(9);
  const preSkip = view.getUint16(10, true);
  const gain = 10 ** (view.getInt16(16, true) / 256 / 20);
  const family = view.getUint8(18);
  if (channels === 0 || channels > 8) {
    throw unsupportedParameter(`has ${channels} channels; 1 to 8 are accepted. Mix it down first.`);
  }
  if (family === 0) {
    if (channels > 2) {
      throw unreadableMedia("has a header of Opus with too many channels. Encode it again.");
    }
    return {
      channels,
      preSkip,
      gain,
      streams: 1,
      coupledStreams: channels - 1,
      mapping: channels === 1 ? [0] : [0, 1],
    };
  }
  if (family !== 1 && family !== 255) {
    throw unsupportedCodec("sound", `Opus with channel mapping family ${family}`);
  }
  const streams = bytes[19] ?? 0;
  const coupledStreams = bytes[20] ?? 0;
  const stated = [...bytes.subarray(21, 21 + channels)];
  const decoded = streams + coupledStreams;
  const isMapped = stated.length === channels && stated.every((at) => at === 255 || at < decoded);
  if (streams === 0 || coupledStreams > streams || decoded > 255 || !isMapped) {
    throw unreadableMedia("has a header of Opus whose channels do not exist. Encode it again.");
  }
  const order = family === 1 ? (VORBIS_ORDER[channels] ?? []) : stated.map((_, at) => at);
  return {
    channels,
    preSkip,
    gain,
    streams,
    coupledStreams,
    mapping: order.map((at) => stated[at] ?? 255),
  };
}

/** Whether the bytes are named as such a header, of a version that is read. */
function isOpusHead(bytes: Uint8Array): boolean {
  const isNamed = MAGIC.every((byte, at) => bytes[at] === byte);
  return isNamed && bytes.byteLength >= HEAD_BYTES && ((bytes[8] ?? 0) & 0xf0) === 0;
}
