import { describe, expect, test } from "vitest";
import { CellReader } from "../../../../src/engine/drive/cell-reader.ts";
import { EqualElements } from "../../../../src/engine/drive/equal-elements.ts";
import { restoreLayout } from "../../../../src/engine/drive/restore-layout.ts";
import type { PlanNode } from "../../../../src/engine/plan/plan.ts";
import type { NodeType } from "../../../../src/nodes/define-roles.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { parseJson } from "../../../../src/lib/json/exact-json.ts";
import { defineGraph } from "../../../simulation/define-graph.ts";
import { plainOutcome } from "../../../simulation/plain-outcome.ts";
import {
  type EngineOutcome,
  type EngineRequest,
  runEngine,
} from "../../../simulation/run-engine.ts";
import { fakeTaskNode } from "../../../simulation/fake-task-node.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

const RUN = "run_of_equals";
const EQUALS = {
  execution: RUN,
  uses: ({ type }: PlanNode) => type.type.startsWith("fake/"),
};
/** Neither refused nor at fault. */
const SURE = { refuse_percent: 0, fault_percent: 0 };

const ROWS = ["rows", "input/json"] as const;

type Nodes = Parameters<typeof defineGraph>[0];

function run(
  nodes: Nodes,
  connections: Parameters<typeof defineGraph>[1],
  rows: readonly JsonValue[],
  more: Partial<EngineRequest> = { equals: EQUALS },
): Promise<EngineOutcome> {
  return runEngine({
    definition: defineGraph([ROWS, ...nodes], connections),
    findNodeType: findSimulatedNode,
    inputs: new Map([["rows", rows]]),
    ...more,
  });
}

/** Elements of a node that a worker had, each once. */
function workedOn({ plan, executed }: EngineOutcome, id: string): number[] {
  const index = plan.nodes.findIndex((node) => node.id === id);
  const elements = executed.filter(({ node }) => node === index).map(({ element }) => element);
  return [...new Set(elements)].toSorted((a, b) => a - b);
}

function cellsOf({ plan, rows }: EngineOutcome, id: string) {
  return rows.cellsOf(plan.nodes.findIndex((node) => node.id === id));
}

/** Results without what each element was charged. */
function results(outcome: EngineOutcome): object {
  const { outputs, status, error, warnings } = plainOutcome(outcome);
  return { outputs, status, error, warnings };
}

const ONE_TASK: Nodes = [
  ["work", "fake/task", SURE],
  ["out", "output/json"],
];
const LINKS = ["rows.item > work.value", "work.out > out.json"] as const;
const FOUR = Array.from({ length: 40 }, (_, at) => ({ of: at % 4 }));

