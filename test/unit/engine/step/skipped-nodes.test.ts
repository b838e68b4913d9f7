import { expect, test } from "vitest";
import { restoreLayout } from "../../../../src/engine/drive/restore-layout.ts";
import { RunDriver } from "../../../../src/engine/drive/run-driver.ts";
import type { RunHost } from "../../../../src/engine/drive/run-host.ts";
import { newRunState } from "../../../../src/engine/step/run-state.ts";
import { encodeValue } from "../../../../src/engine/values.ts";
import { MemoryRows } from "../../../simulation/memory-rows.ts";
import { planOf } from "../plan-of.ts";

const world = {
  nodeContext: {},
  loadSpilled: () => Promise.resolve(new Map()),
  isOwnFile: () => true,
  store: (_node: unknown, _element: number, _port: string, value: number) => encodeValue(value),
  awaitNextAttempt: () => Promise.resolve(false),
  pause: () => Promise.resolve(),
  onDefect: (_node: unknown, error: unknown) => {
    throw error;
  },
} as unknown as RunHost;

test("[E11] an element with unsettled inputs is skipped, and visited again when the last of them settles", async () => {
  const plan = planOf(
    [
      ["rows", "enumerate/range", { start: 1, end: 3 }],
      ["left", "fake/task"],
      ["right", "fake/task"],
      ["sum", "utility/calculate", { expression: "a + b" }],
      ["out", "output/json"],
    ],
    [
      "rows.value > left.value",
      "rows.value > right.value",
      "left.out > sum.a",
      "right.out > sum.b",
      "sum.result > out.json",
    ],
  );
  const [left = -1, right = -1, sum = -1, out = -1] = ["left", "right", "sum", "out"].map((id) =>
    plan.nodes.findIndex((node) => node.id === id),
  );
  const rows = new MemoryRows(newRunState(plan));
  const prepaid = new Map([left, right].map((node) => [node, 3]));
  const step = { plan, layout: restoreLayout(plan, rows.state, rows), limits: {}, prepaid };
  const driver = new RunDriver(step, rows, world, rows.state);
  const settled = () => [sum, out].map((node) => rows.cellsOf(node).map(({ element }) => element));
  /** Reports this many of the runner's tasks; returns each one's row number. */
  const report = async (...done: readonly (readonly [node: number, element: number])[]) => {
    for (const [node, element] of done) {
      const task = [...rows.tasks.values()].find(
        (each) => each.node === node && each.element === element,
      )!;
      task.outcome = { kind: "ok", outputs: [["out", encodeValue(element + 1)]] };
    }
    await driver.drive(50);
  };

  driver.begin();
  expect((await driver.drive(50)).isIdle).toBe(true);
  // All of them were visited, in order, and none is left.
  expect([...rows.tasks.values()].map(({ node, element }) => [node, element])).toEqual(
    [0, 1, 2].flatMap((element) => [
      [left, element],
      [right, element],
    ]),
  );
  expect(driver.state.nodes[sum]).toMatchObject({ cursor: 3, total: 3, ok: 0 });
  expect(settled()).toEqual([[], []]);

  await report([left, 0], [left, 1], [right, 1]);
  expect(settled()).toEqual([[1], [1]]);
  await report([right, 2], [left, 2]);
  expect(settled()).toEqual([
    [1, 2],
    [1, 2],
  ]);
  await report([right, 0]);
  expect(settled()).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
  expect(driver.state.status).toBe("completed");
});
