import { MP3_HEAD_BYTES, parseMp3Frame } from "../../lib/mp3-frame.ts";

/** MPEG 1 begins here. */
const MPEG_1_FROM = 32_000;
const MPEG_2_FROM = 16_000;

/** Frames of samples in one frame of layer III at this sample rate. */
export function mp3FrameSamples(sampleRate: number): number {
  return sampleRate >= MPEG_1_FROM ? 1_152 : 576;
}

/** Size of the frame of layer III whose head is at `at`, in bytes. Undefined if there is no such head. */
export function mp3FrameBytes(bytes: Uint8Array, at: number): number | undefined {
  if (at + MP3_HEAD_BYTES > bytes.byteLength) {
    return undefined;
  }
  const head = new DataView(bytes.buffer, bytes.byteOffset + at, MP3_HEAD_BYTES).getUint32(0);
  const frame = parseMp3Frame(head);
  return frame?.layer === 3 ? frame.bytes : undefined;
}

/**
 * The head of a frame that is like the one at `first`, without checksum and padding, with the lowest bit rate, from its
 * own on, at which the frame has at least `bytes` bytes.
 */
export function mp3HeadFor(first: Uint8Array, bytes: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(first.subarray(0, 4));
  head[1] = (head[1] as number) | 1;
  head[2] = (head[2] as number) & 0xfd;
  const size = () => mp3FrameBytes(head, 0);
  for (let index = (head[2] as number) >> 4; index < 15; index++) {
    head[2] = ((head[2] as number) & 0x0f) | (index << 4);
    if ((size() ?? 0) >= bytes) {
      break;
    }
  }
  return head;
}

/** Bytes of the side information after the head of a frame without checksum. */
export function mp3SideBytes(head: Uint8Array): number {
  const isVersion1 = ((head[1] as number) >> 3) % 4 === 3;
  const isMono = (head[3] as number) >> 6 === 3;
  return isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17;
}

/** Whether the sample rate belongs to MPEG 2.5, for which LAME has bit rates up to 64 kbit/s only. */
export function isMpeg25(sampleRate: number): boolean {
  return sampleRate < MPEG_2_FROM;
}