describe("[E44] equal elements of one run", () => {
  test("are worked out once, by the first, and the others have its result at no cost, marked", async () => {
    const [alone, outcome] = [
      await run(ONE_TASK, LINKS, FOUR, {}),
      await run(ONE_TASK, LINKS, FOUR),
    ];
    expect(workedOn(alone, "work")).toHaveLength(FOUR.length);
    expect(workedOn(outcome, "work")).toEqual([0, 1, 2, 3]);
    expect(results(outcome)).toEqual(results(alone));
    const cells = cellsOf(outcome, "work");
    const charged = cells.map(({ charge }) => charge?.milliCredits ?? 0);
    expect(charged.slice(4)).toEqual(charged.slice(4).map(() => 0));
    for (const { element, reused } of cells) {
      const first = charged[element % 4];
      const mark = { execution: RUN, milliCredits: first, isCached: true };
      expect(reused).toEqual(element < 4 ? undefined : mark);
    }
    const sum = charged.reduce((total, milli) => total + milli, 0);
    expect([outcome.chargedMilliCredits, outcome.rows.state.nodes[1]]).toMatchObject([
      sum,
      { ok: 40, reused: 36, charged: sum },
    ]);
  });

  test("are equal by their content, and not by its spelling, nor by a parameter less", async () => {
    const rows = ['{"a":1,"b":[2]}', '{"b":[2.0],"a":1e0}', '{"a":1,"b":["2"]}'].map((text) =>
      parseJson(text),
    );
    const nodes: Nodes = [
      ["work", "fake/task", SURE],
      ["more", "fake/task", { ...SURE, seed: 0 }],
      ["other", "fake/task", { ...SURE, seed: 1 }],
      ["out", "output/json"],
      ["out2", "output/json"],
      ["out3", "output/json"],
    ];
    const outcome = await run(
      nodes,
      [
        "rows.item > work.value",
        "rows.item > more.value",
        "rows.item > other.value",
        "work.out > out.json",
        "more.out > out2.json",
        "other.out > out3.json",
      ],
      rows,
    );
    expect(workedOn(outcome, "work")).toEqual([0, 2]);
    // A default that is written out is the same parameter, and the id of a node counts for nothing.
    expect(workedOn(outcome, "more")).toEqual([]);
    expect(workedOn(outcome, "other")).toEqual([0, 2]);
    expect(cellsOf(outcome, "more").map(({ reused }) => reused?.execution)).toEqual([
      RUN,
      RUN,
      RUN,
    ]);
  });

  test("have every port that is read of one of their nodes", async () => {
    const nodes: Nodes = [
      ["less", "fake/task", SURE],
      ["whole", "fake/task", SURE],
      ["last", "fake/task", SURE],
      ["out", "output/json"],
      ["out2", "output/json"],
      ["text", "output/text"],
      ["out3", "output/text"],
    ];
    const outcome = await run(
      nodes,
      [
        "rows.item > less.value",
        "rows.item > whole.value",
        "rows.item > last.value",
        "less.out > out.json",
        "whole.out > out2.json",
        "whole.text > text.text",
        "last.text > out3.text",
      ],
      FOUR,
    );
    expect(["less", "whole", "last"].map((id) => workedOn(outcome, id).length)).toEqual([4, 0, 0]);
    const { plan } = outcome;
    const layout = restoreLayout(plan, outcome.rows.state, outcome.rows);
    const unread = (uses: (of: PlanNode) => boolean) => {
      const cells = new CellReader(outcome.rows, layout);
      const options = { execution: RUN, uses };
      const equals = new EqualElements(plan, layout, outcome.rows, options, cells, true);
      return plan.nodes
        .filter(({ type }) => type.type === "fake/task")
        .map((one) => equals.unreadPorts(one));
    };
    expect(unread(EQUALS.uses)).toEqual([[], [], []]);
    expect(unread(() => false)).toEqual([["text"], [], ["out"]]);
    expect(unread(({ id }) => id === "last")).toEqual([["text"], [], ["out"]]);
  });

  test("that are results of an aggregator are compared by all that it reads", async () => {
    const nested = { properties: [{ path: "$", outputPort: "n", outputType: "number" }] };
    const nodes: Nodes = [
      ["each", "enumerate/json", { path: "$.list", jsonConfig: nested }],
      ["gather", "fake/gather", { ...SURE, collapse: "innermost" }],
      ["out", "output/json"],
    ];
    const rows = [[1, 2], [2, 1], [1, 2], [], [1, 2, 3], []].map((list) => ({ list }));
    const outcome = await run(
      nodes,
      ["rows.item > each.json", "each.n > gather.item", "gather.out > out.json"],
      rows,
    );
    expect(workedOn(outcome, "gather")).toEqual([0, 1, 3, 4]);
    const alone = await run(
      nodes,
      ["rows.item > each.json", "each.n > gather.item", "gather.out > out.json"],
      rows,
      {},
    );
    expect(results(outcome)).toEqual(results(alone));
  });

  test("that wait are not begun after a cancel", async () => {
    const cancelled = await run(ONE_TASK, LINKS, FOUR, { equals: EQUALS, cancelAt: 1 });
    expect(cancelled.status).toBe("cancelled");
    expect(workedOn(cancelled, "work").length).toBeLessThanOrEqual(4);
  });

  test("are worked out once whatever is lost: processes, reports, and what the driver knows", async () => {
    let crashes = 0;
    for (let seed = 1; seed <= 60; seed++) {
      const outcome = await run(ONE_TASK, LINKS, FOUR, { equals: EQUALS, seed });
      crashes += outcome.crashes;
      expect({ seed, status: outcome.status, worked: workedOn(outcome, "work").length }).toEqual({
        seed,
        status: "completed",
        worked: 4,
      });
      const taken = cellsOf(outcome, "work").filter(({ reused }) => reused !== undefined);
      expect(taken).toHaveLength(36);
    }
    expect(crashes).toBeGreaterThan(60);
  });
});

