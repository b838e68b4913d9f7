import { expect, it } from "vitest";
import { KeptRuns } from "../../../../src/render/shaping/kept-runs.ts";
import { liveBytes } from "../../../support/datasets/live-bytes.ts";

const MB = 1024 * 1024;

it("keeps runs without the long texts that they are parts of", () => {
  const runs = new KeptRuns(100_000);
  const before = liveBytes();
  for (let i = 0; i < 40; i += 1) {
    const text = `${i} ${"ab ".repeat(MB / 3)}`;
    runs.keep("face", "options", text.slice(0, 30), { length: 0, records: new Int32Array(0) });
  }
  // The texts are 40 MB.
  expect(liveBytes() - before).toBeLessThan(4 * MB);
  expect(runs.find("face", "options", `7 ${"ab ".repeat(10)}`.slice(0, 30))).toBeDefined();
});
