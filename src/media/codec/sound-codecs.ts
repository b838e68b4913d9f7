import type { SoundShape } from "../audio-block.ts";
import type { PacketDecoder } from "./codec.ts";

/** Codecs of sound that need a decoder; PCM is converted without one. */
export const PACKET_CODECS = ["aac", "alac", "flac", "mp3", "opus", "vorbis"] as const;
export type PacketCodec = (typeof PACKET_CODECS)[number];

/** The properties of a track that a decoder is made for. */
export interface DecodedTrack extends SoundShape {
  readonly codec: PacketCodec;
  /**
   * AudioSpecificConfig (AAC), the box `alac` with its header (ALAC), the 34 bytes of STREAMINFO (FLAC), OpusHead (Opus),
   * the three header packets with Xiph's lacing as in Matroska (Vorbis); empty for MP3.
   */
  readonly config: Uint8Array;
}

/** Makes the decoders of the codecs that a Worker has. The Worker passes the compiled wasm to them. */
export type SoundCodecs = Readonly<
  Partial<Record<PacketCodec, (track: DecodedTrack) => PacketDecoder>>
>;
