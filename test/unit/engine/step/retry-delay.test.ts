import { expect, test } from "vitest";
import { ATTEMPTS_MAX, retryDelayMs } from "../../../../src/engine/step/retry-delay.ts";

const ALMOST_ONE = 1 - Number.EPSILON;

test("[E20] there are three retries, and the maximum delay doubles each time, up to half a minute", () => {
  expect(ATTEMPTS_MAX - 1).toBe(3);
  const longest = [1, 2, 3, 4, 20].map((attempt) => retryDelayMs(attempt, ALMOST_ONE, null) + 1);
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 30_000]);
});

test("[E20] the delay is random over its whole range", () => {
  expect([0, 0.25, 0.5, 0.75].map((random) => retryDelayMs(3, random, null))).toEqual([
    1, 500, 1_000, 1_500,
  ]);
});

test("[E20] it is never shorter than the provider requested", () => {
  expect(retryDelayMs(1, 0, 60_000)).toBe(60_000);
  expect(retryDelayMs(3, 0.5, 400)).toBe(1_000);
});
