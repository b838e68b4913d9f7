import { describe, test } from "vitest";
import { IS_PROOF } from "./sizes.ts";

/**
 * A test that only the proof runs. In `npm test` it does not exist, so it is not skipped: other tests check the same at
 * a small size.
 */
export const testInProof: typeof test = IS_PROOF ? test : (absent() as typeof test);

/**
 * In a file that the proof runs again, a costly test of one size. It does not exist in the proof that `.ci/run` begins after
 * `npm test` (`AFTER_TESTS`), whose result has it already; a proof by itself runs it.
 */
export const testOfOneSize: typeof test = hasRun() ? (absent() as typeof test) : test;
/** The same for a group of such tests. */
export const describeOfOneSize: typeof describe = hasRun()
  ? (absent() as typeof describe)
  : describe;

function hasRun(): boolean {
  return IS_PROOF && process.env["AFTER_TESTS"] !== undefined;
}

/** Declares nothing, in any form. */
function absent(): unknown {
  const none = () => () => undefined;
  return Object.assign(() => undefined, { each: none, skipIf: none });
}
