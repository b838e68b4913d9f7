import { describe, expect, test } from "vitest";
import { detailNodeType } from "../../../../src/domain/catalog/describe-node-type.ts";
import { NODE_TYPES } from "../../../../src/nodes/registry.ts";
import {
  copyNodes,
  PASTE_NODES_MAX,
  pasteNodes,
} from "../../../../src/web/editor/core/clipboard.ts";
import {
  connect,
  dropLostWires,
  refuseConnection,
  sourcesFor,
  refusalText,
} from "../../../../src/web/editor/core/connect.ts";
import {
  addNode,
  EMPTY_GRAPH,
  type End,
  type Graph,
  moveNodes,
  readGraph,
  removeNodes,
  setLabel,
  setParameter,
  writeGraph,
} from "../../../../src/web/editor/core/graph.ts";
import {
  commit,
  endBurst,
  HISTORY_STEPS_MAX,
  redo,
  startHistory,
  undo,
} from "../../../../src/web/editor/core/history.ts";
import { layoutGraph } from "../../../../src/web/editor/core/layout-graph.ts";
import { type Catalog, GraphPorts } from "../../../../src/web/editor/core/ports.ts";
import { wordsIn } from "../../../../src/web/editor/locales/locales.ts";
import { parseJson, stringifyJson } from "../../../../src/lib/json/exact-json.ts";

const CATALOG: Catalog = {
  entries: new Map(NODE_TYPES.map((node) => [node.type, detailNodeType(node)])),
};

/** A graph of nodes by id and type, and wires as `a.text > b.value`. */
function graphOf(nodes: Record<string, string>, wires: readonly string[] = []): Graph {
  return readGraph({
    nodes: Object.entries(nodes).map(([id, type]) => ({ id, type, parameters: {} })),
    connections: wires.map((wire) => {
      const [from, to] = wire.split(" > ").map(endOf) as [End, End];
      return { from: { ...from }, to: { ...to } };
    }),
  }).graph;
}

function endOf(text: string): End {
  const [node, port] = text.split(".") as [string, string];
  return { node, port };
}

function wiresOf(graph: Graph): string[] {
  return graph.wires.map(({ from, to }) => `${from.node}.${from.port} > ${to.node}.${to.port}`);
}

function refusal(graph: Graph, wire: string): string | undefined {
  const [from, to] = wire.split(" > ").map(endOf) as [End, End];
  return refuseConnection(new GraphPorts(CATALOG, graph), from, to)?.code;
}

describe("a definition", () => {
  test("is written as it was read, with every digit", () => {
    const text =
      '{"nodes":[{"id":"a","type":"input/number","label":"A","parameters":{"default":12345678901234567890.10},"cache":{"mode":"read","max_age":60},"position":{"x":1,"y":-2.5}}],"connections":[],"interfaces":[{"id":"int_1","odd":1.50}],"settings":{"x":1}}';
    expect(stringifyJson(writeGraph(readGraph(parseJson(text)).graph))).toBe(text);
  });

  test("with entries that cannot be shown is read without them, and they are counted", () => {
    const { graph, skipped } = readGraph({
      nodes: [{ id: "a" }, { id: "a", type: "input/text" }, null, { type: "input/text" }, "x"],
      connections: [{ from: { node: "a", port: "b" } }, 7],
      interfaces: [3, {}],
    });
    expect(skipped).toBe(6);
    expect(graph.nodes).toEqual([{ id: "a", type: "", parameters: {} }]);
    expect(graph.interfaces).toEqual([{}]);
    expect(readGraph("nothing").graph).toEqual(EMPTY_GRAPH);
  });

  test("loses the wires and interface members of a node that is removed, and nothing else", () => {
    const graph = {
      ...graphOf({ a: "input/text", b: "output/text", c: "input/text" }, ["a.text > b.text"]),
      interfaces: [
        {
          name: "i",
          fields: [
            { key: "a", bind: { node: "a" } },
            { key: "c", bind: { node: "c" } },
          ],
          outputs: [{ key: "b", node: "b" }],
        },
      ],
    };
    const left = removeNodes(graph, new Set(["a"]));
    expect(left.nodes.map(({ id }) => id)).toEqual(["b", "c"]);
    expect(left.wires).toEqual([]);
    expect(left.interfaces).toEqual([
      {
        name: "i",
        fields: [{ key: "c", bind: { node: "c" } }],
        outputs: [{ key: "b", node: "b" }],
      },
    ]);
  });
});

