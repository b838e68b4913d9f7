import { describe, expect, test } from "vitest";
import { compile } from "../../../../src/engine/compile/compile.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";
import { defineGraph, type GraphNode } from "../../../simulation/define-graph.ts";
import { planOf } from "../plan-of.ts";

const write = (...ports: string[]) => ({
  template: ports.map((port) => `[${port}]`).join(""),
  placeholders: ports.map((inputPort) => ({ inputPort })),
});
const range = (id: string): GraphNode => [id, "enumerate/range", { start: 1, end: 2 }];
const TEXT_OUT: GraphNode = ["out", "output/text"];

describe("a definition", () => {
  test("[E1] reports every problem, each with code, path, node and suggestion, and no plan", () => {
    const definition = defineGraph(
      [
        ["name", "input/text", { max_length: -1 }],
        ["late", "input/txt"],
        ["sum", "utility/calculate", { expression: "a + b" }],
        TEXT_OUT,
      ],
      ["nam.text > sum.a", "name.txt > sum.b", "sum.result > out.text"],
    );
    const { plan, issues } = compile(definition, findNodeType, ["input/text", "output/text"]);
    expect(plan).toBeUndefined();
    expect(issues.map(({ code, path, node_id }) => [code, path, node_id])).toEqual([
      ["INVALID_PARAMETER", "nodes[0].parameters.max_length", "name"],
      ["UNKNOWN_NODE_TYPE", "nodes[1].type", "late"],
      ["UNKNOWN_NODE", "connections[0].from.node", undefined],
      ["unknown_port", "connections[1].from.port", "name"],
      ["CALC_UNCONNECTED_VARIABLE", "nodes[2]", "sum"],
      ["CALC_UNCONNECTED_VARIABLE", "nodes[2]", "sum"],
    ]);
    expect(issues.slice(1, 4).map(({ suggestion }) => suggestion)).toEqual([
      'Did you mean "input/text"?',
      'Did you mean "name"?',
      'Did you mean "text"?',
    ]);
  });

  test("[E1] without a problem compiles to a plan, the same one each time", () => {
    const definition = defineGraph(
      [["name", "input/text"], ["line", "text/template", write("a")], TEXT_OUT],
      ["name.text > line.a", "line.text > out.text"],
    );
    const { plan, issues } = compile(definition, findNodeType);
    expect(issues).toEqual([]);
    expect(plan?.nodes.map(({ id }) => id)).toEqual(["name", "line", "out"]);
    expect(compile(structuredClone(definition), findNodeType).plan).toEqual(plan);
  });
});

describe("connections", () => {
  const TEXTS: readonly GraphNode[] = [
    ["a", "input/text"],
    ["b", "input/text"],
  ];

  test("[E2] are limited to one for an input port, and the second is rejected", () => {
    const { plan, issues } = compile(
      defineGraph([...TEXTS, TEXT_OUT], ["a.text > out.text", "b.text > out.text"]),
      findNodeType,
    );
    expect(plan).toBeUndefined();
    expect(issues).toMatchObject([
      { code: "PORT_ALREADY_CONNECTED", path: "connections[1].to.port", node_id: "out" },
    ]);
  });

  test("[E2] to a list port may be several, and keep their order", () => {
    const plan = planOf(
      [...TEXTS, ["either", "utility/merge"], TEXT_OUT],
      ["b.text > either.inputs", "a.text > either.inputs", "either.value > out.text"],
    );
    const [port] = plan.nodes.find(({ id }) => id === "either")!.inputs;
    expect(port?.sources.map(({ node }) => plan.nodes[node]?.id)).toEqual(["b", "a"]);
  });

  test("[E3] of incompatible types are rejected at their target", () => {
    const { issues } = compile(
      defineGraph(
        [["name", "input/text"], ["gate", "utility/calculate", { expression: "n + 1" }], TEXT_OUT],
        ["name.text > gate.n", "gate.result > out.text"],
      ),
      findNodeType,
    );
    expect(issues).toMatchObject([
      { code: "CONNECTION_TYPE_MISMATCH", path: "connections[0]", node_id: "gate" },
    ]);
  });
});

