import { expect, test } from "vitest";
import { GainEnvelope } from "../../../../src/media/dsp/gain-envelope.ts";
import { randomNumbers } from "../../../support/media/signals.ts";

/** The gains of an envelope that is given allowed ones in parts of this length. */
function applied(envelope: GainEnvelope, allowed: readonly number[], length = 16): number[] {
  const gains = Float64Array.from(allowed);
  for (let at = 0; at < gains.length; at += length) {
    envelope.apply(gains.subarray(at, at + length));
  }
  return [...gains];
}

test("the lengths of parts change nothing", () => {
  const next = randomNumbers(7);
  // Also so long without need that the envelope is idle in between.
  const allowed = Array.from({ length: 20_000 }, (_, i) =>
    i % 9000 < 400 && next() < 0.1 ? next() : 1,
  );
  const gains = [1, 16, 20_000].map((length) =>
    applied(new GainEnvelope(40, 100), allowed, length),
  );
  expect(gains[1]).toEqual(gains[0]);
  expect(gains[2]).toEqual(gains[0]);
});

test("no frame has more gain than it is allowed, whatever comes before and after it", () => {
  for (const lookAhead of [2, 3, 40, 241]) {
    const next = randomNumbers(lookAhead);
    // Single frames far from others, so that only the look-ahead's last frame may protect them.
    const allowed = Array.from({ length: 6000 }, () => (next() < 0.004 ? 0.1 + 0.8 * next() : 1));
    const envelope = new GainEnvelope(lookAhead, 500);
    const gains = applied(envelope, allowed).slice(lookAhead);
    for (const [i, gain] of gains.entries()) {
      expect(gain, `frame ${i}`).toBeLessThanOrEqual(allowed[i]! + 1e-12);
    }
  }
});

test("a gain goes down within the look-ahead, and returns to exactly 1", () => {
  const envelope = new GainEnvelope(100, 300);
  const allowed = Array.from({ length: 12_000 }, (_, i) => (i === 1000 ? 0.5 : 1));
  const gains = applied(envelope, allowed).slice(100);
  expect(gains.slice(0, 900).every((gain) => gain === 1)).toBe(true);
  expect(gains[1000]).toBeLessThanOrEqual(0.5);
  expect(gains.slice(900, 1001).every((gain, i, all) => i === 0 || gain <= all[i - 1]!)).toBe(true);
  expect(gains.at(-1)).toBe(1);
  expect(envelope.isIdle).toBe(true);
});
