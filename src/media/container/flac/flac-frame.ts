import { flacCrc16, flacCrc8 } from "../../codec/flac-checksums.ts";

/** The header of a frame of FLAC (RFC 9639, section 9.1). */
export interface FlacFrame {
  /** Of the header, its checksum included. */
  readonly headBytes: number;
  readonly isVariable: boolean;
  /** Of the frame, or of its first sample if blocks vary. */
  readonly number: number;
  readonly blockSize: number;
  /** 0: that of STREAMINFO. */
  readonly sampleRate: number;
  readonly channels: number;
  /** The code of the channels: from 8 on, one of two is a difference. */
  readonly assignment: number;
  /** Bits of a sample; 0: those of STREAMINFO. */
  readonly depth: number;
}

/** The longest header. */
export const FLAC_HEAD_BYTES_MAX = 16;
/** By code; the third one is reserved. */
const DEPTHS = [0, 8, 12, undefined, 16, 20, 24, 32];
const RATES = [
  0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

/** Undefined for bytes that begin no frame, among them those with a wrong checksum of the header. */
export function parseFlacFrame(bytes: Uint8Array, at: number): FlacFrame | undefined {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4);
  if (first !== 0xff || (second & 0xfe) !== 0xf8 || (fourth & 1) !== 0) {
    return undefined;
  }
  const sizeCode = third >> 4;
  const rateCode = third & 0b1111;
  const channelCode = fourth >> 4;
  const depth = DEPTHS[(fourth >> 1) & 0b111];
  if (sizeCode === 0 || rateCode === 15 || channelCode > 10 || depth === undefined) {
    return undefined;
  }
  const coded = codedNumber(bytes, at + 4);
  if (coded === undefined) {
    return undefined;
  }
  let end = at + 4 + coded.bytes;
  const extra = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i++) {
      value = value * 256 + (bytes[end++] ?? 0);
    }
    return value;
  };
  const blockSize = blockSizeOf(sizeCode, extra);
  const sampleRate =
    rateCode < 12
      ? (RATES[rateCode] ?? 0)
      : rateCode === 12
        ? extra(1) * 1_000
        : extra(2) * (rateCode === 14 ? 10 : 1);
  if (end >= bytes.length || bytes[end] !== flacCrc8(bytes, at, end)) {
    return undefined;
  }
  return {
    headBytes: end + 1 - at,
    isVariable: (second & 1) === 1,
    number: coded.value,
    blockSize,
    sampleRate,
    channels: channelCode < 8 ? channelCode + 1 : 2,
    assignment: channelCode,
    depth,
  };
}

function blockSizeOf(code: number, extra: (count: number) => number): number {
  if (code === 1) {
    return 192;
  }
  if (code <= 5) {
    return 144 * 2 ** code;
  }
  return code === 6 ? extra(1) + 1 : code === 7 ? extra(2) + 1 : 2 ** code;
}

/** A number of up to 36 bits, coded like a character in UTF-8. */
function codedNumber(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly bytes: number } | undefined {
  const first = bytes[at] ?? 0xff;
  if (first < 0x80) {
    return { value: first, bytes: 1 };
  }
  const length = Math.clz32(~(first << 24) >>> 0);
  if (length < 2 || length > 7) {
    return undefined;
  }
  let value = first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i] ?? 0;
    if ((next & 0xc0) !== 0x80) {
      return undefined;
    }
    value = value * 64 + (next & 0x3f);
  }
  return { value, bytes: length };
}

/** Whether a frame ends with its checksum. */
export function hasFlacChecksum(frame: Uint8Array): boolean {
  return flacCrc16(frame, frame.length) === 0;
}
