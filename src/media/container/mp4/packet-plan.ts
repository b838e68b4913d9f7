import { GrowingNumbers } from "../growing-numbers.ts";
import { PACKETS_MAX, PacketBudget } from "../media-caps.ts";
import { unreadableMedia } from "../media-error.ts";
import type { Edit, PacketHead } from "../media-track.ts";

/** Seconds of a chunk: the tracks lie in turns of this length in the file. */
const CHUNK_SECONDS = 0.5;

/** Turn at which a packet is written, and the start of a track in the movie. */
export interface Turns {
  readonly timeScale: number;
  /** Ticks from the decoding of the first packet to tick 0 of the presentation; may be negative. */
  readonly shift: number;
}

/** By the edits: the packet at the first presented tick belongs to the end of the pauses before it. */
export function turnsOf(timeScale: number, edits: readonly Edit[]): Turns {
  let shift = 0;
  for (const { start, duration } of edits) {
    if (start !== null) {
      return { timeScale, shift: shift - start };
    }
    shift += duration ?? 0;
  }
  return { timeScale, shift };
}

/**
 * The sample tables of a track (ISO/IEC 14496-12, 8.6 and 8.7) as they are collected packet by packet: 2 to 3 bytes for
 * a packet, and 2 to 4 for each change of its duration and of its offset.
 */
export class PacketPlan {
  readonly sizes = new GrowingNumbers();
  /** Counts and durations, in turns; complete after `end`. */
  readonly durations = new GrowingNumbers();
  /** Counts and offsets of presentation, in turns. */
  readonly offsets = new GrowingNumbers();
  /** Numbers of key packets from 1; undefined while all packets are. */
  keys: GrowingNumbers | undefined;
  /** Turn, packets and bytes of each chunk. */
  readonly chunkTurns = new GrowingNumbers();
  readonly chunkPackets = new GrowingNumbers();
  readonly chunkBytes = new GrowingNumbers();
  /** Decoding time of the first packet, from which the tables count. */
  base = 0;
  /** From `base`: sum of all durations. */
  duration = 0;
  /** From `base`: first and last tick that are presented. */
  firstPts = Number.POSITIVE_INFINITY;
  endPts = 0;
  hasNegativeOffset = false;
  bytes = 0;
  readonly #turns: Turns;
  /** Bytes of a frame of PCM, which is a sample of its own; else null. */
  readonly frameBytes: number | null;
  readonly #budget = new PacketBudget();
  #lastDts = 0;
  #lastDuration = 0;
  #packets = 0;
  #frames = 0;

  constructor(turns: Turns, frameBytes: number | null) {
    this.#turns = turns;
    this.frameBytes = frameBytes;
  }

  /** Number of samples in the tables. */
  get count(): number {
    return this.frameBytes === null ? this.sizes.count : this.bytes / this.frameBytes;
  }

  get packets(): number {
    return this.#packets;
  }

  /** The turn of a packet. A turn never comes before that of the packet before it. */
  turnOf(dts: number): number {
    const { timeScale, shift } = this.#turns;
    const turn = Math.floor((dts + shift) / timeScale / CHUNK_SECONDS);
    return Math.min(Math.max(0, turn, this.chunkTurns.last), PACKETS_MAX);
  }

  /** Throws NodeError `MEDIA_UNREADABLE` for times that run backwards, and above 2,000,000 packets. */
  add({ bytes, dts, pts, duration, isKey }: PacketHead, turn = this.turnOf(dts)): void {
    this.#budget.add(1);
    if (this.#packets === 0) {
      this.base = dts;
    } else {
      this.#endPacket(dts - this.#lastDts);
    }
    this.#packets++;
    this.#lastDts = dts;
    this.#lastDuration = duration;
    this.bytes += bytes;
    if (this.frameBytes === null) {
      this.sizes.push(bytes);
      this.#addOffset(pts - dts);
      this.#addKey(isKey);
    } else if (bytes % this.frameBytes !== 0) {
      throw unreadableMedia("has a packet of PCM with a part of a frame. Export it again.");
    }
    this.firstPts = Math.min(this.firstPts, pts - this.base);
    this.endPts = Math.max(this.endPts, pts - this.base + duration);
    if (this.chunkTurns.count === 0 || this.chunkTurns.last !== turn) {
      this.chunkTurns.push(turn);
      this.chunkPackets.push(0);
      this.chunkBytes.push(0);
    }
    this.chunkPackets.raise(-1, this.frameBytes === null ? 1 : bytes / this.frameBytes);
    this.chunkBytes.raise(-1, bytes);
  }

  end(): void {
    if (this.#packets > 0) {
      this.#endPacket(this.#lastDuration);
    }
  }

  #endPacket(ticks: number): void {
    if (ticks < 0) {
      throw unreadableMedia("has packets whose times run backwards. Export it again.");
    }
    this.duration += ticks;
    if (this.frameBytes === null) {
      pushRun(this.durations, 1, ticks);
      return;
    }
    const frames = this.#newFrames();
    if (ticks % frames !== 0) {
      throw unreadableMedia("has PCM whose frames have different durations. Export it again.");
    }
    pushRun(this.durations, frames, ticks / frames);
  }

  /** Frames of PCM since the last call. */
  #newFrames(): number {
    const frames = this.bytes / (this.frameBytes ?? 1) - this.#frames;
    this.#frames += frames;
    return frames;
  }

  #addOffset(offset: number): void {
    this.hasNegativeOffset ||= offset < 0;
    pushRun(this.offsets, 1, offset);
  }

  #addKey(isKey: boolean): void {
    const number = this.sizes.count;
    if (this.keys === undefined && !isKey) {
      this.keys = new GrowingNumbers();
      for (let before = 1; before < number; before++) {
        this.keys.push(before);
      }
    }
    if (isKey) {
      this.keys?.push(number);
    }
  }
}

/** Runs as pairs of a count and a value. */
function pushRun(runs: GrowingNumbers, count: number, value: number): void {
  if (runs.count > 0 && runs.last === value >>> 0) {
    runs.raise(-2, count);
  } else {
    runs.push(count);
    runs.push(value);
  }
}