describe("a connection", () => {
  const nodes = {
    text: "input/text",
    number: "input/number",
    image: "input/image",
    template: "text/template",
    second: "text/template",
    merge: "utility/merge",
    condition: "utility/condition",
    out: "output/text",
    picture: "output/image",
  };

  test.each([
    ["text.text > template.template", undefined],
    ["number.number > template.template", "CONNECTION_TYPE_MISMATCH"],
    ["number.number > out.text", undefined],
    ["image.image > out.text", "CONNECTION_TYPE_MISMATCH"],
    ["text.nothing > out.text", "unknown_port"],
    ["text.text > out.nothing", "unknown_port"],
    ["text.text > nobody.text", "UNKNOWN_NODE"],
    ["merge.value > merge.inputs", "CYCLE"],
  ])("%s of an empty graph is refused as %s", (wire, code) => {
    expect(refusal(graphOf(nodes), wire)).toBe(code);
  });

  test("to an input that has one is refused, unless the input takes several", () => {
    const graph = graphOf(nodes, ["text.text > out.text", "text.text > merge.inputs"]);
    expect(refusal(graph, "template.text > out.text")).toBe("PORT_ALREADY_CONNECTED");
    expect(refusal(graph, "number.number > merge.inputs")).toBeUndefined();
    expect(refusal(graph, "text.text > merge.inputs")).toBe("PORT_ALREADY_CONNECTED");
  });

  test("that closes a cycle over several nodes is refused", () => {
    const graph = graphOf(nodes, ["template.text > merge.inputs", "merge.value > second.template"]);
    expect(refusal(graph, "second.text > template.template")).toBe("CYCLE");
    expect(refusal(graph, "template.text > second.template")).toBe("PORT_ALREADY_CONNECTED");
  });

  test("beyond the most that an input takes is refused", () => {
    const sources = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`i${String(at)}`, "input/image"]),
    );
    const graph = graphOf(
      { ...sources, ai: "ai/text_generation" },
      Array.from({ length: 8 }, (_, at) => `i${String(at)}.image > ai.images`),
    );
    expect(refusal(graph, "i8.image > ai.images")).toBe("CONNECTION_COUNT");
  });

  test("from an output that passes a type on has the type of its source", () => {
    const open = graphOf(nodes);
    expect(refusal(open, "condition.true > picture.image")).toBeUndefined();
    const fed = graphOf(nodes, ["text.text > condition.value"]);
    expect(refusal(fed, "condition.true > picture.image")).toBe("CONNECTION_TYPE_MISMATCH");
    const mixed = graphOf(nodes, ["text.text > merge.inputs", "number.number > merge.inputs"]);
    expect(refusal(mixed, "merge.value > picture.image")).toBeUndefined();
  });

  test("is made or refused with its reason", () => {
    const made = connect(CATALOG, graphOf(nodes), endOf("text.text"), endOf("out.text"));
    expect("graph" in made && wiresOf(made.graph)).toEqual(["text.text > out.text"]);
    const refused = connect(CATALOG, graphOf(nodes), endOf("image.image"), endOf("out.text"));
    const texts = (["en", "de"] as const).map(
      (locale) => "refusal" in refused && refusalText(wordsIn(locale), refused.refusal),
    );
    expect(texts).toEqual([
      "CONNECTION_TYPE_MISMATCH: “image.image” is image and cannot feed “out.text”, which takes text, number, boolean.",
      "CONNECTION_TYPE_MISMATCH: „image.image“ hat den Typ image und passt nicht zu „out.text“; dort passen: text, number, boolean.",
    ]);
  });

  test("is offered to an input from every output that fits, its own included", () => {
    const graph = graphOf(nodes, ["text.text > template.template", "template.text > out.text"]);
    const offered = sourcesFor(CATALOG, graph, endOf("template.template"));
    expect(offered.map(({ node, port }) => `${node}.${port}`)).toEqual([
      "text.text",
      "second.text",
      "merge.value",
      "condition.true",
      "condition.false",
    ]);
  });

  test("is removed with its port, and named; a dangling one from before stays", () => {
    const before = setParameter(
      graphOf({ a: "input/text", t: "text/template", o: "output/text" }, [
        "a.text > t.name",
        "a.text > t.ghost",
        "t.text > o.text",
      ]),
      "t",
      "placeholders",
      [{ inputPort: "name" }],
    );
    const after = setParameter(before, "t", "placeholders", []);
    const { graph, lost } = dropLostWires(CATALOG, before, after, new Set(["t"]));
    expect(lost.map(({ to }) => to.port)).toEqual(["name"]);
    expect(wiresOf(graph)).toEqual(["a.text > t.ghost", "t.text > o.text"]);
  });
});

