import { expect, test } from "vitest";
import { Definition } from "../../../src/contracts/workflows/definition.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import type { NodeType } from "../../../src/nodes/define-roles.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";
import { findFakeNode } from "../../simulation/fake-task-node.ts";
import { randomGraph } from "../../simulation/random-graph.ts";
import { interpret } from "../../simulation/reference-interpreter.ts";
import { shrink, type StillFails } from "../../simulation/shrink.ts";

const find = (type: string): NodeType | undefined => findFakeNode(type) ?? findNodeType(type);

const dividesByZero: StillFails = async (definition, inputs) =>
  (await interpret({ definition, findNodeType: find, inputs })).error_code ===
  "CALC_DIVISION_BY_ZERO";

test("a failing graph shrinks to the few nodes that fail, and still fails", async () => {
  let shrunk = 0;
  for (let seed = 0; shrunk < 5; seed += 1) {
    const { definition, inputs } = randomGraph(seed, find);
    if (definition.nodes.length >= 12 && (await dividesByZero(definition, inputs))) {
      const small = await shrink(definition, inputs, dividesByZero);
      expect(await dividesByZero(small.definition, small.inputs)).toBe(true);
      expect(small.definition.nodes.length, `seed ${seed}`).toBeLessThanOrEqual(6);
      shrunk += 1;
    }
  }
});

test("items, connections and unrelated nodes are removed, the parts needed for the failure stay", async () => {
  const definition = Definition.parse({
    nodes: [
      { id: "rows", type: "input/json" },
      { id: "name", type: "input/text" },
      { id: "path", type: "utility/json_path", parameters: { path: "$" } },
      { id: "divide", type: "utility/calculate", parameters: { expression: "1 / n" } },
      { id: "out", type: "output/text" },
    ],
    connections: [
      { from: { node: "rows", port: "item" }, to: { node: "path", port: "json" } },
      { from: { node: "path", port: "value" }, to: { node: "divide", port: "n" } },
      { from: { node: "name", port: "text" }, to: { node: "out", port: "text" } },
    ],
  });
  const inputs = new Map<string, JsonValue>([
    ["rows", [1, 0, 2]],
    ["name", "Ada"],
  ]);
  const small = await shrink(definition, inputs, dividesByZero);
  expect(small.definition.nodes.map((node) => node.id)).toEqual(["rows", "divide"]);
  expect(small.definition.connections).toEqual([
    { from: { node: "rows", port: "item" }, to: { node: "divide", port: "n" } },
  ]);
  expect([...small.inputs]).toEqual([["rows", [0]]]);
});

test("a candidate whose check throws is not used", async () => {
  const { definition, inputs } = randomGraph(3, find);
  const kept = await shrink(definition, inputs, () => {
    throw new Error("invalid");
  });
  expect(kept).toEqual({ definition, inputs });
});
