import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { defineNode } from "../../../../src/nodes/define-node.ts";
import type { NodeType } from "../../../../src/nodes/define-roles.ts";
import { defineGraph, type GraphNode } from "../../../simulation/define-graph.ts";
import { fakeTaskNode } from "../../../simulation/fake-task-node.ts";
import { plainOutcome } from "../../../simulation/plain-outcome.ts";
import { runEngine } from "../../../simulation/run-engine.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

/** Returns the content of its list ports. */
const listNode = defineNode({
  ...fakeTaskNode,
  type: "fake/list",
  inputs: [
    { name: "many", type: "any", list: {}, required: false },
    { name: "needed", type: "any", list: { compact: true } },
  ],
  outputs: [{ name: "out", type: "json" }],
  params: z.strictObject({}),
  costMilliCredits: 0,
  role: "transform",
  placement: "inline",
  run: (_ctx, inputs) =>
    new Map([
      [
        "out",
        [
          inputs.has("many"),
          inputs.list("many") as JsonValue,
          inputs.list("needed") as JsonValue,
          inputs.places("needed") as JsonValue,
        ],
      ],
    ]),
});

const find = (type: string): NodeType | undefined =>
  type === listNode.type ? listNode : findSimulatedNode(type);

const optional = (id: string): GraphNode => [id, "input/number", { required: false }];

describe("a list port", () => {
  const definition = defineGraph(
    [
      optional("a"),
      optional("b"),
      optional("c"),
      ["third", "utility/calculate", { expression: "6 / c" }],
      ["list", "fake/list"],
      ["out", "output/json"],
    ],
    [
      "third.result > list.needed",
      "a.number > list.needed",
      "b.number > list.many",
      "c.number > third.c",
      "list.out > out.json",
    ],
  );
  const run = async (inputs: Record<string, JsonValue>) =>
    plainOutcome(
      await runEngine({
        definition,
        findNodeType: find,
        inputs: new Map(Object.entries(inputs)),
      }),
    ).outputs["out"];

  test("[E2] [E10] has the present values, in connection order", async () => {
    expect(await run({ a: 1, b: 2, c: 3 })).toEqual([
      "present",
      [[[], "ok", [true, [2], [2, 1], [0, 1]]]],
    ]);
  });

  test("[E10] drops absent values, and an optional one is unset if none is left", async () => {
    // The value of the second connection keeps its place.
    expect(await run({ a: 1 })).toEqual(["present", [[[], "ok", [false, [], [1], [1]]]]]);
  });

  test("[E10] makes its element absent if it is required and none is left", async () => {
    expect(await run({ b: 2 })).toEqual(["absent", [[[], "absent"]]]);
  });

  test("[E10] blocks its element if one of its values failed, whatever the others are", async () => {
    expect(await run({ a: 1, b: 2, c: 0 })).toEqual(["missing", [[[], "blocked"]]]);
  });
});
