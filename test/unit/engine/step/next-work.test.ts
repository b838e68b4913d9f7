import { expect, test } from "vitest";
import type { Plan } from "../../../../src/engine/plan/plan.ts";
import {
  CONTENDED_SLICE_WORK_MAX,
  nextWork,
  SLICE_WORK_MAX,
} from "../../../../src/engine/step/next-work.ts";
import type { RunState } from "../../../../src/engine/step/run-state.ts";

/** One element-wise node with two units of work, open at `cursor` of 10,000 elements. */
function standing(cursor: number): [Plan, RunState] {
  const node = { index: 0, type: { role: "transform" }, scope: 0, inputs: [], work: 2 };
  const plan = { nodes: [{ ...node, placement: "inline" }] };
  const nodes = [{ phase: "open", cursor, total: 10_000 }];
  return [
    plan as unknown as Plan,
    { status: "running", stopped: null, nodes } as unknown as RunState,
  ];
}

test("[E12] a slice does its share of work, less while others wait, and all slices together every element", () => {
  expect([SLICE_WORK_MAX, CONTENDED_SLICE_WORK_MAX]).toEqual([2_000, 200]);
  for (const workMax of [SLICE_WORK_MAX, CONTENDED_SLICE_WORK_MAX]) {
    let cursor = 0;
    let slices = 0;
    while (cursor < 10_000) {
      const work = nextWork(...standing(cursor), workMax);
      expect(work).toMatchObject({ type: "elements", from: cursor });
      cursor = work?.type === "elements" ? work.to : Infinity;
      slices++;
    }
    expect(cursor).toBe(10_000);
    expect(slices).toBe((10_000 * 2) / workMax);
  }
});

test("[E12] nodes of one scope at the same element advance together, not past one that they read, and others wait", () => {
  const feeding = (node: number) => [{ sources: [{ node, scope: 1 }] }];
  const element = (index: number, inputs: readonly object[], scope = 1) => ({
    index,
    inputs,
    scope,
    type: { role: "transform" },
    work: 2,
    placement: "inline",
  });
  const plan = {
    nodes: [
      element(0, []),
      element(1, feeding(0)),
      element(2, []),
      element(3, feeding(2)),
      element(4, [], 0),
    ],
  } as unknown as Plan;
  const lane = (...cursors: readonly number[]) => {
    const nodes = cursors.map((cursor) => ({ phase: "open", cursor, total: 500 }));
    const work = nextWork(plan, { status: "running", stopped: null, nodes } as unknown as RunState);
    return work?.type === "elements"
      ? [work.nodes.map(({ index }) => index), work.from, work.to]
      : work;
  };
  // Eight units of work for each element: all in one scope, the fifth node in another.
  expect(lane(0, 0, 0, 0, 0)).toEqual([[0, 1, 2, 3], 0, SLICE_WORK_MAX / 8]);
  // The third is ahead: the fourth, which reads it, goes no further, and neither do the others.
  expect(lane(0, 0, 40, 0, 0)).toEqual([[0, 1, 3], 0, 40]);
  expect(lane(500, 500, 40, 10, 10)).toEqual([[2], 40, 500]);
});
