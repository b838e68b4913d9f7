import type { EncodedSound } from "../codec/codec.ts";

/** Puts the packets of one encoder into a container. */
export interface PacketWriter {
  /** Packets in the order in which the encoder gave them. */
  add(packet: EncodedSound): Promise<void>;
  /** `frames`: how many were given to the encoder, which is how many a player presents. */
  end(frames: number): Promise<void>;
}
