import { describe, expect, test } from "vitest";
import { NodeError } from "../../../../src/lib/errors/node-error.ts";
import {
  actualDuration,
  checkFit,
  chooseTarget,
  decideFit,
  fitResults,
  type FitSettings,
  type FitTarget,
} from "../../../../src/media/dsp/fit-duration.ts";

const SETTINGS: FitSettings = {
  savedDuration: undefined,
  minSpeed: 0.8,
  maxSpeed: 1.25,
  onOutOfRange: "clamp",
  padShort: true,
  toleranceSeconds: 0.05,
};
const RATE = 48_000;
const saved = (seconds: number): FitTarget => ({ seconds, source: "saved" });

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(NodeError);
    expect((error as NodeError).retryable).toBe(false);
    return (error as NodeError).code;
  }
  return "none";
}

describe("the target", () => {
  test("is the window, else the input, else the parameter", () => {
    const all = { targetStart: 1.5, targetEnd: 4, targetDuration: 9 };
    expect(chooseTarget(all, 7)).toEqual({ seconds: 2.5, source: "window" });
    expect(chooseTarget({ targetDuration: 9 }, 7)).toEqual({ seconds: 9, source: "dynamic" });
    expect(chooseTarget({}, 7)).toEqual({ seconds: 7, source: "saved" });
    expect(codeOf(() => chooseTarget({}, undefined))).toBe("FIT_TARGET_MISSING");
  });

  test("must be a window of two ends, finite, above 0 and at most an hour", () => {
    for (const inputs of [
      { targetStart: 1 },
      { targetEnd: 1, targetDuration: 3 },
      { targetStart: 2, targetEnd: 2 },
      { targetStart: 3, targetEnd: 2 },
      { targetStart: 0, targetEnd: 3600.001 },
      { targetDuration: 0 },
      { targetDuration: -1 },
      { targetDuration: Number.NaN },
      { targetDuration: Number.POSITIVE_INFINITY },
      { targetDuration: 3601 },
    ]) {
      expect(
        codeOf(() => chooseTarget(inputs, 5)),
        JSON.stringify(inputs),
      ).toBe("FIT_TARGET_INVALID");
    }
    expect(chooseTarget({ targetDuration: 3600 }, undefined).seconds).toBe(3600);
  });
});

test("a sound whose samples rounded to none at a lower rate has nothing to fit", () => {
  expect(codeOf(() => decideFit(0, RATE, saved(1), SETTINGS))).toBe("MEDIA_EMPTY");
});

describe("a sound of 10 s", () => {
  const fit = (seconds: number, changed: Partial<FitSettings> = {}) =>
    decideFit(10 * RATE, RATE, saved(seconds), { ...SETTINGS, ...changed });

  test("within 10 ms of its target stays as it is, with silence or a cut at its end", () => {
    expect(fit(10.01)).toMatchObject({
      outcome: "unchanged",
      appliedSpeed: 1,
      stretchedFrames: 480_000,
      paddedFrames: 480,
      frames: 480_480,
    });
    expect(fit(9.99)).toMatchObject({
      outcome: "unchanged",
      stretchedFrames: 479_520,
      paddedFrames: 0,
      frames: 479_520,
    });
    // Exactly 10 ms, as floats too.
    expect(decideFit(960, RATE, saved(0.01), SETTINGS).outcome).toBe("unchanged");
    expect(decideFit(1.01 * RATE, RATE, saved(1), SETTINGS).outcome).toBe("unchanged");
    expect(fit(10.011).outcome).toBe("fitted");
    expect(fit(9.989).outcome).toBe("fitted");
  });

  test("at a bound of the speed is within it, whatever its quotient of floats is", () => {
    const strict: FitSettings = { ...SETTINGS, onOutOfRange: "fail" };
    for (let tenths = 1; tenths <= 600; tenths++) {
      const target = saved(tenths / 10);
      for (const speed of [0.8, 1.25]) {
        const frames = Math.round((speed * tenths * RATE) / 10);
        const fitted = decideFit(frames, RATE, target, strict);
        expect(fitted.outcome).toBe("fitted");
        expect(checkFit(fitted, target, RATE, strict).checks.every(({ passed }) => passed)).toBe(
          true,
        );
      }
    }
  });

  test("within the bounds is stretched to the sample", () => {
    for (const seconds of [8, 8.123456, 12.5]) {
      expect(fit(seconds)).toMatchObject({
        outcome: "fitted",
        appliedSpeed: 10 / seconds,
        frames: Math.round(seconds * RATE),
        paddedFrames: 0,
      });
    }
  });

  test("too short for its target is slowed to the bound and padded, unless it must not be", () => {
    expect(fit(20)).toMatchObject({
      outcome: "clamped",
      requestedSpeed: 0.5,
      appliedSpeed: 0.8,
      stretchedFrames: 600_000,
      paddedFrames: 360_000,
      frames: 960_000,
    });
    expect(fit(20, { padShort: false })).toMatchObject({ paddedFrames: 0, frames: 600_000 });
  });

  test("too long for its target is quickened to the bound and never cut", () => {
    expect(fit(4)).toMatchObject({
      outcome: "clamped",
      appliedSpeed: 1.25,
      frames: 384_000,
      paddedFrames: 0,
    });
  });

  test("outside of the bounds fails or warns as it is set, and never beyond 0.25 to 4", () => {
    expect(codeOf(() => fit(20, { onOutOfRange: "fail" }))).toBe("FIT_OUT_OF_RANGE");
    expect(fit(20, { onOutOfRange: "warn" })).toMatchObject({
      outcome: "warned",
      appliedSpeed: 0.5,
      frames: 960_000,
    });
    expect(fit(40, { onOutOfRange: "warn" }).outcome).toBe("warned");
    expect(fit(2.5, { onOutOfRange: "warn" }).outcome).toBe("warned");
    expect(codeOf(() => fit(40.1, { onOutOfRange: "warn" }))).toBe("FIT_OUT_OF_RANGE");
    expect(codeOf(() => fit(2.49, { onOutOfRange: "warn" }))).toBe("FIT_OUT_OF_RANGE");
    expect(fit(100).outcome).toBe("clamped");
  });

  test("has a report and checks of what was done", () => {
    const target: FitTarget = { seconds: 4, source: "window" };
    const clamped = fit(4);
    expect(fitResults(clamped, target)).toEqual({
      target_seconds: 4,
      target_source: "window",
      requested_speed: 2.5,
      applied_speed: 1.25,
      outcome: "clamped",
      padded_samples: 0,
    });
    expect(actualDuration(clamped, RATE)).toBe(8);
    const failed = (seconds: number, changed: Partial<FitSettings> = {}) => {
      const settings = { ...SETTINGS, ...changed };
      const check = checkFit(fit(seconds, changed), saved(seconds), RATE, settings);
      return [check.passed, check.checks.filter((c) => !c.passed).map(({ id }) => id)];
    };
    expect(failed(4)).toEqual([false, ["duration", "speed"]]);
    expect(failed(4, { toleranceSeconds: 4 })).toEqual([true, ["speed"]]);
    expect(failed(20)).toEqual([true, ["speed"]]);
    expect(failed(12)).toEqual([true, []]);
    expect(failed(10.01)).toEqual([true, []]);
  });
});
