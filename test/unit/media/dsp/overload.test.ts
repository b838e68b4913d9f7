import { describe, expect, it } from "vitest";
import type { AudioBlock } from "../../../../src/media/audio-block.ts";
import { OverloadMeter, writeWithoutOverload } from "../../../../src/media/dsp/overload.ts";
import { samplesModule } from "../../../support/media/wasm-modules.ts";

function sumOf(...blocks: readonly (readonly number[])[]) {
  let runs = 0;
  return {
    get runs() {
      return runs;
    },
    async *sum(): AsyncGenerator<AudioBlock> {
      runs++;
      for (const block of blocks) {
        yield await Promise.resolve([Float32Array.from(block)]);
      }
    },
  };
}

class Writings {
  readonly all: { samples: number[]; state: "open" | "ended" | "aborted" }[] = [];
  fails = false;

  readonly begin = () => {
    const own = { samples: [] as number[], state: "open" as "open" | "ended" | "aborted" };
    this.all.push(own);
    return {
      write: (block: AudioBlock) => {
        if (this.fails) {
          return Promise.reject(new Error("the store is down"));
        }
        expect(own.state).toBe("open");
        own.samples.push(...(block[0] ?? []));
        return Promise.resolve();
      },
      end: () => {
        own.state = "ended";
        return Promise.resolve(own.samples);
      },
      abort: () => {
        expect(own.state).toBe("open");
        own.state = "aborted";
        return Promise.resolve();
      },
    };
  };
}

const samples = samplesModule();

describe("a sum", () => {
  it("that does not exceed full scale is computed and written once, unchanged", async () => {
    const source = sumOf([0.5, -1], [1, 0.25]);
    const writings = new Writings();
    const result = await writeWithoutOverload(samples, () => source.sum(), writings.begin);
    expect(result).toEqual({ written: [0.5, -1, 1, 0.25], overloadGainDb: 0 });
    expect([source.runs, writings.all.length]).toEqual([1, 1]);
  });

  it("that exceeds it is turned down as a whole to a peak of exactly 0 dBFS", async () => {
    const source = sumOf([0.5, 1.1], [-2.3, 0.25]);
    const writings = new Writings();
    const { written, overloadGainDb } = await writeWithoutOverload(
      samples,
      () => source.sum(),
      writings.begin,
    );
    expect(Math.max(...written.map(Math.abs))).toBe(1);
    expect(written[0]).toBeCloseTo(0.5 / 2.3, 6);
    expect(overloadGainDb).toBeCloseTo(-20 * Math.log10(2.3), 5);
    expect(source.runs).toBe(2);
    expect(writings.all.map(({ state }) => state)).toEqual(["aborted", "ended"]);
  });

  it("leaves nothing if writing or computing it fails", async () => {
    const failing = new Writings();
    failing.fails = true;
    await expect(
      writeWithoutOverload(samples, () => sumOf([0.5]).sum(), failing.begin),
    ).rejects.toThrow("the store is down");
    expect(failing.all.map(({ state }) => state)).toEqual(["aborted"]);
    const writings = new Writings();
    const broken = async function* (): AsyncGenerator<AudioBlock> {
      yield* sumOf([0.5]).sum();
      throw new Error("a clip is damaged");
    };
    await expect(writeWithoutOverload(samples, broken, writings.begin)).rejects.toThrow(
      "a clip is damaged",
    );
    expect(writings.all.map(({ state }) => state)).toEqual(["aborted"]);
  });
});

describe("the meter of a sum", () => {
  it("has the gain for each peak that a float can have", () => {
    const meter = new OverloadMeter(samples);
    for (let i = 1; i <= 2_000; i++) {
      // Greater than the one before.
      const peak = Math.fround(1 + i * 0.00731);
      meter.add([Float32Array.of(0.1, -peak), Float32Array.of(Number.NaN, 0)]);
      expect([meter.peak, Math.fround(peak * meter.gain)]).toEqual([peak, 1]);
    }
  });
});
