/** The end of a slice changes nothing [E12]: neither a run's results nor its failure messages. */
import { describe, expect, it } from "vitest";
import type { Definition } from "../../src/contracts/workflows/definition.ts";
import { plainOutcome } from "./plain-outcome.ts";
import { randomGraph } from "./random-graph.ts";
import { runEngine } from "./run-engine.ts";
import { SeededRandom } from "./seeded-random.ts";
import { findSimulatedNode, referenceOutcome } from "./simulate-seed.ts";

const SEEDS = 150;

describe("short slices", () => {
  it("[E12] have the reference's result, each with its own length, in a hostile world", async () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const graph = randomGraph(seed, findSimulatedNode);
      const random = new SeededRandom(seed);
      const actual = await runEngine({
        ...graph,
        findNodeType: findSimulatedNode,
        seed,
        sliceWorkMax: () => random.int(1, 12),
      });
      expect(plainOutcome(actual), `seed ${seed}`).toEqual(
        plainOutcome(await referenceOutcome(graph)),
      );
    }
  });

  it("[E12] leave the same rows as long ones, for more elements than a long one processes", async () => {
    const [long, ...others] = await Promise.all([2_000, 100, 701].map((max) => fanOut(4_321, max)));
    for (const short of others) {
      expect(short?.commits).toBeGreaterThan(long?.commits ?? Infinity);
      expect(short?.state).toEqual(long?.state);
      expect(short?.cells).toEqual(long?.cells);
    }
    expect(long?.state.status).toBe("completed");
  });

  it("[E12] [E15] count a list that is too long as long ones do", async () => {
    const [long, ...others] = await Promise.all(
      [2_000, 100, 333].map((max) => fanOut(30_000, max)),
    );
    for (const short of others) {
      expect(short?.state).toEqual(long?.state);
      expect(short?.cells).toEqual(long?.cells);
    }
    expect(JSON.stringify(long?.state)).toContain("ITERATION_LIMIT_EXCEEDED");
  });
});

/** A list of lines, each processed and all joined again, in slices of this much work. */
async function fanOut(items: number, workMax: number) {
  const link = (from: string, port: string, to: string, toPort: string) => ({
    from: { node: from, port },
    to: { node: to, port: toPort },
  });
  const definition = {
    nodes: [
      { id: "items", type: "enumerate/range", parameters: { start: 1, end: items } },
      {
        id: "text",
        type: "text/template",
        parameters: { template: "[n]", placeholders: [{ inputPort: "n" }] },
      },
      {
        id: "all",
        type: "aggregate/json",
        parameters: { jsonAggregateConfig: { columns: [{ inputPort: "text" }] } },
      },
      { id: "out", type: "output/json", parameters: { key: "out" } },
    ],
    connections: [
      link("items", "value", "text", "n"),
      link("text", "text", "all", "text"),
      link("all", "json", "out", "json"),
    ],
  } as unknown as Definition;
  const { rows } = await runEngine({
    definition,
    findNodeType: findSimulatedNode,
    inputs: new Map(),
    sliceWorkMax: () => workMax,
  });
  const cells = [0, 1, 2, 3].map((node) => rows.cellsBetween(node, 0, 100_000));
  return { commits: rows.commits, state: rows.state, cells };
}
