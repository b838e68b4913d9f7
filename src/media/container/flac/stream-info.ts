import type { SoundShape } from "../../audio-block.ts";
import { viewOf } from "../byte-window.ts";
import { unreadableMedia } from "../media-error.ts";

export const STREAM_INFO_BYTES = 34;

/** The block STREAMINFO of FLAC (RFC 9639, section 8.2). */
export interface StreamInfo extends SoundShape {
  readonly bitDepth: number;
  /** Samples of a block if all but the last are equally long, else undefined. */
  readonly blockSize: number | undefined;
  readonly maxBlockSize: number;
  /** Samples of a channel; null if the encoder did not know. */
  readonly frames: number | null;
  /** The block itself. */
  readonly bytes: Uint8Array;
}

/** `bytes` begin with the block's content. */
export function readStreamInfo(bytes: Uint8Array): StreamInfo {
  if (bytes.byteLength < STREAM_INFO_BYTES) {
    throw unreadableMedia("has no header of FLAC. Encode it again.");
  }
  const view = viewOf(bytes);
  const packed = view.getUint32(10);
  const frames = (view.getUint8(13) & 0x0f) * 2 ** 32 + view.getUint32(14);
  const [minBlockSize, maxBlockSize] = [view.getUint16(0), view.getUint16(2)];
  if (packed >>> 12 === 0 || maxBlockSize < 16) {
    throw unreadableMedia("has a header of FLAC with values that no sound has. Encode it again.");
  }
  return {
    sampleRate: packed >>> 12,
    channels: ((packed >>> 9) & 0b111) + 1,
    bitDepth: ((packed >>> 4) & 0b11111) + 1,
    blockSize: minBlockSize === maxBlockSize ? maxBlockSize : undefined,
    maxBlockSize,
    frames: frames === 0 ? null : frames,
    bytes: bytes.slice(0, STREAM_INFO_BYTES),
  };
}
