import { test } from "vitest";
import { IS_PROOF } from "./sizes.ts";

/**
 * A test that only the proof runs. In `npm test` it does not exist, so it is not skipped: other tests check the same at
 * a small size.
 */
export const testInProof: typeof test = IS_PROOF
  ? test
  : (Object.assign(() => undefined, { each: () => () => undefined }) as unknown as typeof test);
