/**
 * The hostile pictures, fonts and PDFs to merge, all read in one process of little memory. The drawings have their own such test
 * (`svg/hostile-drawings.test.ts`).
 */
import "../../support/only-in-proof.ts";
import { execFile } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/lib/limits/limits-table.ts";
import { HOSTILE_FILES } from "../../support/images/hostile-files.ts";
import { PICTURE_BOMBS } from "../../support/images/picture-bombs.ts";

const MB = 1024 * 1024;
const TIMEOUT_MS = 180_000;
/** Pictures that take most without the bound, and without stripes. */
const FAULTY = new Set(["a WebP of 4500 × 4500", "a PNG of 8192 × 8192 with opacity"]);
const NODE = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url).href);
const READ_ALL = fileURLToPath(
  new URL("../../support/render/read-hostile.ts", import.meta.url).href,
);

/** Reads a corpus with a limit of the heap's old generation. Rejects if the process needs more. */
async function read(kind: string, heapMaxMb: number, ...more: string[]) {
  const { stdout } = await promisify(execFile)(NODE, [
    "--experimental-strip-types",
    "--no-warnings",
    "--expose-gc",
    `--max-old-space-size=${heapMaxMb}`,
    READ_ALL,
    kind,
    ...more,
  ]);
  return JSON.parse(stdout) as {
    readonly count: number;
    readonly mostBytes: number;
    readonly mostLeased: number;
    readonly outcomes: readonly string[];
  };
}

test.each([
  { kind: "fonts", countMin: 150, heapMaxMb: 64, bytesMax: 192 * MB },
  // One has 100,000 objects.
  { kind: "pdfs", countMin: 40, heapMaxMb: 128, bytesMax: 256 * MB },
])(
  "all hostile $kind are read in a heap of $heapMaxMb MB",
  { timeout: TIMEOUT_MS },
  async ({ kind, countMin, heapMaxMb, bytesMax }) => {
    const { count, mostBytes } = await read(kind, heapMaxMb);
    process.stderr.write(
      `hostile ${kind}: ${(mostBytes / MB).toFixed(0)} MB of the process beyond its start\n`,
    );
    expect(count).toBeGreaterThanOrEqual(countMin);
    // With wasm and buffers, and what the process has not given back.
    expect(mostBytes).toBeLessThan(bytesMax);
    // The limit is one that a leak reaches.
    await expect(read(kind, heapMaxMb, "keep")).rejects.toThrow(/heap out of memory/);
  },
);

test("all hostile pictures are read in a heap of 64 MB", { timeout: 2 * TIMEOUT_MS }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "hostile-pictures-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const [all, large, small] = ["all", "large", "small"].map((name) => join(folder, name));
  for (const path of [all, large, small]) {
    mkdirSync(path!);
  }
  const files = [
    ...PICTURE_BOMBS.map(([name, make]) => [name, make] as const),
    ...HOSTILE_FILES.map((one) => ["", () => one.bytes] as const),
  ];
  for (const [index, [name, make]] of files.entries()) {
    const path = join(all!, String(index));
    writeFileSync(path, make());
    // The faults are found with a few of them.
    if (FAULTY.has(name) || name === "") {
      linkSync(path, join(name === "" ? small! : large!, String(index)));
    }
  }
  const heapMaxMb = 64;
  const bytesMax = 192 * MB;
  const { count, mostBytes, mostLeased, outcomes } = await read("pictures", heapMaxMb, "", all!);
  process.stderr.write(
    `hostile pictures: ${(mostBytes / MB).toFixed(0)} MB of the process beyond its start, ${(mostLeased / MB).toFixed(0)} MB counted\n`,
  );
  expect(count).toBe(files.length);
  expect(new Set(outcomes)).toEqual(new Set(["prints", "too_large", "unreadable"]));
  expect(outcomes.filter((outcome) => outcome === "prints").length).toBeGreaterThan(8);
  expect(mostBytes).toBeLessThan(bytesMax);
  expect(mostLeased).toBeLessThanOrEqual(LIMITS.render_instances.value);

  // Without the bound more is counted, without stripes more is held, and a leak does not fit into the heap.
  const unbounded = await read("pictures", heapMaxMb, "unbounded", large!);
  expect(unbounded.mostLeased).toBeGreaterThan(LIMITS.render_instances.value);
  expect((await read("pictures", heapMaxMb, "whole", large!)).mostBytes).toBeGreaterThan(bytesMax);
  await expect(read("pictures", heapMaxMb, "keep", small!)).rejects.toThrow(/heap out of memory/);
});
