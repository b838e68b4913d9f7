import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeErrorGuide } from "../../../src/lib/errors/node-error-guides.ts";

const ROOT = join(import.meta.dirname, "../../..");

async function sources(): Promise<string> {
  const texts: string[] = [];
  for (const folder of ["src", "queues", "durable-objects"]) {
    for (const entry of await readdir(join(ROOT, folder), { recursive: true })) {
      if (entry.endsWith(".ts") && !entry.includes(".wrangler")) {
        texts.push(await readFile(join(ROOT, folder, entry), "utf8"));
      }
    }
  }
  return texts.join("\n");
}

test("every code of a node's failure has its own sentence in the trace", async () => {
  const source = await sources();
  const thrown = [...source.matchAll(/\bnew NodeError\(\s*"([A-Z_]+)"/g)].map(([, code]) => code);
  const union = /export type DatasetErrorCode =([^;]+);/.exec(source)?.[1] ?? "";
  const ofDatasets = [...union.matchAll(/"([a-z_]+)"/g)].map(([, code = ""]) => code.toUpperCase());
  expect(thrown.length).toBeGreaterThan(20);
  expect(ofDatasets).toContain("INVALID_DATA");
  const general = nodeErrorGuide("NO_SUCH_CODE");
  const without = [...new Set([...thrown, ...ofDatasets])].filter(
    (code = "") => nodeErrorGuide(code) === general,
  );
  expect(without).toEqual([]);
});

test("a code with the name of a member of Object is a normal code", () => {
  expect(nodeErrorGuide("constructor")).toBe(nodeErrorGuide("NO_SUCH_CODE"));
});
