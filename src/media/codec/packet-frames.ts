import { parseFlacFrame } from "../container/flac/flac-frame.ts";
import { vorbisFrames } from "../container/ogg/vorbis-modes.ts";

/** Frames by config of an Opus packet, in samples at 48 kHz (RFC 6716, table 2). */
const SILK = [480, 960, 1_920, 2_880];
const HYBRID = [480, 960];
const CELT = [120, 240, 480, 960];
const OPUS_FRAMES_MAX = 5_760;

/** The samples at 48 kHz that an Opus packet states in its first bytes; 0 for a packet that cannot be one. */
export function opusPacketFrames(packet: Uint8Array): number {
  const [toc, second = 0] = packet;
  if (toc === undefined) {
    return 0;
  }
  const config = toc >> 3;
  const size = config < 12 ? SILK[config & 3] : config < 16 ? HYBRID[config & 1] : CELT[config & 3];
  const code = toc & 0b11;
  const count = code === 0 ? 1 : code < 3 ? 2 : packet.byteLength > 1 ? second & 0x3f : 0;
  const frames = (size ?? 0) * count;
  return frames > OPUS_FRAMES_MAX ? 0 : frames;
}

/** Counts the frames of packet after packet; 0 where a packet does not say. */
export type FrameCounter = (packet: Uint8Array) => number;

/** A counter for the packets of one track, from the first one on. `config` as in `DecodedTrack`. */
export function frameCounter(
  codec: string | null,
  config: Uint8Array,
  usual: number,
): FrameCounter {
  switch (codec) {
    case "opus":
      return opusPacketFrames;
    case "vorbis":
      return vorbisFrames(config);
    case "flac":
      return (packet) => parseFlacFrame(packet, 0)?.blockSize ?? 0;
    default:
      return () => usual;
  }
}
