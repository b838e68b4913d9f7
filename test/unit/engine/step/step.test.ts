/**
 * The state machine alone, event by event: what opens, what stops, what is requested, and the
 * progress.
 */
import { describe, expect, test } from "vitest";
import { Layout } from "../../../../src/engine/layout/layout.ts";
import type { Plan } from "../../../../src/engine/plan/plan.ts";
import type { NodeProgress, RunEffect, RunEvent } from "../../../../src/engine/step/events.ts";
import { nextWork } from "../../../../src/engine/step/next-work.ts";
import { newRunState, type RunState } from "../../../../src/engine/step/run-state.ts";
import { iterationsMax, step } from "../../../../src/engine/step/step.ts";
import { planOf } from "../plan-of.ts";

const double = { expression: "n * 2" };

/** A run controlled by the test: nodes by their ids. */
class Run {
  state: RunState;
  readonly #layout: Layout;
  readonly #plan: Plan;
  readonly #prepaid: ReadonlyMap<number, number>;

  constructor(plan: Plan, prepaid: Readonly<Record<string, number>> = {}) {
    this.#plan = plan;
    this.#layout = new Layout(plan);
    this.#prepaid = new Map(Object.entries(prepaid).map(([id, count]) => [this.index(id), count]));
    this.state = newRunState(plan);
    this.tell({ type: "submitted" });
  }

  index(id: string): number {
    return this.#plan.nodes.findIndex((node) => node.id === id);
  }

  of(id: string) {
    return this.state.nodes[this.index(id)]!;
  }