describe("undo and redo", () => {
  test("go back 200 steps, and gather a burst into one", () => {
    let history = startHistory(0);
    for (let n = 1; n <= HISTORY_STEPS_MAX + 50; n += 1) {
      history = commit(history, n);
    }
    for (let n = 0; n < HISTORY_STEPS_MAX + 10; n += 1) {
      history = undo(history);
    }
    expect(history.present).toBe(50);
    expect(redo(history).present).toBe(51);

    let typed = startHistory("");
    for (const text of ["h", "ha", "hal"]) {
      typed = commit(typed, text, "label a");
    }
    typed = commit(typed, "hal!", "label b");
    typed = commit(endBurst(typed), "hal!?", "label b");
    expect(typed.past).toEqual(["", "hal", "hal!"]);
    expect(undo(undo(typed)).present).toBe("hal");
  });

  test("a change after an undo ends what could be redone; an unchanged document is not a step", () => {
    const history = commit(undo(commit(startHistory("a"), "b")), "c");
    expect(history.future).toEqual([]);
    expect(commit(history, "c")).toBe(history);
    expect(undo(undo(history)).present).toBe("a");
    expect(redo(history)).toBe(history);
  });
});

describe("copied nodes", () => {
  const graph = moveNodes(
    graphOf({ a: "input/text", b: "text/template", c: "output/text" }, [
      "a.text > b.template",
      "b.text > c.text",
    ]),
    new Map([
      ["a", { x: 100, y: 50 }],
      ["b", { x: 300, y: 60 }],
    ]),
  );

  test("are pasted with new ids and the wires among them, beside the originals or at a place", () => {
    const text = copyNodes(graph, new Set(["a", "b"]));
    expect(JSON.parse(text)).toMatchObject({ svc: "graph/v1", connections: [{}] });
    const pasted = pasteNodes(graph, text);
    if (!("graph" in pasted)) {
      throw new Error(pasted.problem);
    }
    expect(pasted.pasted).toEqual(["text", "template"]);
    expect(wiresOf(pasted.graph)).toEqual([
      "a.text > b.template",
      "b.text > c.text",
      "text.text > template.template",
    ]);
    expect(pasted.graph.nodes[3]?.position).toEqual({ x: 140, y: 90 });
    const again = pasteNodes(pasted.graph, text);
    expect("graph" in again && again.pasted).toEqual(["text_2", "template_2"]);
    const elsewhere = pasteNodes(EMPTY_GRAPH, text, { x: 0, y: 0 });
    expect("graph" in elsewhere && elsewhere.graph.nodes.map(({ position }) => position)).toEqual([
      { x: 0, y: 0 },
      { x: 200, y: 10 },
    ]);
  });

  test.each([
    ["not JSON", "hello", "not_nodes"],
    ["another format", '{"svc":"graph/v2","nodes":[]}', "not_nodes"],
    ["without nodes", '{"svc":"graph/v1","nodes":[]}', "not_nodes"],
    ["with nothing readable", '{"svc":"graph/v1","nodes":[1,null,{}]}', "not_nodes"],
    ["deep", `{"svc":"graph/v1","nodes":[${"[".repeat(500)}${"]".repeat(500)}]}`, "too_large"],
    [
      "with too many nodes",
      JSON.stringify({ svc: "graph/v1", nodes: Array(PASTE_NODES_MAX + 1).fill({ id: "a" }) }),
      "too_large",
    ],
  ])("that are %s change nothing", (_what, text, problem) => {
    expect(pasteNodes(graph, text)).toEqual({ problem });
  });

  test("may be 1,000 nodes with 1,500 wires, and keep keys like __proto__ as data", () => {
    const many = {
      svc: "graph/v1",
      nodes: Array.from({ length: 1_000 }, (_, at) => ({
        id: `n${String(at)}`,
        type: "text/template",
      })),
      connections: Array.from({ length: 1_500 }, (_, at) => ({
        from: { node: `n${String(at % 999)}`, port: "text" },
        to: { node: `n${String((at % 999) + 1)}`, port: "template" },
      })),
    };
    const pasted = pasteNodes(EMPTY_GRAPH, JSON.stringify(many));
    expect("graph" in pasted && [pasted.graph.nodes.length, pasted.graph.wires.length]).toEqual([
      1_000, 1_500,
    ]);
    const odd = pasteNodes(
      EMPTY_GRAPH,
      '{"svc":"graph/v1","nodes":[{"id":"__proto__","type":"t","parameters":{"__proto__":{"x":1}}}]}',
    );
    expect("graph" in odd && Object.hasOwn(odd.graph.nodes[0]!.parameters, "__proto__")).toBe(true);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

test("the layout runs from left to right without nodes over each other", () => {
  const nodes = ["a", "b", "c", "d"].map((id) => ({ id, width: 184, height: 120 }));
  const edges = [
    { from: "a", to: "b" },
    { from: "a", to: "c" },
    { from: "c", to: "d" },
    { from: "x", to: "d" },
  ];
  const places = layoutGraph({ nodes, edges });
  const at = (id: string) => places.get(id)!;
  expect(at("a").x).toBeLessThan(at("b").x);
  expect(at("b").x).toBe(at("c").x);
  expect(at("c").x).toBeLessThan(at("d").x);
  expect(Math.abs(at("b").y - at("c").y)).toBeGreaterThanOrEqual(120);
});

test("a label is removed when it is emptied, and a new node comes last", () => {
  const graph = addNode(graphOf({ a: "input/text" }), { id: "b", type: "x/y", parameters: {} });
  const labeled = setLabel(graph, "a", "Name");
  expect(labeled.nodes[0]?.label).toBe("Name");
  expect(setLabel(labeled, "a", "").nodes[0]).toEqual(graph.nodes[0]);
  expect(graph.nodes.map(({ id }) => id)).toEqual(["a", "b"]);
});

test("types that pass through a thousand nodes are found at once, in a cycle too", () => {
  const nodes = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`n${String(at)}`, "utility/merge"]),
  );
  const wires = Array.from({ length: 999 }, (_, at) => {
    const wire = `n${String(at)}.value > n${String(at + 1)}.inputs`;
    return [wire, wire];
  }).flat();
  const graph = graphOf({ ...nodes, start: "input/image" }, ["start.image > n0.inputs", ...wires]);
  const ports = new GraphPorts(CATALOG, graph);
  expect(ports.typeOf({ node: "n999", port: "value" })).toBe("image");
  const cyclic = graphOf(nodes, [...wires, "n999.value > n0.inputs"]);
  expect(new GraphPorts(CATALOG, cyclic).typeOf({ node: "n5", port: "value" })).toBe("any");
});
