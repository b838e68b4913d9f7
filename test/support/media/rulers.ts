import type { PacketDecoder } from "../../../src/media/codec/codec.ts";
import { frameCounter } from "../../../src/media/codec/packet-frames.ts";
import type { DecodedTrack, SoundCodecs } from "../../../src/media/codec/sound-codecs.ts";

const RULER_SCALE = 2 ** 20;
const USUAL = { aac: 1_024, alac: 4_096, flac: 0, mp3: 1_152, opus: 0, vorbis: 0 };

/** The number of the decoder's frame that a sample of `ruler` stands for. */
export function ruledFrame(sample: number): number {
  return Math.round(sample * RULER_SCALE);
}

/** Decodes every packet to the numbers of its frames, so that a test sees which frames are presented. */
function ruler({ codec, config, channels }: DecodedTrack): PacketDecoder {
  const frames = frameCounter(codec, config, USUAL[codec]);
  let next = 0;
  return {
    memoryBytes: 0,
    decode(packet) {
      const length = frames(packet);
      const plane = Float32Array.from({ length }, (_, i) => (next + i) / RULER_SCALE);
      next += length;
      return Array.from({ length: channels }, () => plane);
    },
    flush: () => [],
    reset() {
      next = 0;
    },
    close() {
      next = 0;
    },
  };
}

/** All codecs by their rulers: the packets of a container without their decoders. */
export const RULERS: SoundCodecs = {
  aac: ruler,
  alac: ruler,
  flac: ruler,
  mp3: ruler,
  opus: ruler,
  vorbis: ruler,
};
