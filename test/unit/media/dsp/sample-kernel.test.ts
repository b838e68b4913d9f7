/** samples.wasm: the committed bytes, that their source gives these bytes, and that they compute what JavaScript does. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { roundBlock } from "../../../../src/media/dsp/rounding.ts";
import { SampleKernel } from "../../../../src/media/dsp/sample-kernel.ts";
import { noise } from "../../../support/media/signals.ts";
import { samplesModule } from "../../../support/media/wasm-modules.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const SOURCES = join(ROOT, "wasm/samples");
const committed = readFileSync(join(ROOT, "src/media/dsp/samples.wasm"));
const kernel = new SampleKernel(samplesModule());

const HAS_TOOLS = ["clang-19", "wasm-ld-19"].every(
  (program) => spawnSync(program, ["--version"]).error === undefined,
);

/** All halves between integers of 16 bits, their neighbors, values beyond full scale, and what is not a number. */
function hardSamples(): Float32Array {
  const halves = Array.from({ length: 65_600 }, (_none, i) => (i - 32_800 + 0.5) / 32_768);
  const near = halves.flatMap((x) => [x * (1 + 2 ** -23), x * (1 - 2 ** -23)]);
  const odd = [
    1,
    -1,
    1.5,
    -1.5,
    1e8,
    -1e8,
    3e38,
    -3e38,
    Infinity,
    -Infinity,
    Number.NaN,
    -0,
    1e-40,
  ];
  return Float32Array.from([...halves, ...near, ...odd]);
}

function shorts(block: readonly Float32Array[]): Uint8Array {
  const out = new Int16Array(block.length * block[0]!.length);
  roundBlock(block, 16, out);
  return new Uint8Array(out.buffer);
}

function expectSame(bytes: Uint8Array, expected: Uint8Array): void {
  expect(Buffer.compare(bytes, expected)).toBe(0);
}

function parts(samples: Float32Array, frames: number): Float32Array[] {
  return Array.from({ length: Math.ceil(samples.length / frames) }, (_none, i) =>
    samples.subarray(i * frames, (i + 1) * frames),
  );
}

describe("the loops over samples", () => {
  it("round every sample as JavaScript does, in one channel and in two", () => {
    for (const samples of parts(hardSamples(), 8_191)) {
      const other = samples.toReversed();
      expectSame(kernel.packShorts([samples]), shorts([samples]));
      expectSame(kernel.packShorts([samples, other]), shorts([samples, other]));
    }
  });

  it.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 8_192])(
    "take exactly %i frames, whatever was there before",
    (frames) => {
      const [left, right] = [noise(frames, 0.9, 1), noise(frames, 0.7, 2)];
      kernel.packShorts([noise(8_192, 0.99, 3), noise(8_192, 0.99, 4)]);
      expectSame(kernel.packShorts([left, right]), shorts([left, right]));
      const most = [...left, ...right].reduce((peak, x) => Math.max(peak, Math.abs(x)), 0);
      expect(kernel.peakOf([left, right])).toBe(most);
    },
  );

  it("find the peak at every place, of any channel, and pass over what is not a number", () => {
    for (let at = 0; at < 19; at++) {
      const samples = new Float32Array(19).fill(Number.NaN);
      samples[at] = at % 2 === 0 ? -0.75 : 0.75;
      expect(kernel.peakOf([new Float32Array(19), samples])).toBe(0.75);
      expect(kernel.peakOf([samples, new Float32Array(19), new Float32Array(19)])).toBe(0.75);
    }
    expect(kernel.peakOf([Float32Array.of(-Infinity, 3)])).toBe(Infinity);
  });
});

describe("the module of the loops", () => {
  it("is the one that wasm/samples/modules.sha256 names", () => {
    const [hash] = readFileSync(join(SOURCES, "modules.sha256"), "utf8").split("  ");
    expect(createHash("sha256").update(committed).digest("hex")).toBe(hash);
  });

  it("imports its memory, and exports three functions", () => {
    const module = samplesModule();
    expect(WebAssembly.Module.imports(module)).toEqual([
      { module: "env", name: "memory", kind: "memory" },
    ]);
    expect(WebAssembly.Module.exports(module).map(({ name }) => name)).toEqual([
      "peak",
      "pack_mono",
      "pack_stereo",
    ]);
  });

  it.skipIf(!HAS_TOOLS)("is made by wasm/samples/build.sh to the byte", () => {
    const folder = mkdtempSync(join(tmpdir(), "kernel-"));
    try {
      const made = join(folder, "made.wasm");
      expect(spawnSync(join(SOURCES, "build.sh"), [made]).status).toBe(0);
      expect(readFileSync(made).equals(committed)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
