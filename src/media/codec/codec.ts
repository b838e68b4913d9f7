import type { AudioBlock } from "../audio-block.ts";

/**
 * Decodes the packets of one track. An instance holds wasm memory until `close`. It never throws for bad bytes, and
 * returns null for a packet that does not decode.
 */
export interface PacketDecoder {
  /**
   * Returns the samples of one packet, in one block of any length. The block may be empty (priming) or contain the
   * samples of an earlier packet. Null: the packet does not decode.
   */
  decode(packet: Uint8Array): AudioBlock | null;
  /** Returns the samples that were delayed. */
  flush(): AudioBlock;
  /** Forgets earlier packets, before a jump. */
  reset(): void;
  close(): void;
  readonly memoryBytes: number;
}

/** Encodes samples of a fixed shape into packets. */
export interface PacketEncoder {
  /** Frames in a packet; 0 for any number. */
  readonly frameSize: number;
  /** Frames of silence that come first when the packets are decoded. */
  readonly priming: number;
  /** AudioSpecificConfig, OpusHead or STREAMINFO; empty for MP3. */
  readonly config: Uint8Array;
  /** Keeps the samples that do not fill a packet. */
  encode(block: AudioBlock): readonly EncodedSound[];
  end(): readonly EncodedSound[];
  close(): void;
  readonly memoryBytes: number;
}

export interface EncodedSound {
  readonly data: Uint8Array;
  readonly frames: number;
}
