import { describe, expect, it } from "vitest";
import { ChannelMixer, mixingGains } from "../../../../src/media/dsp/down-mix.ts";

const HALF_POWER = Math.SQRT1_2;
const mixed = (to: 1 | 2, ...samples: readonly number[]) =>
  new ChannelMixer(samples.length, to)
    .process(samples.map((sample) => Float32Array.of(sample)))
    .map(([sample]) => sample);
const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 4));

describe("channels that become fewer", () => {
  it("are mixed to stereo by ITU-R BS.775, without the LFE", () => {
    // L R C LFE Ls Rs, each a power of two of its own.
    const [l, r, c, lfe, ls, rs] = [1, 2, 4, 8, 16, 32] as const;
    const q = HALF_POWER;
    expect(mixed(2, l, r, c, lfe, ls, rs)).toEqual(near([l + q * (c + ls), r + q * (c + rs)]));
    expect(mixed(2, l, r, c, ls, rs)).toEqual(near([l + q * (c + ls), r + q * (c + rs)]));
    expect(mixed(2, l, r, ls, rs)).toEqual(near([l + q * ls, r + q * rs]));
    expect(mixed(2, l, r, c)).toEqual(near([l + q * c, r + q * c]));
    expect(mixed(2, 1, 2, 4, 8, 16, 32, 64)).toEqual(
      near([1 + q * (4 + 16 + 32), 2 + q * (4 + 16 + 64)]),
    );
    expect(mixed(2, 1, 2, 4, 8, 16, 32, 64, 128)).toEqual(
      near([1 + q * (4 + 16 + 64), 2 + q * (4 + 32 + 128)]),
    );
  });

  it("are mixed to mono as half of left and right", () => {
    expect(mixed(1, 0.5, -0.25)).toEqual([0.125]);
    expect(mixed(1, 1, 2, 4, 8, 16, 32)).toEqual(
      near([(1 + 2 + 2 * HALF_POWER * 4 + HALF_POWER * (16 + 32)) / 2]),
    );
    expect(mixed(1, 0.3)).toEqual(near([0.3]));
  });

  it("leave the LFE out for each number of channels that has one", () => {
    for (const channels of [6, 7, 8]) {
      expect(mixingGains(channels, 2).map((gains) => gains[3])).toEqual([0, 0]);
    }
    expect(() => mixingGains(9, 2)).toThrow(RangeError);
    expect(() => mixingGains(0, 1)).toThrow(RangeError);
  });
});

describe("channels that need no mix", () => {
  it("are the same samples, and mono is on both sides", () => {
    const [left, right] = [Float32Array.of(0.1), Float32Array.of(0.2)];
    expect(new ChannelMixer(2, 2).process([left, right])).toEqual([left, right]);
    const [first, second] = new ChannelMixer(1, 2).process([left]);
    expect([first, second]).toEqual([left, left]);
  });
});
