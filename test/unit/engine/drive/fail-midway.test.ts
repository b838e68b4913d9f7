import { expect, test } from "vitest";
import { findNodeType } from "../../../../src/nodes/registry.ts";
import { defineGraph } from "../../../simulation/define-graph.ts";
import { runEngine } from "../../../simulation/run-engine.ts";

/** More elements than an enumerator creates before it writes some. */
const MANY = 3_000;

test("[E14] an enumerator that fails midway leaves one blocked element there and none of its written elements", async () => {
  const numbers = Array.from({ length: MANY }, (_, n) => ({ n }));
  const rows = [
    { list: numbers.slice(0, 2) },
    { list: [...numbers, { n: "no number" }] },
    { list: numbers.slice(0, 1) },
  ];
  const outcome = await runEngine({
    definition: defineGraph(
      [
        ["rows", "input/json"],
        [
          "each",
          "enumerate/json",
          {
            path: "$.list",
            jsonConfig: { properties: [{ path: "n", outputPort: "n", outputType: "number" }] },
          },
        ],
        ["out", "output/json"],
      ],
      ["rows.item > each.json", "each.n > out.json"],
    ),
    findNodeType,
    inputs: new Map([["rows", rows]]),
  });
  const [each = -1, out = -1] = ["each", "out"].map((id) =>
    outcome.plan.nodes.findIndex((node) => node.id === id),
  );
  const left = ["ok", "ok", "blocked", "ok"];
  expect(outcome.rows.cellsOf(each).map(({ element, status }) => [element, status])).toEqual([
    ...left.entries(),
  ]);
  expect(outcome.rows.cellsOf(out).map(({ status }) => status)).toEqual(left);
  expect([outcome.status, outcome.error_code]).toEqual(["partial_success", "TYPE_MISMATCH"]);
});
