/**
 * The hostile fonts and PDFs to merge, all read in one process of little memory. The drawings have their own such test
 * (`svg/hostile-drawings.test.ts`); pictures are in `flat-memory.test.ts`.
 */
import "../../support/only-in-proof.ts";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MB = 1024 * 1024;
const TIMEOUT_MS = 120_000;
const NODE = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url).href);
const READ_ALL = fileURLToPath(
  new URL("../../support/render/read-hostile.ts", import.meta.url).href,
);

/** Reads a corpus with a limit of the heap's old generation. Rejects if the process needs more. */
async function read(kind: string, heapMaxMb: number, ...more: string[]) {
  const { stdout } = await promisify(execFile)(NODE, [
    "--experimental-strip-types",
    "--no-warnings",
    `--max-old-space-size=${heapMaxMb}`,
    READ_ALL,
    kind,
    ...more,
  ]);
  return JSON.parse(stdout) as { readonly count: number; readonly mostBytes: number };
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