describe("axes", () => {
  /**
   * `c` varies over what an innermost aggregate leaves of `a` × `b`. After `b` is placed, `a` is
   * not placed yet, so `a` is the later of the two and is closed: `c` varies over `b` alone, has
   * the lowest index of the remaining nodes, and comes before `a`.
   */
  const nodes: readonly GraphNode[] = [
    ["c", "enumerate/json", { path: "$" }],
    range("b"),
    range("a"),
    ["join", "text/template", write("x", "y")],
    [
      "inner",
      "aggregate/json",
      { jsonAggregateConfig: { columns: [{ inputPort: "t" }] }, collapse: "innermost" },
    ],
    ["last", "text/template", write("p", "q")],
    TEXT_OUT,
  ];
  const links = [
    "a.value > join.x",
    "b.value > join.y",
    "join.text > inner.t",
    "inner.json > c.json",
    "c.index > last.p",
    "a.value > last.q",
    "last.text > out.text",
  ];

  test("[E4] that are not placed yet count as later than every placed one, in any order of connections", () => {
    for (const order of [links, links.toReversed()]) {
      const { axes, nodes: planned } = planOf(nodes, order);
      expect(axes.map(({ node }) => planned[node]?.id)).toEqual(["b", "c", "a"]);
    }
  });

  test("[E5] are in the scopes of the nodes that they feed, one more after an enumerator, fewer after an aggregator", () => {
    const plan = planOf(nodes, links);
    const named = (scope: number) =>
      (plan.scopes[scope]?.axes ?? []).map((axis) => plan.nodes[plan.axes[axis]!.node]!.id);
    const scopes = plan.nodes.map(({ id, scope, outputScope }) => [
      id,
      named(scope),
      named(outputScope),
    ]);
    expect(Object.fromEntries(scopes.map(([id, ...rest]) => [id, rest]))).toEqual({
      a: [[], ["a"]],
      b: [[], ["b"]],
      join: [
        ["b", "a"],
        ["b", "a"],
      ],
      inner: [["b", "a"], ["b"]],
      c: [["b"], ["b", "c"]],
      last: [
        ["b", "c", "a"],
        ["b", "c", "a"],
      ],
      out: [
        ["b", "c", "a"],
        ["b", "c", "a"],
      ],
    });
  });
});

test("[E6] the ready node with the lowest index in nodes[] comes first", () => {
  const plan = planOf(
    [
      ["late", "text/template", write("g")],
      ["second", "input/text"],
      ["out", "output/text"],
      ["first", "input/text"],
      ["other", "output/text"],
    ],
    ["first.text > late.g", "late.text > out.text", "second.text > other.text"],
  );
  expect(plan.nodes.map(({ id }) => id)).toEqual(["second", "first", "late", "out", "other"]);
});

test("[E8] an output that depends on an absent axis or on several inputs of a list is required only if it cannot be absent", () => {
  const merged = (inputs: readonly [GraphNode, GraphNode]) =>
    planOf(
      [...inputs, ["either", "utility/merge"], TEXT_OUT],
      ["a.text > either.inputs", "b.text > either.inputs", "either.value > out.text"],
    ).outputs[0]?.required;
  const may: GraphNode = ["a", "input/text", { required: false }];
  expect(merged([may, ["b", "input/text"]])).toBe(true);
  expect(merged([may, ["b", "input/text", { required: false }]])).toBe(false);

  const gathered = (parameters: Readonly<Record<string, unknown>>) =>
    planOf(
      [["rows", "input/json", parameters], ["all", "aggregate/text"], TEXT_OUT],
      ["rows.item > all.text", "all.text > out.text"],
    ).outputs[0]?.required;
  expect(gathered({})).toBe(true);
  expect(gathered({ required: false })).toBe(false);
});
