import { expect, it } from "vitest";
import { restoreLayout } from "../../../../src/engine/drive/restore-layout.ts";
import { isEnumerator } from "../../../../src/engine/plan/node-kind.ts";
import { countNeeded } from "../../../../src/engine/reuse/count-needed.ts";
import type { Rerun } from "../../../../src/engine/reuse/forced-elements.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { defineGraph } from "../../../simulation/define-graph.ts";
import { type EngineOutcome, runEngine } from "../../../simulation/run-engine.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

const ROWS = Array.from({ length: 12 }, (_, row) => `row ${row}`);
const NEVER = { refuse_percent: 0, fault_percent: 0 };

async function ran(refuse_percent: number): Promise<EngineOutcome> {
  return runEngine({
    definition: defineGraph(
      [
        ["rows", "input/json"],
        ["title", "input/json_value"],
        ["draw", "fake/task", { seed: 5, refuse_percent, fault_percent: 0 }],
        ["after", "fake/task", NEVER],
        ["cover", "fake/task", NEVER],
        ["all", "aggregate/json", { jsonAggregateConfig: { columns: [{ inputPort: "drawn" }] } }],
        ["report", "fake/task", NEVER],
        ["out", "output/json"],
      ],
      [
        "rows.item > draw.value",
        "draw.out > after.value",
        "title.json > cover.value",
        "draw.out > all.drawn",
        "all.json > report.value",
        "report.out > out.json",
      ],
    ),
    findNodeType: findSimulatedNode,
    inputs: new Map<string, JsonValue>([
      ["rows", ROWS],
      ["title", "a title"],
    ]),
  });
}

function needed({ plan, rows }: EngineOutcome, rerun?: Rerun): Record<string, number> {
  const layout = restoreLayout(plan, rows.state, rows);
  const settled = (node: EngineOutcome["plan"]["nodes"][number]) =>
    isEnumerator(node)
      ? rows.axisRows(node.axis).map(({ parent, status }) => ({ element: parent, status }))
      : rows.cellsOf(node.index);
  const counts = countNeeded({ plan, state: rows.state, layout, settled }, rerun);
  return Object.fromEntries([...counts].map(([{ id }, count]) => [id, count]));
}

it("[E39] counts what failed, and all that depends on it", async () => {
  const source = await ran(50);
  const failed = source.cells.get("draw")!.filter(({ state }) => state === "failed").length;
  expect(failed).toBeGreaterThan(1);
  expect(failed).toBeLessThan(ROWS.length);
  expect(needed(source)).toMatchObject({
    draw: failed,
    after: failed,
    cover: 0,
    all: 1,
    report: 1,
    out: 1,
  });
});

it("[E38] counts the elements of a rerun, and all that depends on them", async () => {
  const source = await ran(0);
  const none = { draw: 0, after: 0, cover: 0, all: 0, report: 0, out: 0 };
  expect(needed(source)).toMatchObject(none);
  expect(needed(source, { node: "draw", indices: [[3], [3], [7]] })).toMatchObject({
    ...none,
    draw: 2,
    after: 2,
    all: 1,
    report: 1,
    out: 1,
  });
  expect(needed(source, { node: "after" })).toMatchObject({ ...none, after: 12 });
  expect(needed(source, { node: "cover" })).toMatchObject({ ...none, cover: 1 });
  // Its elements are known only once the retry has opened the axis again.
  expect(needed(source, { node: "rows" })).not.toHaveProperty("draw");
});
