import { type AudioBlock, BLOCK_FRAMES_MAX } from "./audio-block.ts";

/** Digital silence of so many frames; its blocks must not be changed. */
export function* silentBlocks(channels: number, frames: number): Generator<AudioBlock> {
  const zeros = new Float32Array(Math.min(frames, BLOCK_FRAMES_MAX));
  for (let left = frames; left > 0; left -= BLOCK_FRAMES_MAX) {
    const plane = zeros.subarray(0, left);
    yield Array.from({ length: channels }, () => plane);
  }
}
