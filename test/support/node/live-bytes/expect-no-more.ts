import { expect } from "vitest";

const MB = 1024 * 1024;
/** What two watches of the same work differ by. */
const SPREAD = 2 * MB;
/** How often the smaller work is watched. */
const WATCHES_MAX = 3;

/**
 * Checks that large work held no more than small work does, in bytes. `watchSmall` returns the peak of one watch. It is repeated
 * up to twice while its peaks are lower: small work has few samples, and on a busy machine none of them may fall on its peak.
 */
export async function expectNoMore(
  large: number,
  watchSmall: () => Promise<number>,
): Promise<void> {
  let small = 0;
  for (let watches = 0; watches < WATCHES_MAX && large >= small + SPREAD; watches += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    small = Math.max(small, await watchSmall());
  }
  expect(large).toBeLessThan(small + SPREAD);
}