describe("[E45] elements that wait for an equal one", () => {
  test("are each worked out when it fails, and none is marked", async () => {
    const refused: Nodes = [["work", "fake/task", { refuse_percent: 100 }], ONE_TASK[1]!];
    const [alone, outcome] = [await run(refused, LINKS, FOUR, {}), await run(refused, LINKS, FOUR)];
    expect(workedOn(outcome, "work")).toHaveLength(FOUR.length);
    expect(plainOutcome(outcome)).toEqual(plainOutcome(alone));
    expect(cellsOf(outcome, "work").filter(({ reused }) => reused !== undefined)).toEqual([]);
  });

  test("take the result of one that has waited and was tried again", async () => {
    const faulty: Nodes = [
      ["work", "fake/task", { refuse_percent: 0, fault_percent: 100 }],
      ONE_TASK[1]!,
    ];
    const [alone, outcome] = [await run(faulty, LINKS, FOUR, {}), await run(faulty, LINKS, FOUR)];
    expect(results(outcome)).toEqual(results(alone));
    const contents = (of: EngineOutcome, status: string) =>
      new Set(
        cellsOf(of, "work").flatMap((cell) => (cell.status === status ? [cell.element % 4] : [])),
      );
    const [good, bad] = [contents(alone, "ok"), contents(alone, "failed")];
    // Some need more attempts than a task gets.
    expect(Math.min(good.size, bad.size)).toBeGreaterThan(0);
    expect(workedOn(outcome, "work")).toHaveLength(good.size + 10 * bad.size);
  });

  test("are worked out where its result may depend on more than what it received, and does, or does not say", async () => {
    const findNodeType = (type: string) =>
      type === "fake/task"
        ? ({ ...fakeTaskNode, needs: ["templates"] } as unknown as NodeType)
        : findSimulatedNode(type);
    const renders = (isImpure: boolean, seed?: number) =>
      run(ONE_TASK, LINKS, FOUR, {
        equals: EQUALS,
        findNodeType,
        isImpure,
        ...(seed !== undefined && { seed }),
      });
    expect(workedOn(await renders(true), "work")).toHaveLength(FOUR.length);
    expect(workedOn(await renders(false), "work")).toHaveLength(4);
    for (let seed = 1; seed <= 20; seed++) {
      expect(workedOn(await renders(true, seed), "work")).toHaveLength(FOUR.length);
    }
  });
});

describe("[E46] what a run knows of keys", () => {
  /** The elements of the second node become ready one by one, while processes are lost. */
  const TWO_TASKS: Nodes = [
    ["first", "fake/task", SURE],
    ["pick", "utility/json_path", { path: "$.of" }],
    ["work", "fake/task", { ...SURE, seed: 1 }],
    ["out", "output/json"],
  ];
  const TWO_LINKS = [
    "rows.item > first.value",
    "first.out > pick.json",
    "pick.value > work.value",
    "work.out > out.json",
  ];
  const UNEQUAL = FOUR.map((row, at) => ({ ...row, at }));

  test("is read from its rows after a restart", async () => {
    let crashes = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const outcome = await run(TWO_TASKS, TWO_LINKS, UNEQUAL, { equals: EQUALS, seed });
      crashes += outcome.crashes;
      expect({ seed, worked: workedOn(outcome, "work").length }).toEqual({ seed, worked: 4 });
    }
    expect(crashes).toBeGreaterThan(200);
  });

  test("are so many of the last ones, and an older one is worked out again", async () => {
    const rows = [1, 2, 3, 1, 3, 1];
    const worked = async (keysMax: number) =>
      workedOn(
        await run(ONE_TASK, LINKS, rows, { equals: { ...EQUALS, keysMax }, sliceWorkMax: () => 1 }),
        "work",
      );
    expect(await worked(3)).toEqual([0, 1, 2]);
    expect(await worked(2)).toEqual([0, 1, 2, 3]);
  });
});
