import { type AudioBlock, BLOCK_FRAMES_MAX } from "../audio-block.ts";

/**
 * A step through which sound streams. What it returns is as long as its input in total, and in step with it: a delay within
 * the stage is taken off at the start and made up by `end`.
 */
export interface SoundStage {
  /** Returns the next frames, possibly none. Valid until the next call. */
  process(block: AudioBlock): AudioBlock;
  /** Returns the frames that are left, at most a block. */
  end(): AudioBlock;
}

/** Passes blocks through stages one after another. */
export class StageChain implements SoundStage {
  readonly #stages: readonly SoundStage[];

  constructor(stages: readonly SoundStage[]) {
    this.#stages = stages;
  }

  process(block: AudioBlock): AudioBlock {
    return this.#pass(block, 0);
  }

  #pass(block: AudioBlock, from: number): AudioBlock {
    let passed = block;
    for (const stage of this.#stages.slice(from)) {
      if ((passed[0]?.length ?? 0) === 0) {
        return passed;
      }
      passed = stage.process(passed);
    }
    return passed;
  }

  end(): AudioBlock {
    let rest: Float32Array[] = [];
    for (const [index, stage] of this.#stages.entries()) {
      const passed = this.#pass(stage.end(), index + 1);
      rest = appended(rest, passed);
    }
    if ((rest[0]?.length ?? 0) > BLOCK_FRAMES_MAX) {
      throw new Error("The stages hold back more than a block.");
    }
    return rest;
  }
}

function appended(first: readonly Float32Array[], second: AudioBlock): Float32Array[] {
  return second.map((samples, channel) => {
    const before = first[channel] ?? new Float32Array();
    const whole = new Float32Array(before.length + samples.length);
    whole.set(before);
    whole.set(samples, before.length);
    return whole;
  });
}
