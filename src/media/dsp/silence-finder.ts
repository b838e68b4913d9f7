/** Runs of silence, from chunks of samples whose greatest magnitudes are known. */
import { CHUNK, type SampleLine } from "./sample-line.ts";

/** Frames from `start` to `end` - 1. */
export interface FrameRange {
  readonly start: number;
  readonly end: number;
}

export interface Silence {
  readonly frames: number;
  readonly count: number;
  /** The first 100 runs. */
  readonly segments: readonly FrameRange[];
  /** Frames of the run at the very start, and of that at the very end. */
  readonly leadingFrames: number;
  readonly trailingFrames: number;
}

const SEGMENTS_KEPT = 100;

/**
 * Finds runs of at least `minFrames` frames, which are at least a chunk, in which no channel exceeds the threshold.
 */
export class SilenceFinder {
  readonly #threshold: number;
  readonly #minFrames: number;
  /** Silent frames up to the last one that was read. */
  #run = 0;
  #frames = 0;
  #count = 0;
  #leading = 0;
  readonly #segments: FrameRange[] = [];

  constructor(threshold: number, minFrames: number) {
    this.#threshold = threshold;
    this.#minFrames = minFrames;
  }

  /** Reads a complete chunk, whose first frame is frame `start` of the sound. */
  addChunk(lines: readonly SampleLine[], chunk: number, start: number): void {
    for (const line of lines) {
      if ((line.magnitudes[chunk] ?? 0) > this.#threshold) {
        this.#addLoud(lines, chunk * CHUNK, CHUNK, start);
        return;
      }
    }
    this.#run += CHUNK;
  }

  /** Silence within a few frames that are not all silent is too short, except at their start and their end. */
  #addLoud(lines: readonly SampleLine[], from: number, frames: number, start: number): void {
    if (this.#run > 0) {
      let leading = 0;
      while (this.#isSilent(lines, from + leading)) {
        leading += 1;
      }
      this.#run += leading;
      this.#close(start + leading);
    }
    let trailing = 0;
    while (this.#isSilent(lines, from + frames - 1 - trailing)) {
      trailing += 1;
    }
    this.#run = trailing;
  }

  #isSilent(lines: readonly SampleLine[], at: number): boolean {
    for (const { samples } of lines) {
      if (Math.abs(samples[at] ?? 0) > this.#threshold) {
        return false;
      }
    }
    return true;
  }

  #close(end: number): void {
    if (this.#run >= this.#minFrames) {
      this.#frames += this.#run;
      this.#count += 1;
      if (this.#run === end) {
        this.#leading = this.#run;
      }
      if (this.#segments.length < SEGMENTS_KEPT) {
        this.#segments.push({ start: end - this.#run, end });
      }
    }
    this.#run = 0;
  }

  /** Reads the last frames, which are fewer than a chunk and end at frame `total`, and returns all runs. */
  end(lines: readonly SampleLine[], from: number, frames: number, total: number): Silence {
    let loud = false;
    for (let at = from; at < from + frames && !loud; at++) {
      loud = !this.#isSilent(lines, at);
    }
    if (loud) {
      this.#addLoud(lines, from, frames, total - frames);
    } else {
      this.#run += frames;
    }
    const trailingFrames = this.#run >= this.#minFrames ? this.#run : 0;
    this.#close(total);
    return {
      frames: this.#frames,
      count: this.#count,
      segments: this.#segments,
      leadingFrames: this.#leading,
      trailingFrames,
    };
  }
}
