import { describe, expect, it, test } from "vitest";
import { Definition } from "../../../../src/contracts/workflows/definition.ts";
import { compile } from "../../../../src/engine/compile/compile.ts";
import { countIterations } from "../../../../src/engine/plan/count-iterations.ts";
import { isAggregator, isEnumerator } from "../../../../src/engine/plan/node-kind.ts";
import type { Plan } from "../../../../src/engine/plan/plan.ts";
import { type JsonValue, stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { randomGraph } from "../../../simulation/random-graph.ts";
import { runEngine } from "../../../simulation/run-engine.ts";
import { findSimulatedNode } from "../../../simulation/simulate-seed.ts";

interface Options {
  readonly iterationsMax?: number;
  readonly overridden?: readonly string[];
  readonly wantsPresence?: boolean;
}

function planOf(definition: unknown): Plan {
  const { plan, issues } = compile(Definition.parse(definition), findSimulatedNode);
  if (plan === undefined) {
    throw new Error(JSON.stringify(issues));
  }
  return plan;
}

function countOf(plan: Plan, inputs: ReadonlyMap<string, JsonValue>, options: Options = {}) {
  const submitted = new Map<string, string>();
  for (const { node: index } of plan.inputs) {
    const node = plan.nodes[index]!;
    if (node.type.role === "input") {
      const value = inputs.get(node.id) ?? node.type.defaultValue(node.params);
      if (value !== undefined) {
        submitted.set(node.id, stringifyJson(value));
      }
    }
  }
  return countIterations(plan, {
    submitted,
    iterationsMax: options.iterationsMax ?? 10_000,
    overridden: new Set(options.overridden),
    filed: new Set(),
    wantsPresence: options.wantsPresence ?? true,
  });
}

function runsById(plan: Plan, inputs: Record<string, JsonValue>, options: Options = {}) {
  const { nodes } = countOf(plan, new Map(Object.entries(inputs)), options);
  return Object.fromEntries(plan.nodes.map(({ id, index }) => [id, nodes[index]?.runs]));
}

const task = (id: string) => ({ id, type: "fake/task", parameters: { refuse_percent: 0 } });
const link = (from: string, to: string) => {
  const [node = "", port = ""] = from.split(".");
  const [toNode = "", toPort = ""] = to.split(".");
  return { from: { node, port }, to: { node: toNode, port: toPort } };
};

const NESTED = planOf({
  nodes: [
    { id: "orders", type: "input/json", parameters: {} },
    { id: "lines", type: "enumerate/json", parameters: { path: "$.lines" } },
    { id: "copies", type: "enumerate/range", parameters: { start: 1, end: 3 } },
    task("line"),
    task("copy"),
    {
      id: "all",
      type: "aggregate/json",
      parameters: { jsonAggregateConfig: { columns: [{ inputPort: "x" }] } },
    },
    { id: "out", type: "output/json", parameters: {} },
  ],
  connections: [
    link("orders.item", "lines.json"),
    link("lines.item", "line.value"),
    link("line.out", "copy.value"),
    link("copies.index", "copy.note"),
    link("copy.out", "all.x"),
    link("all.json", "out.json"),
  ],
});

describe("counts of a submit", () => {
  it("follow nested lists and literal ranges, and multiply independent axes", () => {
    const orders = [{ lines: [1, 2, 3] }, { lines: [] }, { lines: [4] }];
    for (const wantsPresence of [false, true]) {
      expect(runsById(NESTED, { orders }, { wantsPresence })).toEqual({
        orders: 1,
        copies: 1,
        lines: 3,
        line: 4,
        copy: 12,
        all: 1,
        out: 1,
      });
    }
  });

  it("stop at the first node, in topological order, that exceeds the limit, and report it", () => {
    const orders = [{ lines: [1, 2, 3] }, { lines: [4, 5] }];
    const tooMany = (iterationsMax: number) => {
      const found = countOf(NESTED, new Map([["orders", orders]]), { iterationsMax }).tooMany;
      return found === null ? null : [found.node.id, found.iterations];
    };
    expect(tooMany(1)).toEqual(["orders", 2]);
    expect(tooMany(2)).toEqual(["lines", 5]);
    expect(tooMany(5)).toEqual(["copy", 15]);
    expect(tooMany(14)).toEqual(["copy", 15]);
    expect(tooMany(15)).toBeNull();
  });

  it("count a huge range without iterating over it", () => {
    const plan = planOf({
      nodes: [
        { id: "n", type: "enumerate/range", parameters: { start: 1, end: 1e12 } },
        { id: "out", type: "output/json", parameters: {} },
      ],
      connections: [link("n.value", "out.json")],
    });
    const { tooMany } = countOf(plan, new Map(), { wantsPresence: false });
    expect([tooMany?.node.id, tooMany?.iterations]).toEqual(["n", 1e12]);
  });

  it("leave computed values and submitted changes to the run", () => {
    const plan = planOf({
      nodes: [
        { id: "data", type: "input/json_value", parameters: {} },
        { id: "pick", type: "utility/json_path", parameters: { path: "$.rows" } },
        { id: "rows", type: "enumerate/json", parameters: {} },
        { id: "n", type: "enumerate/range", parameters: { start: 1, end: 2 } },
        task("both"),
        task("once"),
        { id: "out", type: "output/json", parameters: {} },
        { id: "out2", type: "output/json", parameters: {} },
      ],
      connections: [
        link("data.json", "pick.json"),
        link("pick.value", "rows.json"),
        link("rows.item", "both.value"),
        link("n.index", "both.note"),
        link("both.out", "out.json"),
        link("data.json", "once.value"),
        link("once.out", "out2.json"),
      ],
    });
    const inputs = { data: { rows: [1, 2, 3] } };
    expect(runsById(plan, inputs)).toMatchObject({ rows: 1, both: null, once: 1 });
    const { nodes } = countOf(plan, new Map(Object.entries(inputs)));
    expect(nodes[plan.nodes.find(({ id }) => id === "both")!.index]!.runsAtLeast).toBe(2);
    expect(runsById(plan, inputs, { overridden: ["n"] })).toMatchObject({ n: 1, both: null });
    const direct = planOf({
      nodes: [
        { id: "data", type: "input/json_value", parameters: {} },
        { id: "rows", type: "enumerate/json", parameters: { path: "$.rows" } },
        task("each"),
        { id: "out", type: "output/json", parameters: {} },
      ],
      connections: [
        link("data.json", "rows.json"),
        link("rows.item", "each.value"),
        link("each.out", "out.json"),
      ],
    });
    expect(runsById(direct, inputs)).toMatchObject({ each: 3 });
  });
});

test("items that were only counted do not show that their columns have values", () => {
  const beside = (range: number) =>
    planOf({
      nodes: [
        { id: "range", type: "enumerate/range", parameters: { start: 1, end: range } },
        {
          id: "rows",
          type: "input/json",
          parameters: {
            jsonConfig: { properties: [{ path: "n", outputPort: "n", outputType: "number" }] },
          },
        },
        { id: "double", type: "utility/calculate", parameters: { expression: "x * 2" } },
        { id: "out", type: "output/json" },
      ],
      connections: [link("rows.n", "double.x"), link("double.result", "out.json")],
    });
  const doubled = (plan: Plan) => {
    const { nodes } = countOf(plan, new Map([["rows", [{}, {}]]]), { iterationsMax: Infinity });
    return nodes[plan.nodes.find(({ id }) => id === "double")!.index];
  };
  expect(doubled(beside(10))).toMatchObject({ runs: 2, presence: "never" });
  // The first enumerator takes all but one of the elements that a count may create.
  expect(doubled(beside(199_999))).toMatchObject({ runs: 2, presence: "maybe" });
});

/** Every random graph of the simulation: the counts before a run equal those of the run. */
test.each([1, 101, 201])("counts equal those of the run, seeds from %d on", async (from) => {
  let known = 0;
  let sure = 0;
  for (let seed = from; seed < from + 100; seed++) {
    const { definition, inputs } = randomGraph(seed, findSimulatedNode);
    const { plan, rows } = await runEngine({
      definition,
      findNodeType: findSimulatedNode,
      inputs,
    });
    const cheap = countOf(plan, inputs, { wantsPresence: false });
    const { nodes, tooMany } = countOf(plan, inputs);
    expect(tooMany).toBeNull();
    for (const { index, id } of plan.nodes) {
      const { runs, presence } = nodes[index]!;
      const now = rows.state.nodes[index]!;
      const at = { seed, id };
      if (runs !== null) {
        known++;
        expect({ ...at, total: now.total }).toEqual({ ...at, total: runs });
        // Counting without creating the elements ignores their failures, so it counts more.
        expect(cheap.nodes[index]!.runs ?? 0).toBeGreaterThanOrEqual(runs);
      }
      if (isEnumerator(plan.nodes[index]!) || isAggregator(plan.nodes[index]!)) {
        continue;
      }
      if (presence === "always") {
        sure++;
        expect({ ...at, absent: now.absent }).toEqual({ ...at, absent: 0 });
      } else if (presence === "never") {
        sure++;
        expect({ ...at, ran: now.ok + now.failed }).toEqual({ ...at, ran: 0 });
      }
    }
  }
  expect(known).toBeGreaterThan(500);
  expect(sure).toBeGreaterThan(300);
});