  tell(...events: readonly RunEvent[]): RunEffect[] {
    const ctx = { plan: this.#plan, layout: this.#layout, limits: {}, prepaid: this.#prepaid };
    return events.flatMap((event) => {
      const { state, effects } = step(ctx, this.state, event);
      this.state = state;
      return effects;
    });
  }

  settle(id: string, counts: Partial<NodeProgress>): RunEffect[] {
    const none = { ok: 0, failed: 0, blocked: 0, absent: 0, charged: 0, used: 0, cursor: null };
    return this.tell({ type: "progressed", nodes: [{ node: this.index(id), ...none, ...counts }] });
  }

  /** The enumerator ends, with this many elements. */
  enumerate(id: string, count: number): RunEffect[] {
    const node = this.#plan.nodes[this.index(id)]!;
    const table = {
      counts: [count],
      absentParents: new Set<number>(),
    };
    return [
      ...this.tell({ type: "axis-resolved", axis: node.axis, table }),
      ...this.settle(id, { ok: 1, cursor: 1 }),
    ];
  }

  get phases(): Record<string, string> {
    return Object.fromEntries(this.#plan.nodes.map(({ id }) => [id, this.of(id).phase]));
  }

  get work() {
    return nextWork(this.#plan, this.state);
  }
}

test("[E11] a node opens when its scope is resolved, its inputs from other scopes have settled, and its element-wise inputs are open", () => {
  const run = new Run(
    planOf(
      [
        ["one", "input/number"],
        ["single", "utility/calculate", double],
        ["rows", "enumerate/range", { start: 1, end: 3 }],
        ["each", "utility/calculate", double],
        ["next", "utility/calculate", double],
        ["pair", "utility/calculate", { expression: "a + b" }],
        ["all", "aggregate/text"],
        ["out", "output/text"],
      ],
      [
        "one.number > single.n",
        "rows.value > each.n",
        "each.result > next.n",
        "next.result > pair.a",
        "single.result > pair.b",
        "pair.result > all.text",
        "all.text > out.text",
      ],
    ),
  );
  const waiting = {
    each: "waiting",
    next: "waiting",
    pair: "waiting",
    all: "waiting",
    out: "waiting",
  };
  run.settle("one", { ok: 1, cursor: 1 });
  // Element-wise in its own scope: `single` is open, but its scope is not that of `pair`.
  expect(run.phases).toEqual({ one: "settled", single: "open", rows: "open", ...waiting });
  run.enumerate("rows", 3);
  expect(run.phases).toMatchObject({ ...waiting, each: "open", next: "open" });
  run.settle("single", { ok: 1, cursor: 1 });
  expect(run.phases).toMatchObject({ pair: "open", all: "waiting" });
  for (const id of ["each", "next", "pair"]) {
    run.settle(id, { ok: 2, cursor: 3 });
  }
  // Skipped at one element: visited, and not settled.
  expect(run.phases).toMatchObject({ each: "open", next: "open", pair: "open", all: "waiting" });
  for (const id of ["each", "next", "pair"]) {
    run.settle(id, { ok: 1 });
  }
  expect(run.phases).toMatchObject({ pair: "settled", all: "open", out: "waiting" });
  run.settle("all", { ok: 1, cursor: 1 });
  expect(run.phases).toMatchObject({ all: "settled", out: "open" });
});

test("[E15] a node may have 10,000 iterations, and a submit may lower that and not raise it", () => {
  const allowed = [undefined, 9_999, 10_000, 10_001, 1_000_000].map((max) =>
    iterationsMax(max === undefined ? {} : { max_iterations_per_node: max }),
  );
  expect(allowed).toEqual([10_000, 9_999, 10_000, 10_000, 10_000]);
});

/** Three elements of a node that costs 100 milli-credits each, and free ones next to it. */
const PAID = planOf(
  [
    ["rows", "enumerate/range", { start: 1, end: 3 }],
    ["paid", "fake/task"],
    ["free", "utility/calculate", double],
    ["out", "output/json"],
    ["echo", "output/json"],
  ],
  [
    "rows.value > paid.value",
    "rows.value > free.n",
    "paid.out > out.json",
    "free.result > echo.json",
  ],
);

describe("a plan with costs", () => {
  test("[E17] is reserved before any of its elements starts, and starts when it is reserved", () => {
    const run = new Run(PAID);
    const node = run.index("paid");
    expect(run.enumerate("rows", 3)).toEqual([{ type: "reserve", node, milliCredits: 300 }]);
    expect(run.of("paid")).toMatchObject({ phase: "reserving", total: 3 });
    const started = () => (run.work?.type === "elements" ? run.work.nodes.map(({ id }) => id) : []);
    expect(started()).toEqual(["free", "echo"]);
    run.tell({ type: "plan-reserved", node });
    expect(started()).toEqual(["paid", "free", "out", "echo"]);
  });

  test.each(["INSUFFICIENT_CREDITS", "ADMISSION_LIMIT_EXCEEDED"] as const)(
    "[E17] and is refused with %s stops the root: nothing new starts, tasks in flight settle, the node has the code",
    (code) => {
      const run = new Run(PAID);
      const node = run.index("paid");
      run.enumerate("rows", 3);
      run.settle("free", { ok: 1, cursor: 3 });
      expect(run.work).not.toBeNull();
      const effects = run.tell({ type: "plan-refused", node, code, message: "no" });
      expect(effects).toEqual([{ type: "drop-waiting-tasks" }]);
      expect(run.of("paid")).toMatchObject({ phase: "settled", whole: { status: "failed", code } });
      expect(run.state).toMatchObject({ status: "running", stopped: { node, code } });
      expect(run.work).toBeNull();
      run.settle("free", { ok: 2 });
      expect(run.of("free").ok).toBe(3);
      expect(run.work).toBeNull();
      expect(run.tell({ type: "drained" })).toEqual([{ type: "finish" }]);
      expect(run.state.status).toBe("failed");
    },
  );

  test("[E24] is reserved in the run only for the part that admission did not reserve", () => {
    const run = new Run(PAID, { paid: 2 });
    const node = run.index("paid");
    expect(run.enumerate("rows", 3)).toEqual([{ type: "reserve", node, milliCredits: 100 }]);
    const whole = new Run(PAID, { paid: 3 });
    expect(whole.enumerate("rows", 3)).toEqual([]);
    expect(whole.of("paid").phase).toBe("open");
  });
});

test("[E21] progress is settled elements over known ones, is never lowered, and is 100 only at the end", () => {
  const run = new Run(
    planOf(
      [
        ["n", "input/number"],
        ["rows", "enumerate/range", { start: 1, end: 100 }],
        ["sum", "utility/calculate", { expression: "n + row" }],
        ["out", "output/json"],
      ],
      ["n.number > sum.n", "rows.value > sum.row", "sum.result > out.json"],
    ),
  );
  const seen: number[] = [];
  const look = () => seen.push(run.state.progress);
  look();
  run.settle("n", { ok: 1, cursor: 1 });
  look(); // 1 of 4: a node of unknown size counts as one element.
  run.enumerate("rows", 100);
  look(); // 2 of 202 would be less.
  run.settle("sum", { ok: 90, failed: 10, cursor: 100 });
  look(); // 102 of 202
  run.settle("out", { ok: 90, blocked: 9 });
  look(); // 201 of 202
  expect(run.state.status).toBe("running");
  run.settle("out", { blocked: 1 });
  look();
  expect(seen).toEqual([0, 25, 25, 50, 99, 100]);
  expect(run.state.status).toBe("partial_success");
});

test("[E22] a run that is given up ends with the code at the node that could not continue", () => {
  const run = new Run(PAID);
  const node = run.index("rows");
  run.tell({ type: "abandoned", node, code: "INTERNAL_ERROR", message: "again and again" });
  expect(run.of("rows").whole).toMatchObject({ status: "failed", code: "INTERNAL_ERROR" });
  expect(run.work).toBeNull();
  run.tell({ type: "drained" });
  expect(run.state).toMatchObject({ status: "failed", stopped: { node, code: "INTERNAL_ERROR" } });
});

test("[E23] a run that exceeds its time limit stops, keeps its results, and has the code, which no node has", () => {
  const run = new Run(PAID);
  run.enumerate("rows", 3);
  run.tell({ type: "plan-reserved", node: run.index("paid") });
  run.settle("free", { ok: 3, cursor: 3 });
  run.settle("echo", { ok: 3, cursor: 3 });
  const effects = run.tell({ type: "timed-out", message: "over" });
  expect(effects).toEqual([{ type: "drop-waiting-tasks" }]);
  expect(run.work).toBeNull();
  run.settle("paid", { ok: 1, cursor: 3 });
  expect(run.of("paid")).toMatchObject({ phase: "open", ok: 1 });
  run.tell({ type: "drained" });
  expect(run.state).toMatchObject({
    status: "partial_success",
    stopped: { node: -1, code: "RUN_TIMEOUT" },
  });
  expect(run.state.nodes.every(({ whole }) => whole === null)).toBe(true);
});
