/** The measurement of start-up times that `npm run check:deploy` makes. */
import "../../support/only-in-proof.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measureStart } from "../../../scripts/measure-start.ts";

async function startOf(topLevel: string): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "edgeloom-start-"));
  try {
    const text = `${topLevel}\nexport default { fetch: () => new Response() };`;
    await writeFile(join(folder, "worker.js"), text);
    return await measureStart(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("work at the top level of a Worker is counted, and what its handlers would do is not", async () => {
  const work = (rounds: number) =>
    `let sum = 0; for (let i = 0; i < ${rounds}; i += 1) { sum = (sum * 31 + i) % 1_000_003; }`;
  const idle = await startOf(`function later() { ${work(2e8)} return sum; }`);
  const busy = await startOf(work(2e8));
  expect(idle).toBeDefined();
  expect(busy! - idle!).toBeGreaterThan(300);
});
