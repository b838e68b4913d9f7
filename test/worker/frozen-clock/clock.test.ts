/** The clock of this project stands still within a turn; without that, the other files would prove nothing. */
import { expect, test } from "vitest";

const TURNS_MAX = 300_000;

/** Work in slices of time, which the service must not have: on Cloudflare such a slice never ends. */
function sliceByTime(elapsed: () => number): number {
  let done = 0;
  const begunMs = elapsed();
  while (elapsed() - begunMs < 2 && done < TURNS_MAX) {
    done++;
  }
  return done;
}

test.each([
  ["Date.now", () => Date.now()],
  ["new Date", () => new Date().getTime()],
  ["performance.now", () => performance.now()],
])("a slice measured by %s has no end within a turn", (_name, elapsed) => {
  expect(sliceByTime(elapsed)).toBe(TURNS_MAX);
});

test("time passes between turns, and dates are still dates", async () => {
  const before = { date: Date.now(), performance: performance.now() };
  await scheduler.wait(40);
  expect(Date.now() - before.date).toBeGreaterThanOrEqual(30);
  expect(performance.now() - before.performance).toBeGreaterThanOrEqual(30);
  expect(new Date(0).toISOString()).toBe("1970-01-01T00:00:00.000Z");
  expect(new Date() instanceof Date).toBe(true);
});
