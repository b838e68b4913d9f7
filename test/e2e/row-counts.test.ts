/** Counts the rows and operations of docs/row-counts.md again; only in the proof, since it takes minutes. */
import "../support/only-in-proof.ts";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { startCountingService } from "../../bench/counting-service.ts";
import { type CountedLives, countRows } from "../../bench/scale/count-rows.ts";
import { readRowCounts, strayCounts } from "../../bench/scale/row-counts.ts";

const FILE = new URL("../../docs/row-counts.md", import.meta.url);
const TIME_MAX_MS = 900_000;

/** Returns the differences from docs/row-counts.md. */
async function strayIn(
  lives: readonly CountedLives[] | undefined,
  fault?: Parameters<typeof startCountingService>[0],
): Promise<string[]> {
  const service = await startCountingService(fault);
  try {
    const written = readRowCounts(await readFile(FILE, "utf8"));
    const stray = strayCounts(written, await countRows(service, lives));
    // On a busy machine fewer reports may coincide. A fault shows each time, so once is enough where one is planted.
    return stray.length === 0 || fault !== undefined
      ? stray
      : strayCounts(written, await countRows(service, lives));
  } finally {
    await service.stop();
  }
}

test(
  "rows and operations match docs/row-counts.md",
  async () => {
    expect(await strayIn(undefined)).toEqual([]);
  },
  TIME_MAX_MS,
);

test(
  "an additional row for each task is detected",
  async () => {
    const stray = await strayIn(["by 16"], {
      worker: "edgeloom",
      // In `BlockRows.write`; the bundler numbers its names.
      from: /this\.#moveOutcomes\((block\d*)\);/,
      to: 'for (const { id } of $1.tasks.values()) this.#parts.put(`x.${id}`, "1"); $&',
    });
    expect(stray.join("\n")).toContain("a task of a fan-out, reported by 16, rows written");
  },
  TIME_MAX_MS,
);

test(
  "a write to R2 for each file of a quick fan-out is detected",
  async () => {
    const stray = await strayIn(["files"], {
      worker: "edgeloom-runner",
      from: "left -= one.file.sizeBytes;",
      to: "left = -1;",
    });
    expect(stray.join("\n")).toContain("a task that makes a file of 20 KiB, R2 puts: 1 ");
  },
  TIME_MAX_MS,
);
