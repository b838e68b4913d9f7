import { type AudioBlock, BLOCK_FRAMES_MAX } from "../../audio-block.ts";
import type { PacketDecoder } from "../../codec/codec.ts";
import { PcmConverter, type PcmLayout } from "./pcm.ts";

const NOTHING: AudioBlock = [];

/** PCM in packets, as MP4 and MOV have it. A packet has at most `BLOCK_FRAMES_MAX` frames. */
export class PcmDecoder implements PacketDecoder {
  readonly memoryBytes = 0;
  readonly #converter: PcmConverter;

  constructor(layout: PcmLayout) {
    this.#converter = new PcmConverter(layout);
  }

  decode(packet: Uint8Array): AudioBlock | null {
    const { frameBytes, badFrames } = this.#converter;
    if (packet.byteLength > frameBytes * BLOCK_FRAMES_MAX) {
      return null;
    }
    const block = this.#converter.convert(packet);
    return this.#converter.badFrames > badFrames ? null : block;
  }

  flush(): AudioBlock {
    return NOTHING;
  }

  reset(): void {
    // No packet depends on another.
  }

  close(): void {
    // There is no wasm.
  }
}
