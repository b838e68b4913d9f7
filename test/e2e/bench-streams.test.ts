import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { measureStreams } from "../../bench/measure-streams.ts";

it("the memory of open streams is measured on a service and on a bare one, each with all its streams open", async () => {
  const directory = await mkdtemp(join(tmpdir(), "edgeloom-bench-test-"));
  try {
    const figure = await measureStreams(directory, { streams: 60, rounds: 1 });
    const [onTop, floor] = figure.beside;
    // Sixty streams take more than nothing and less than a thousand may.
    for (const value of [figure.ours, onTop!.value, floor!.value]) {
      expect(value.median).toBeGreaterThan(0);
      expect(value.median).toBeLessThan(64);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
