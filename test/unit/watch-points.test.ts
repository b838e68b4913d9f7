/**
 * The places at which the tests of the memory budget stop the Workers are in the current bundle.
 * Those tests run in the proof; this test finds a renamed variable earlier.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import * as watchPoints from "../support/node/live-bytes/watch-points.ts";

const { FAULTS, MEMORY_FAULTS, PICTURE_POINTS: _, ...POINTS } = watchPoints;
const PLACES = Object.entries({ ...POINTS, ...FAULTS, ...MEMORY_FAULTS }).map(
  ([name, { before }]) => [name, before] as const,
);

const codeOf = async (entry: string) =>
  (await bundleWorker(fileURLToPath(new URL(`../../${entry}`, import.meta.url).href)))
    .flatMap(({ type, contents }) => (type === "ESModule" ? [contents] : []))
    .join("\n");

test("every place is once in the code of a Worker, and never twice", async () => {
  const workers = await Promise.all(
    [
      "src/worker.ts",
      "src/workers/runner/runner.ts",
      "src/workers/renderer/renderer.ts",
      "src/workers/media/media.ts",
    ].map(codeOf),
  );
  const found = PLACES.map(([name, before]) => {
    const times = workers.map((code) => [...code.matchAll(new RegExp(before, "g"))].length);
    return [name, Math.max(...times)] as const;
  });
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(PLACES.map(([name]) => [name, 1])));
});
