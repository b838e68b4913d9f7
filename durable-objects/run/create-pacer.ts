import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import { CROWDED_SLICE_WORK_MAX, SLICE_WORK_MAX } from "../../src/engine/step/next-work.ts";

/** A run that has had no more slices than this in one go may well be a small one, and does not rest. */
const SLICES_BEFORE_REST = 2;

/** About twice what a short slice takes, so that others have two thirds of the thread, as with tasks. */
const REST_MS = 2;

interface PacerParts {
  /** Whether others wait for the thread just now. */
  readonly isCrowded: () => boolean;
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * How a run shares its thread. Alone it works in long slices and goes on at once. While others wait
 * its slices are short, and it rests after each: with a turn of the event loop alone it would have a
 * slice for each step of another's run.
 */
export function createPacer({
  isCrowded,
  wait,
}: PacerParts): Required<Pick<RunWorld, "sliceWorkMax" | "pause">> {
  return {
    sliceWorkMax: () => (isCrowded() ? CROWDED_SLICE_WORK_MAX : SLICE_WORK_MAX),
    pause: (slices) => wait(slices > SLICES_BEFORE_REST && isCrowded() ? REST_MS : 0),
  };
}
