import type { AudioBlock } from "../audio-block.ts";
import { type FlacFrame, parseFlacFrame } from "../container/flac/flac-frame.ts";
import type { PacketDecoder } from "./codec.ts";
import { flacCrc16 } from "./flac-checksums.ts";
import { FlacBits, FlacSyntaxError, readSubframe } from "./flac-subframe.ts";

const NOTHING: AudioBlock = [];
/** Codes of two channels of which at least one is a difference. */
const LEFT_AND_SIDE = 8;
const SIDE_AND_RIGHT = 9;
const MIDDLE_AND_SIDE = 10;

/**
 * FLAC of any depth up to 31 bits, such as 12 and 20, in JavaScript. A packet is one frame, whose checksums are compared. Samples are
 * exact multiples of 2^(1 − bits) for up to 24 bits.
 */
export class FlacAnyDepthDecoder implements PacketDecoder {
  readonly #channels: number;
  readonly #streamDepth: number;
  /** Whole numbers, a plane for each channel. */
  #planes: readonly Float64Array[] = [];

  /** `streamDepth`: of STREAMINFO, for frames that do not state theirs. */
  constructor(channels: number, streamDepth: number) {
    this.#channels = channels;
    this.#streamDepth = streamDepth;
  }

  get memoryBytes(): number {
    return this.#planes.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  decode(packet: Uint8Array): AudioBlock | null {
    const head = parseFlacFrame(packet, 0);
    if (head?.channels !== this.#channels) {
      return null;
    }
    try {
      return this.#decodeFrame(packet, head);
    } catch (error) {
      if (error instanceof FlacSyntaxError) {
        return null;
      }
      throw error;
    }
  }

  #decodeFrame(packet: Uint8Array, head: FlacFrame): AudioBlock {
    const depth = head.depth === 0 ? this.#streamDepth : head.depth;
    if (depth > 31) {
      throw new FlacSyntaxError("A frame has another depth than its stream.");
    }
    const planes = this.#room(head.blockSize);
    const bits = new FlacBits(packet, head.headBytes);
    for (const [channel, plane] of planes.entries()) {
      readSubframe(bits, depth + (isSide(head.assignment, channel) ? 1 : 0), plane);
    }
    const end = bits.nextByte + 2;
    if (end > packet.byteLength || flacCrc16(packet, end) !== 0) {
      throw new FlacSyntaxError("The checksum of a frame is wrong.");
    }
    const [first, second] = planes;
    if (first !== undefined && second !== undefined) {
      separate(first, second, head.assignment);
    }
    // Exact, because it is a power of two.
    const share = 1 / 2 ** (depth - 1);
    return planes.map((plane) => {
      // `Float32Array.from` with a function takes several times as long.
      const samples = new Float32Array(plane.length);
      for (let i = 0; i < samples.length; i++) {
        samples[i] = (plane[i] as number) * share;
      }
      return samples;
    });
  }

  #room(frames: number): readonly Float64Array[] {
    if ((this.#planes[0]?.length ?? 0) < frames) {
      this.#planes = Array.from({ length: this.#channels }, () => new Float64Array(frames));
    }
    return this.#planes.map((plane) => plane.subarray(0, frames));
  }

  flush(): AudioBlock {
    return NOTHING;
  }

  reset(): void {
    // No frame depends on another.
  }

  close(): void {
    this.#planes = [];
  }
}

/** A difference of two channels has a bit more than each of them. */
function isSide(assignment: number, channel: number): boolean {
  return channel === 0
    ? assignment === SIDE_AND_RIGHT
    : channel === 1 && (assignment === LEFT_AND_SIDE || assignment === MIDDLE_AND_SIDE);
}

/** Makes left and right of a channel and a difference (RFC 9639, section 4.2), in place. */
function separate(first: Float64Array, second: Float64Array, assignment: number): void {
  if (assignment < LEFT_AND_SIDE) {
    return;
  }
  for (let i = 0; i < first.length; i++) {
    const a = first[i] as number;
    const b = second[i] as number;
    if (assignment === LEFT_AND_SIDE) {
      second[i] = a - b;
    } else if (assignment === SIDE_AND_RIGHT) {
      first[i] = a + b;
    } else {
      // The middle has lost its last bit, which is that of the difference; that has at most 32 bits.
      const twice = 2 * a + (b & 1);
      first[i] = (twice + b) / 2;
      second[i] = (twice - b) / 2;
    }
  }
}
