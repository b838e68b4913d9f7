/** Results of a source that are found by what their elements received, wherever they are. */
import { describe, expect, it } from "vitest";
import { restoreLayout } from "../../../../src/engine/drive/restore-layout.ts";
import { Elsewhere } from "../../../../src/engine/reuse/elsewhere.ts";
import { ReceivedHash } from "../../../../src/engine/reuse/received-hash.ts";
import type { SourceRun } from "../../../../src/engine/reuse/source-run.ts";
import { readOutputs } from "../../../../src/engine/values/cell-outputs.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { plainOutcome } from "../../../simulation/plain-outcome.ts";
import { defineGraph } from "../../../simulation/define-graph.ts";
import { type EngineRequest, runEngine } from "../../../simulation/run-engine.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

const DEFINITION = defineGraph(
  [
    ["rows", "input/json"],
    ["work", "fake/task", { refuse_percent: 0, fault_percent: 0 }],
    ["out", "output/json"],
  ],
  ["rows.item > work.value", "work.out > out.json"],
);

function run(items: readonly JsonValue[], more: Partial<EngineRequest> = {}) {
  return runEngine({
    definition: DEFINITION,
    findNodeType: findSimulatedNode,
    inputs: new Map([["rows", items]]),
    ...more,
  });
}

/** An ended run of these rows as a source, in which the elements of `failed` are not ok. */
async function sourceOf(items: readonly JsonValue[], failed: readonly number[]) {
  const { plan, rows } = await run(items);
  const node = plan.nodes.find(({ id }) => id === "work")!;
  const read: { readonly node: number; readonly element: number }[] = [];
  const layout = restoreLayout(plan, rows.state, rows);
  const source: SourceRun = {
    id: "source",
    plan,
    versions: plan.nodes.map(({ type }) => type.version),
    state: rows.state,
    layout,
    rows: {
      cells: (wanted) =>
        [...wanted].flatMap(([of, elements]) => {
          read.push(...elements.map((element) => ({ node: of, element })));
          return rows
            .cellsAt(of, elements)
            .map((row) =>
              of === node.index && failed.includes(row.element)
                ? { ...row, status: "failed" as const, body: "{}" }
                : row,
            );
        }),
    },
    axisRows: (axis) => rows.axisRows(axis),
    notes: new Map(),
  };
  const digestAt = (element: number) =>
    new ReceivedHash(node, layout)
      .add(element, (of, at) => {
        const [row] = rows.cellsAt(of, [at]);
        return row && { status: row.status, outputs: readOutputs(row.body) };
      })
      .digest()!;
  const results = () => read.flatMap(({ node: of, element }) => (of === node.index ? element : []));
  return { elsewhere: new Elsewhere(source, () => true), node, digestAt, results };
}

describe("[E40] a result from another place", () => {
  const ITEMS = Array.from({ length: 400 }, (_, at) => (at % 2 === 0 ? "same" : `row ${at}`));

  it("is the first ok one of those that received the same, and no other result is read", async () => {
    const { elsewhere, node, digestAt, results } = await sourceOf(ITEMS, [0, 2, 4, 7]);
    const [same, alone, failed] = [digestAt(0), digestAt(9), digestAt(7)];
    expect(await elsewhere.find(node, alone)).toEqual({ node: node.index, element: 9 });
    expect(results()).toEqual([9]);
    expect(await elsewhere.find(node, same)).toEqual({ node: node.index, element: 6 });
    expect(await elsewhere.find(node, failed)).toBeUndefined();
    expect(await elsewhere.find(node, "another")).toBeUndefined();
    expect(results().filter((element) => element % 2 === 1)).toEqual([9, 7]);
  });

  it("is looked for once where many received the same and none is ok", async () => {
    const failed = ITEMS.flatMap((item, at) => (item === "same" ? at : []));
    const { elsewhere, node, digestAt, results } = await sourceOf(ITEMS, failed);
    for (let time = 0; time < 3; time += 1) {
      expect(await elsewhere.find(node, digestAt(0))).toBeUndefined();
    }
    expect(results()).toEqual(failed);
  });

  it("is received by what reads it, also where the source has another one at that place", async () => {
    const items = Array.from({ length: 40 }, (_, at) => `row ${at}`);
    const turned = items.toReversed();
    const retry = await run(turned, {
      source: await run(items),
      isCacheableAlways: (type) => type.startsWith("fake/"),
    });
    expect(retry.executed).toEqual([]);
    expect(plainOutcome(retry).outputs).toEqual(plainOutcome(await run(turned)).outputs);
  });
});
