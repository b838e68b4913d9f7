import type { SoundShape } from "../../audio-block.ts";
import { box, fullBox, joinBytes, text, u16, u32 } from "./write-box.ts";

/** A track of AAC as its sample entry states it. */
export interface AacTrack extends SoundShape {
  /** AudioSpecificConfig. */
  readonly config: Uint8Array;
  /** Bytes of the largest packet. */
  readonly largest: number;
  readonly averageBitRate: number;
  readonly maxBitRate: number;
}

/** Codes of MPEG-4 for AAC, and for a stream of sound that is not sent upstream. */
const AAC_OBJECT = 0x40;
const SOUND_STREAM = 0x15;
const STREAM_ID = 1;
/** Sample rates from here on do not fit the sample entry; AudioSpecificConfig has them. */
const ENTRY_RATE_END = 65_536;
const AAC_PACKET_FRAMES = 1_024;

/** The sample entry `mp4a` of ISO media. */
export function aacEntry(track: AacTrack): Uint8Array<ArrayBuffer> {
  return box("mp4a", soundFields(track), elementaryStream(track));
}

/** The sample entry `mp4a` of QuickTime: sound description of version 1 with an atom `wave`. */
export function quickTimeAacEntry(track: AacTrack): Uint8Array<ArrayBuffer> {
  const wave = box(
    "wave",
    box("frma", text("mp4a")),
    box("mp4a", u32(0)),
    elementaryStream(track),
    // The terminator.
    u32(8, 0),
  );
  const perPacket = u32(AAC_PACKET_FRAMES, 0, 0, 2);
  return box("mp4a", soundFields(track, 1), perPacket, wave);
}

/** The fields with which every sound's entry begins. */
export function soundFields({ channels, sampleRate }: SoundShape, version = 0): Uint8Array {
  return joinBytes(
    u16(0, 0, 0, 1, version, 0, 0, 0),
    // −2: the sound is compressed and its packets vary.
    u16(channels, 16, version === 0 ? 0 : -2, 0),
    u16(sampleRate < ENTRY_RATE_END ? sampleRate : 0, 0),
  );
}

function elementaryStream({ config, largest, averageBitRate, maxBitRate }: AacTrack): Uint8Array {
  const decoder = descriptor(
    4,
    Uint8Array.of(AAC_OBJECT, SOUND_STREAM, largest >> 16, largest >> 8, largest),
    u32(maxBitRate, averageBitRate),
    descriptor(5, config),
  );
  const stream = descriptor(
    3,
    u16(STREAM_ID),
    Uint8Array.of(0),
    decoder,
    descriptor(6, Uint8Array.of(2)),
  );
  return fullBox("esds", 0, 0, stream);
}

/** A descriptor of MPEG-4; each is shorter than 128 bytes. */
function descriptor(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = joinBytes(...parts);
  return joinBytes(Uint8Array.of(tag, content.byteLength), content);
}
