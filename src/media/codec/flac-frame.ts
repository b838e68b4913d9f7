import { flacCrc16, flacCrc8 } from "./flac-checksums.ts";

/** Codes of block sizes that follow the number of the frame in one and two bytes. */
const SIZE_IN_1_BYTE = 6;
const SIZE_IN_2_BYTES = 7;
/** The shortest head, a subframe and the checksum. */
const FRAME_BYTES_MIN = 9;

/** Code of a rate that the head of a frame does not state: it is that of STREAMINFO. */
const RATE_OF_STREAM = 0;
/** Code of 44,100 Hz. */
const RATE_OF_TABLE = 9;
/** Code of a rate in kHz that takes one byte; those above it take two. */
const RATE_IN_1_BYTE = 12;
/** Where the fourth byte of a head has the code of the depth. */
const DEPTH_MASK = 0b1110;
/** Codes of the depths that libFLAC's package decodes. */
const DEPTH_CODES: ReadonlyMap<number, number> = new Map([
  [8, 1],
  [16, 4],
  [24, 6],
  [32, 7],
]);

/**
 * Has the head of a frame take its sample rate from STREAMINFO, and writes both checksums again. The head must have a
 * rate of the format's table, which takes no bytes of its own.
 */
export function takeRateFromStreamInfo(frame: Uint8Array): void {
  setRateCode(frame, RATE_OF_STREAM);
}

/**
 * The frame as libFLAC decodes it without a STREAMINFO: one whose head has no rate or no depth of its own becomes a copy that
 * states a rate, which changes no sample, and `streamDepth`. Undefined if the checksum of such a frame is wrong.
 */
export function withOwnHead(frame: Uint8Array, streamDepth: number): Uint8Array | undefined {
  const [, , third = 0, fourth = 0] = frame;
  const isRateStated = (third & 0x0f) !== RATE_OF_STREAM;
  const isDepthStated = (fourth & DEPTH_MASK) !== 0;
  if (isRateStated && isDepthStated) {
    return frame;
  }
  if (frame.byteLength < FRAME_BYTES_MIN || flacCrc16(frame, frame.byteLength) !== 0) {
    return undefined;
  }
  const copy = frame.slice();
  if (!isDepthStated) {
    copy[3] = fourth | ((DEPTH_CODES.get(streamDepth) ?? 0) << 1);
  }
  setRateCode(copy, isRateStated ? third & 0x0f : RATE_OF_TABLE);
  return copy;
}

/** Sets the code of the rate, which must take as many bytes of its own as the one before, and both checksums. */
function setRateCode(frame: Uint8Array, code: number): void {
  const third = frame[2] as number;
  frame[2] = (third & 0xf0) | code;
  const rateBytes = code < RATE_IN_1_BYTE ? 0 : code === RATE_IN_1_BYTE ? 1 : 2;
  const size = third >> 4;
  const number = frame[4] as number;
  // The first byte of the number counts its bytes as UTF-8 does.
  const numberBytes = number < 0x80 ? 1 : Math.clz32(~(number << 24));
  const sizeBytes = size === SIZE_IN_1_BYTE ? 1 : size === SIZE_IN_2_BYTES ? 2 : 0;
  const head = 4 + numberBytes + sizeBytes + rateBytes;
  frame[head] = flacCrc8(frame, 0, head);
  const end = frame.byteLength - 2;
  const crc16 = flacCrc16(frame, end);
  frame[end] = crc16 >> 8;
  frame[end + 1] = crc16;
}

/** The properties of a stream of FLAC that its STREAMINFO states. */
export interface FlacStream {
  readonly blockFrames: number;
  readonly minFrameBytes: number;
  readonly maxFrameBytes: number;
  readonly sampleRate: number;
  readonly channels: number;
  readonly depth: number;
  readonly frames: number;
  /** MD5 of the interleaved little-endian samples. */
  readonly md5: Uint8Array | undefined;
}

/** The 34 bytes of STREAMINFO, without the head of the block. Unknown sizes, frames and digests are 0. */
export function flacStreamInfo(stream: FlacStream): Uint8Array<ArrayBuffer> {
  const info = new Uint8Array(34);
  const view = new DataView(info.buffer);
  view.setUint16(0, stream.blockFrames);
  view.setUint16(2, stream.blockFrames);
  // Of 24 bits each.
  view.setUint32(4, (stream.minFrameBytes << 8) | (stream.maxFrameBytes >> 16));
  view.setUint16(8, stream.maxFrameBytes & 0xffff);
  // 20 bits of the rate, 3 of channels, 5 of depth, 36 of frames.
  const high = Math.floor(stream.frames / 2 ** 32);
  view.setUint32(
    10,
    (stream.sampleRate << 12) | ((stream.channels - 1) << 9) | ((stream.depth - 1) << 4) | high,
  );
  view.setUint32(14, stream.frames % 2 ** 32);
  if (stream.md5 !== undefined) {
    info.set(stream.md5, 18);
  }
  return info;
}
