import { expect, test } from "vitest";
import type { Plan } from "../../../../src/engine/plan/plan.ts";
import {
  CROWDED_SLICE_WORK_MAX,
  nextWork,
  SLICE_WORK_MAX,
} from "../../../../src/engine/step/next-work.ts";
import type { RunState } from "../../../../src/engine/step/run-state.ts";

/** One element-wise node of two units of work, open at `cursor` of 10,000 elements. */
function standing(cursor: number): [Plan, RunState] {
  const node = { index: 0, type: { role: "transform" }, scope: 0, inputs: [], work: 2 };
  const plan = { nodes: [{ ...node, placement: "inline" }] };
  const nodes = [{ phase: "open", cursor, total: 10_000 }];
  return [
    plan as unknown as Plan,
    { status: "running", stopped: null, nodes } as unknown as RunState,
  ];
}

test("[E12] a slice holds its share of work, less of it while others wait, and all slices together every element", () => {
  for (const workMax of [SLICE_WORK_MAX, CROWDED_SLICE_WORK_MAX]) {
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
