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

/**
 * Has the head of a frame take its sample rate from STREAMINFO, and writes both checksums again. The head must have a
 * rate of the format's table, which takes no bytes of its own.
 */
export function takeRateFromStreamInfo(frame: Uint8Array): void {
  setRateCode(frame, RATE_OF_STREAM);
}

/**
 * The frame as libFLAC decodes it without a STREAMINFO: one whose head has no rate of its own becomes a copy that states
 * one, which changes no sample. Undefined if the checksum of such a frame is wrong.
 */
export function withOwnRate(frame: Uint8Array): Uint8Array | undefined {
  const [, , third = 0] = frame;
  if ((third & 0x0f) !== RATE_OF_STREAM) {
    return frame;
  }
  if (frame.byteLength < FRAME_BYTES_MIN || flacCrc16(frame, frame.byteLength) !== 0) {
    return undefined;
  }
  const copy = frame.slice();
  setRateCode(copy, RATE_OF_TABLE);
  return copy;
}

/** Both codes take no bytes of their own. */
function setRateCode(frame: Uint8Array, code: number): void {
  const third = frame[2] as number;
  frame[2] = (third & 0xf0) | code;
  const size = third >> 4;
  const number = frame[4] as number;
  // The first byte of the number counts its bytes as UTF-8 does.
  const numberBytes = number < 0x80 ? 1 : Math.clz32(~(number << 24));
  const head = 4 + numberBytes + (size === SIZE_IN_1_BYTE ? 1 : size === SIZE_IN_2_BYTES ? 2 : 0);
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
