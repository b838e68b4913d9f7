import { describe, expect, test } from "vitest";
import type { Definition } from "../../../../src/contracts/workflows/definition.ts";
import { compile } from "../../../../src/engine/compile/compile.ts";
import { overrideParameters } from "../../../../src/engine/compile/override-parameters.ts";
import { parseDefinition } from "../../../../src/contracts/workflows/parse-definition.ts";
import { findNodeType } from "../../../../src/nodes/registry.ts";

const definition: Definition = parseDefinition(
  JSON.stringify({
    nodes: [
      { id: "rows", type: "enumerate/range", parameters: { start: 1, end: 3 } },
      {
        id: "words",
        type: "text/template",
        parameters: { template: "No. [number]", placeholders: [{ inputPort: "number" }] },
      },
      {
        id: "code",
        type: "image/code",
        parameters: { symbology: "qr", size: 512, code_color: "#112233" },
      },
      { id: "picture", type: "output/image", parameters: {} },
    ],
    connections: [
      { from: { node: "rows", port: "value" }, to: { node: "words", port: "number" } },
      { from: { node: "words", port: "text" }, to: { node: "code", port: "text" } },
      { from: { node: "code", port: "image" }, to: { node: "picture", port: "image" } },
    ],
  }),
);
const { plan, issues } = compile(definition, findNodeType);

function whole(changes: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
  const nodes = definition.nodes.map((node) => ({
    ...node,
    parameters: { ...node.parameters, ...changes[node.id] },
  }));
  return compile({ ...definition, nodes }, findNodeType);
}

function over(changes: Readonly<Record<string, Readonly<Record<string, unknown>>>>) {
  const overrides = Object.entries(changes).flatMap(([node_id, parameters]) =>
    Object.entries(parameters).map(([parameter, value]) => ({
      node_id,
      parameter,
      value_json: JSON.stringify(value),
    })),
  );
  return overrideParameters(definition, plan!, overrides, findNodeType);
}

test("the definition of these tests compiles", () => {
  expect(issues).toEqual([]);
});

describe("parameters that an interface sets", () => {
  test.each([
    ["of a node that nothing else depends on", { code: { size: 64 } }],
    ["of one node, several", { code: { size: 128, background_color: "transparent" } }],
    ["of an output, whose placement follows", { picture: { format: "jpg", quality: 50 } }],
    ["of a node with ports and checks", { words: { template: "<[number]>" } }],
    ["of several nodes", { code: { size: 64 }, picture: { format: "webp" } }],
    ["of a node that is not there", { nobody: { size: 64 } }],
  ])("result in the plan of a compilation: %s", (_what, changes) => {
    const given = over(changes);
    expect(given.plan).toEqual(whole(changes).plan);
    expect(given.plan?.nodes.map(({ params }) => params)).toEqual(
      whole(changes).plan?.nodes.map(({ params }) => params),
    );
  });

  test("leave the version's own plan unchanged, and share everything else", () => {
    const before = structuredClone(plan!.nodes[2]!.params);
    const given = over({ code: { size: 64 } }).plan!;
    expect(plan!.nodes[2]!.params).toEqual(before);
    expect(given.nodes[2]!.params).toMatchObject({ size: 64 });
    expect(given.nodes[0]).toBe(plan!.nodes[0]);
    expect(given.outputs).toBe(plan!.outputs);
    expect(over({}).plan).toBe(plan);
  });

  test("that the node does not accept are rejected like in a compilation", () => {
    expect(over({ code: { size: 1 } })).toEqual(whole({ code: { size: 1 } }));
    expect(over({ code: { size: 1 } }).plan).toBeUndefined();
  });
});
