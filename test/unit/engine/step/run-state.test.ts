import { describe, expect, test } from "vitest";
import { encodeState } from "../../../../durable-objects/run/state/state-text.ts";
import { defineGraph } from "../../../simulation/define-graph.ts";
import { randomGraph } from "../../../simulation/random-graph.ts";
import { type EngineOutcome, runEngine } from "../../../simulation/run-engine.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

const SEEDS = 60;

describe("the state of a run", () => {
  test("[E19] is as long for thousands of elements as for two, except for the digits of its counters", async () => {
    const stateOf = async (elements: number) => {
      const { rows } = await runEngine({
        definition: defineGraph(
          [
            ["items", "enumerate/range", { start: 1, end: elements }],
            ["line", "text/template", { template: "[n]", placeholders: [{ inputPort: "n" }] }],
            ["all", "aggregate/text"],
            ["out", "output/text"],
            ["each", "output/text"],
          ],
          [
            "items.value > line.n",
            "line.text > all.text",
            "all.text > out.text",
            "line.text > each.text",
          ],
        ),
        findNodeType: findSimulatedNode,
        inputs: new Map(),
      });
      expect(rows.state.nodes.some(({ ok }) => ok === elements)).toBe(true);
      return encodeState(rows.state).replaceAll(/\d+/g, "0");
    };
    expect(await stateOf(4_000)).toBe(await stateOf(2));
  });

  test("[E19] and the rows of elements equal those of a world without faults, however often the process died between two commits", async () => {
    let crashes = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const graph = randomGraph(seed, findSimulatedNode);
      const calm = await runEngine({ ...graph, findNodeType: findSimulatedNode });
      const hostile = await runEngine({ ...graph, findNodeType: findSimulatedNode, seed });
      expect([seed, leftBy(hostile)]).toEqual([seed, leftBy(calm)]);
      crashes += hostile.crashes;
    }
    // A world without crashes would prove little.
    expect(crashes).toBeGreaterThan(SEEDS / 2);
  });
});

function leftBy({ plan, rows }: EngineOutcome) {
  return {
    state: rows.state,
    cells: plan.nodes.map(({ index }) => rows.cellsOf(index)),
    axes: plan.axes.map(({ index }) => rows.axisRows(index)),
    skipped: [...rows.skippedItems.values()].toSorted((a, b) => a.node - b.node),
  };
}
