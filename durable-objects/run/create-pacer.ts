import type { RunWorld } from "../../src/engine/drive/run-world.ts";
import { CROWDED_SLICE_WORK_MAX, SLICE_WORK_MAX } from "../../src/engine/step/next-work.ts";

/** A run that has had no more slices than this in one go may well be a small one, and does not rest. */
const SLICES_BEFORE_REST = 2;

/** A big run never rests longer than this between two slices, so that it goes on. */
const REST_MAX_MS = 10;

interface PacerParts {
  /** Whether others wait for the thread just now. */
  readonly isCrowded: () => boolean;
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/**
 * How a run shares its thread. Alone it works in long slices and goes on at once. While others wait
 * its slices are short, and after each it rests for as long as the slice and whoever came after it
 * took: with a turn of the event loop alone it would have a slice for each step of another's run.
 */
export function createPacer({
  isCrowded,
  nowMs,
  wait,
}: PacerParts): Required<Pick<RunWorld, "sliceWorkMax" | "pause">> {
  let beganMs = 0;
  return {
    sliceWorkMax() {
      beganMs = nowMs();
      return isCrowded() ? CROWDED_SLICE_WORK_MAX : SLICE_WORK_MAX;
    },
    async pause(slices) {
      // A turn of the event loop: others get in, and the clock moves on.
      await wait(0);
      if (slices > SLICES_BEFORE_REST && isCrowded()) {
        // The clock may have been set meanwhile.
        await wait(Math.min(Math.max(nowMs() - beganMs, 1), REST_MAX_MS));
      }
    },
  };
}
