/** Every graph that once failed, shrunk and kept by `npm run simulate`, and what the engine must never do again. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Definition } from "../../src/contracts/definition.ts";
import { parseJson } from "../../src/lib/exact-json.ts";
import { judgeGraph } from "./judge-seed.ts";

const GOLDEN = join(import.meta.dirname, "../golden");
const names = (await readdir(GOLDEN)).filter((name) => /^simulation-.*\.json$/.test(name));

interface Golden {
  readonly seed: number;
  readonly definition: Definition;
  readonly inputs: readonly (readonly [string, string])[];
}

describe("a graph that once failed", () => {
  it.each(names)(
    "%s gives what the reference gives, in its world and in ten others",
    async (name) => {
      const golden = JSON.parse(await readFile(join(GOLDEN, name), "utf8")) as Golden;
      const inputs = new Map(golden.inputs.map(([id, text]) => [id, parseJson(text)]));
      for (let seed = golden.seed; seed <= golden.seed + 10; seed += 1) {
        expect(await judgeGraph(seed, { definition: golden.definition, inputs })).toBeUndefined();
      }
    },
  );
});
