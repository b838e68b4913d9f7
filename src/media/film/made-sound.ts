import type { SoundFormat } from "../../contracts/media/sound-formats.ts";
import type { AudioBlock } from "../audio-block.ts";
import type { EncodedSound } from "../codec/codec.ts";
import type { MediaPacket } from "../container/media-track.ts";
import type { MovieTrack } from "../container/movie-track.ts";
import type { SoundEncoders } from "../container/sound-writer.ts";

/** Sound of a movie that is encoded while the movie is written. */
export interface SoundToEncode {
  /** `m4a` for AAC, which MP4 and MOV have; `ogg` for Opus, which WebM and MP4 have. */
  readonly format: SoundFormat & { readonly format: "m4a" | "ogg" };
  /** The movie has edit lists, as MP4 and MOV do; a WebM has the delay of the codec and the frames that are discarded. */
  readonly hasEdits: boolean;
  /** Frames that `blocks` returns. */
  readonly frames: number;
  readonly blocks: () => AsyncIterable<AudioBlock>;
}

/** Packets that an encoder may add besides those of its priming. */
const ADDED_PACKETS = 2;

/** The track of such a sound, from the start of the movie on, to the frame. Its packets can be read once. */
export function madeSound(
  { format, hasEdits, frames, blocks }: SoundToEncode,
  encoders: SoundEncoders,
): MovieTrack {
  const { sampleRate, channels, bitrateKbps } = format;
  const isAac = format.format === "m4a";
  const encoder = encoders[isAac ? "aac" : "opus"](format, bitrateKbps ?? 0);
  const { priming, frameSize, config } = encoder;
  const end = priming + frames;
  let at = 0;
  const packetOf = ({ data, frames: length }: EncodedSound): MediaPacket => {
    const packet = { data, pts: at, dts: at, duration: length, isKey: true };
    at += length;
    return !hasEdits && at > end ? { ...packet, discardFrames: at - end } : packet;
  };
  return {
    kind: "sound",
    codec: isAac ? "aac" : "opus",
    config,
    sound: {
      sampleRate,
      channels,
      bitDepth: null,
      packetFrames: frameSize,
      trim: hasEdits ? null : { skip: priming, frames: null },
    },
    picture: null,
    description: null,
    timeScale: sampleRate,
    language: "und",
    isDefault: true,
    edits: hasEdits ? [{ start: priming, duration: frames }] : [],
    packetsMax: Math.ceil(end / Math.max(1, frameSize)) + ADDED_PACKETS,
    async *packets() {
      try {
        for await (const block of blocks()) {
          yield* encoder.encode(block).map(packetOf);
        }
        for (const packet of encoder.end()) {
          if (at < end) {
            yield packetOf(packet);
          }
        }
      } finally {
        encoder.close();
      }
    },
  };
}
