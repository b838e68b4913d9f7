import { type AudioBlock, BLOCK_FRAMES_MAX } from "../audio-block.ts";

/**
 * A step through which sound streams. What it returns is as long as its input in total, and in step with it: a delay within
 * the stage is taken off at the start and made up by `end`.
 */
export interface SoundStage {
  /** Returns the next frames, possibly none, and at most as many as came. Valid until the next call. */
  process(block: AudioBlock): AudioBlock;
  /** Returns the frames that are left, possibly more than a block. */
  end(): AudioBlock;
}

/** The frames in blocks of at most BLOCK_FRAMES_MAX. */
export function* inBlocks(frames: AudioBlock): Generator<AudioBlock> {
  const count = frames[0]?.length ?? 0;
  for (let from = 0; from < count; from += BLOCK_FRAMES_MAX) {
    yield frames.map((samples) => samples.subarray(from, from + BLOCK_FRAMES_MAX));
  }
}

/** Passes blocks through stages one after another. */
export class StageChain implements SoundStage {
  readonly #stages: readonly SoundStage[];

  constructor(stages: readonly SoundStage[]) {
    this.#stages = stages;
  }

  process(block: AudioBlock): AudioBlock {
    let passed = block;
    for (const stage of this.#stages) {
      if ((passed[0]?.length ?? 0) === 0) {
        return passed;
      }
      passed = stage.process(passed);
    }
    return passed;
  }

  end(): AudioBlock {
    let rest: AudioBlock = [];
    for (const stage of this.#stages) {
      const parts: Float32Array[][] = [];
      for (const block of inBlocks(rest)) {
        parts.push(stage.process(block).map((samples) => samples.slice()));
      }
      parts.push(stage.end().map((samples) => samples.slice()));
      rest = joinFrames(parts);
    }
    return rest;
  }
}

/** All frames of the parts, one after another; parts without channels have none. */
export function joinFrames(parts: readonly AudioBlock[]): Float32Array[] {
  const filled = parts.filter((part) => part.length > 0);
  const frames = filled.reduce((sum, part) => sum + (part[0]?.length ?? 0), 0);
  return (filled[0] ?? []).map((_, channel) => {
    const whole = new Float32Array(frames);
    let at = 0;
    for (const part of filled) {
      const samples = part[channel] ?? new Float32Array(0);
      whole.set(samples, at);
      at += samples.length;
    }
    return whole;
  });
}
