/** Every graph that once failed, shrunk and stored by `npm run simulate`, with the fault that must not return. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Definition } from "../../src/contracts/workflows/definition.ts";
import { parseJson } from "../../src/lib/json/exact-json.ts";
import { verifyMoneyGraph } from "./verify-money.ts";
import { verifyGraph } from "./verify-seed.ts";
import { verifyWebhookCase, type WebhookCase } from "./webhooks/verify-webhook-case.ts";
import { buildMutated } from "./mutated-simulation.ts";
import type { RandomGraph } from "./random-graph.ts";

const GOLDEN = join(import.meta.dirname, "../golden");
const files = await readdir(GOLDEN);
const names = files.filter((name) => /^simulation-.*\.json$/.test(name));
const moneyNames = files.filter((name) => /^money-.*\.json$/.test(name));
const webhookNames = files.filter((name) => /^webhook-.*\.json$/.test(name));
const objectNames = files.filter((name) => /^object-.*\.json$/.test(name));

interface Golden {
  readonly seed: number;
  readonly definition: Definition;
  readonly inputs: readonly (readonly [string, string])[];
}

async function readGolden(name: string): Promise<{ seed: number; graph: RandomGraph }> {
  const golden = JSON.parse(await readFile(join(GOLDEN, name), "utf8")) as Golden;
  const inputs = new Map(golden.inputs.map(([id, text]) => [id, parseJson(text)]));
  return { seed: golden.seed, graph: { definition: golden.definition, inputs } };
}

describe("a graph that once failed", () => {
  it.each(names)("%s has the reference's result, in its world and in ten others", async (name) => {
    const { seed, graph } = await readGolden(name);
    for (let world = seed; world <= seed + 10; world += 1) {
      expect(await verifyGraph(world, graph)).toBeUndefined();
    }
  });

  it.each(moneyNames)(
    "%s is charged exactly, with credits and cancels, in its world and in ten others",
    async (name) => {
      const { seed, graph } = await readGolden(name);
      for (let world = seed; world <= seed + 10; world += 1) {
        expect(await verifyMoneyGraph(world, graph)).toBeUndefined();
      }
    },
  );

  it.each(objectNames)(
    "%s does not fail again in a run object, in its world and in ten others",
    async (name) => {
      const { simulateObjectGraph } = await buildMutated(undefined);
      const { seed, graph } = await readGolden(name);
      for (let world = seed; world <= seed + 10; world += 1) {
        expect((await simulateObjectGraph(world, graph)).problem).toBeUndefined();
      }
    },
  );
});

describe("an endpoint whose deliveries once failed", () => {
  it.each(webhookNames)("%s loses nothing, in its world and in ten others", async (name) => {
    const world = JSON.parse(await readFile(join(GOLDEN, name), "utf8")) as WebhookCase;
    const { seed, events, killChance, changes } = world;
    for (let each = seed; each <= seed + 10; each += 1) {
      expect(verifyWebhookCase({ seed: each, events, killChance, changes })).toBeUndefined();
    }
  });
});
