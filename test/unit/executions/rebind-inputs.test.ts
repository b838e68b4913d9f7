import { describe, expect, it } from "vitest";
import type { CustomInterface } from "../../../src/contracts/workflows/definition.ts";
import { parseDefinition } from "../../../src/contracts/workflows/parse-definition.ts";
import { rebindInputs } from "../../../src/domain/executions/retry/rebind-inputs.ts";
import { compile } from "../../../src/engine/compile/compile.ts";
import { encodeSpilled, encodeValue } from "../../../src/engine/values.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import type { JsonValue } from "../../../src/lib/json/exact-json.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";

type Nodes = readonly (readonly [id: string, label: string, type?: string])[];

const definitionOf = (nodes: Nodes, interfaces: readonly object[] = []) =>
  JSON.stringify({
    nodes: nodes.map(([id, label, type = "input/text"]) => ({
      id,
      type,
      label,
      parameters: { required: false },
    })),
    connections: [],
    interfaces,
  });

const picture = new FileRef({
  key: "ws/k/a.png",
  name: "a.png",
  contentType: "image/png",
  sizeBytes: 3,
});

async function rebound(
  before: Nodes,
  stored: Readonly<Record<string, string>>,
  after: Nodes,
  replaced: { readonly [key: string]: JsonValue } = {},
) {
  const definition = parseDefinition(definitionOf(after));
  const { plan } = compile(definition, findNodeType);
  return rebindInputs(
    {
      definition_json: definitionOf(before),
      inputs: Object.entries(stored).map(([node_id, value]) => ({ node_id, stored: value })),
      parameter_overrides: [],
    },
    { plan: plan!, entry: undefined },
    replaced,
    async () => '"a long text"',
  );
}

const said = encodeValue("hello");

describe("the inputs of a retry", () => {
  it("are those of the source: by node id, whatever it is called now", async () => {
    const { given, dropped } = await rebound([["n1", "Head"]], { n1: said }, [["n1", "Title"]]);
    expect(given).toEqual({ title: { value: '"hello"' } });
    expect(dropped).toEqual([]);
  });

  it("are bound by port name where the node has another id", async () => {
    const { given } = await rebound([["n1", "Head"]], { n1: said }, [["n2", "Head"]]);
    expect(given).toEqual({ head: { value: '"hello"' } });
  });

  it("never take the place of another input of the source", async () => {
    const both = { a: said, b: encodeValue("other") };
    const { given, dropped } = await rebound(
      [
        ["a", "One"],
        ["b", "Two"],
      ],
      both,
      [["b", "One"]],
    );
    expect(given).toEqual({ one: { value: '"other"' } });
    expect(dropped).toEqual(["one"]);
  });

  it("are dropped, by the key that they had, where there is no place", async () => {
    const { given, dropped } = await rebound([["n1", "Head"]], { n1: said }, [["n2", "Foot"]]);
    expect([given, dropped]).toEqual([{}, ["head"]]);
  });

  it("are replaced by key, and taken out by null; an unknown key is left to be refused", async () => {
    const nodes: Nodes = [
      ["n1", "Head"],
      ["n2", "Foot"],
    ];
    const stored = { n1: said, n2: said };
    const { given } = await rebound(nodes, stored, nodes, {
      head: { value: '"new"' },
      n2: null,
      nothing: null,
    });
    expect(given).toEqual({ head: { value: '"new"' }, nothing: null });
  });

  it("keep stored files, unless the input takes no such file, and read long values", async () => {
    const nodes: Nodes = [["pic", "Picture", "input/image"]];
    const stored = { pic: encodeValue(picture) };
    const kept = await rebound(nodes, stored, nodes);
    expect([...kept.files]).toEqual([["pic", stored.pic]]);
    const sound = await rebound(nodes, stored, [["pic", "Picture", "input/audio"]]);
    expect([sound.files.size, sound.dropped]).toEqual([0, ["picture"]]);
    const without = await rebound(nodes, stored, nodes, { picture: null });
    expect(without.files.size).toBe(0);
    const long = await rebound([["n1", "Head"]], { n1: encodeSpilled(picture) }, [["n1", "Head"]]);
    expect(long.given).toEqual({ head: { value: '"a long text"' } });
  });

  it("of input/batch stay a batch's item only there: elsewhere they are what the item gave", async () => {
    const batch: Nodes = [["n1", "Rows", "input/batch"]];
    const json: Nodes = [["n1", "Rows", "input/json"]];
    const item = encodeValue({ index: 3, item: { a: 1 } });
    const list = encodeValue([{ a: 1 }]);
    const kept = await rebound(batch, { n1: item }, [["n2", "Rows", "input/batch"]]);
    expect([[...kept.values], kept.given]).toEqual([[["n2", '{"index":3,"item":{"a":1}}']], {}]);
    const unwrapped = await rebound(batch, { n1: item }, json);
    expect([unwrapped.values.size, unwrapped.given]).toEqual([0, { rows: { value: '{"a":1}' } }]);
    for (const after of [batch, json]) {
      const sent = await rebound(batch, { n1: list }, after);
      expect([sent.values.size, sent.given]).toEqual([0, { rows: { value: '[{"a":1}]' } }]);
    }
    // A value of another input is checked like one that a submit sends, and cannot forge an index.
    for (const [type, stored, value] of [
      ["input/text", said, '"hello"'],
      ["input/json", encodeValue({ index: -3, item: 1 }), '{"index":-3,"item":1}'],
    ] as const) {
      const other = await rebound([["n1", "Rows", type]], { n1: stored }, batch);
      expect([other.values.size, other.given]).toEqual([0, { rows: { value } }]);
    }
  });

  it("of an interface are bound to its fields, and their parameters to those that set them", async () => {
    const fields = [
      { key: "topic", label: "Topic", type: "text", bind: { node: "n1" } },
      { key: "wide", label: "Wide", type: "boolean", bind: { node: "n2", parameter: "required" } },
    ];
    const definition = parseDefinition(
      definitionOf([
        ["n1", "Head"],
        ["n2", "Foot"],
      ]),
    );
    const { plan } = compile(definition, findNodeType);
    const { given, dropped } = await rebindInputs(
      {
        definition_json: definitionOf([
          ["n1", "Head"],
          ["n2", "Foot"],
        ]),
        inputs: [
          { node_id: "n1", stored: said },
          { node_id: "n2", stored: said },
        ],
        parameter_overrides: [
          { node_id: "n2", parameter: "required", value_json: "true" },
          { node_id: "n2", parameter: "gone", value_json: "1" },
        ],
      },
      { plan: plan!, entry: { id: "i", fields, outputs: [] } as unknown as CustomInterface },
      { topic: null },
      async () => "",
    );
    // An input that the interface does not show has its default, as at every submit.
    expect(given).toEqual({ wide: { value: "true" } });
    expect(dropped).toEqual(["n2.gone"]);
  });
});
