import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detailNodeType } from "../../../../src/domain/catalog/describe-node-type.ts";
import { searchNodeTypes } from "../../../../src/domain/catalog/search-node-types.ts";
import { expressionVariables as variablesOfTree } from "../../../../src/expressions/expression-metadata.ts";
import { parseExpression } from "../../../../src/expressions/parse-expression.ts";
import { NODE_TYPES, NODES_BY_TYPE } from "../../../../src/nodes/registry.ts";
import { searchEntries } from "../../../../src/web/editor/core/palette.ts";
import { type CatalogEntry, portsOf, type Ports } from "../../../../src/web/editor/core/ports.ts";
import { expressionVariables } from "../../../../src/web/editor/core/variables.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";

const ENTRIES: readonly CatalogEntry[] = NODE_TYPES.map(detailNodeType);

function entryOf(type: string): CatalogEntry {
  return ENTRIES.find((entry) => entry.type === type)!;
}

/** Names and types on both sides, as the service resolves them for parameters that it accepts. */
function resolved(type: string, parameters: Record<string, JsonValue>) {
  const node = NODES_BY_TYPE.get(type)!;
  const { inputs, outputs, without } = {
    inputs: [],
    outputs: [],
    without: [],
    ...node.dynamicPorts?.resolve(node.params.parse(parameters), new Map() as never),
  };
  const names = (own: readonly { name: string; type: string }[], more: typeof own) =>
    [...own.filter(({ name }) => !without.includes(name)), ...more].map(
      (port) => `${port.name}: ${port.type}`,
    );
  return { inputs: names(node.inputs, inputs), outputs: names(node.outputs, outputs) };
}

function shown({ inputs, outputs }: Ports) {
  const names = (ports: Ports["inputs"]) => ports.map(({ name, type }) => `${name}: ${type}`);
  return { inputs: names(inputs), outputs: names(outputs) };
}

const CASES: readonly (readonly [string, Record<string, JsonValue>])[] = [
  ["ai/lifestyle", {}],
  ["ai/lifestyle", { variants: 2 }],
  ["ai/text_to_image", { variants: 4 }],
  [
    "video/split",
    {
      segments: [
        { start: "0", end: "1" },
        { start: "1", end: "2" },
      ],
    },
  ],
  ["audio/split", { segments: [{ start: "0", end: "1" }] }],
  ["utility/switch", { cases: [{ equals: 1 }, { equals: "b" }, { equals: null }] }],
  ["utility/calculate", { expression: "round(sum(items.price) * rate, 2) + true_cost" }],
  ["utility/json_path", { path: "$.a", output_type: "number" }],
  ["utility/json_path", { path: "$.a" }],
  ["utility/media_from_url", { media_type: "video" }],
  ["ai/text_generation", {}],
  ["ai/text_generation", { json_schema: { type: "object" } }],
  ["text/template", { template: "[a]", placeholders: [{ inputPort: "a" }, { inputPort: "b c" }] }],
  ["aggregate/json", { jsonAggregateConfig: { columns: [{ inputPort: "x", key: "y" }] } }],
  [
    "enumerate/json",
    { jsonConfig: { properties: [{ path: "a", outputPort: "a", outputType: "number" }] } },
  ],
  ["enumerate/json", { jsonConfig: { properties: [{ path: "a", outputPort: "a" }] } }],
  [
    "input/batch",
    { jsonConfig: { properties: [{ path: "a", outputPort: "a", outputType: "number" }] } },
  ],
  ["enumerate/csv", { csvConfig: { columns: [{ header: "A", outputPort: "a" }] } }],
  ["input/csv", { csvConfig: { columns: [{ header: "A", outputPort: "a", outputType: "url" }] } }],
  [
    "enumerate/data_rows",
    {
      rowMapping: {
        columns: [
          { sourceColumn: "A", outputPort: "a", outputType: "number" },
          { sourceColumn: "B", outputPort: "b", outputType: "text", selected: false },
        ],
      },
    },
  ],
];

describe("the ports that follow from a catalog entry", () => {
  test.each(CASES)("of %s with %j are those of the service", (type, parameters) => {
    expect(shown(portsOf(entryOf(type), parameters))).toEqual(resolved(type, parameters));
  });

  test("of a type without dynamic ports are its static ones, list ports without brackets", () => {
    for (const node of NODE_TYPES) {
      if (node.dynamicPorts === undefined) {
        const { inputs, outputs } = shown(portsOf(entryOf(node.type), {}));
        expect(inputs).toEqual(node.inputs.map(({ name, type }) => `${name}: ${type}`));
        expect(outputs).toEqual(node.outputs.map(({ name, type }) => `${name}: ${type}`));
      }
    }
  });

  test("are cases for every type whose ports follow from parameters alone", () => {
    const covered = new Set(CASES.map(([type]) => type));
    const variants = new Set(["ai/lifestyle", "ai/text_to_image"]);
    const missing = ENTRIES.filter(
      ({ type, dynamic_ports: dynamic = [] }) =>
        dynamic.length > 0 &&
        !covered.has(type) &&
        !dynamic.some(({ mode }) => mode === "count" && variants.size > 0) &&
        !["input/json", "design/template_render"].includes(type),
    );
    expect(missing.map(({ type }) => type)).toEqual([]);
  });

  test("are the static ones for values that are not of the parameter's form", () => {
    for (const value of [null, "x", 7, {}, [], [1, null], { columns: 3 }, { columns: [{}] }]) {
      for (const entry of ENTRIES) {
        const given = Object.fromEntries(entry.parameters.map(({ name }) => [name, value]));
        expect(() => portsOf(entry, given), entry.type).not.toThrow();
      }
    }
  });

  test("named `optional` are those with a wire and the next one", () => {
    const inputs = (connected: readonly string[]) =>
      portsOf(entryOf("design/template_render"), {}, { connected: new Set(connected) })
        .inputs.map(({ name }) => name)
        .filter((name) => name.startsWith("data_"));
    expect(inputs([])).toEqual(["data_0"]);
    expect(inputs(["data_1"])).toEqual(["data_0", "data_1", "data_2"]);
    expect(inputs(["data_19"])).toHaveLength(20);
  });

  test("include the fields of the template that the node names", () => {
    const fields = [{ name: "headline", type: "text", label: "Headline" }];
    const { inputs } = portsOf(entryOf("design/template_render"), {}, { fields });
    expect(inputs.map(({ name }) => name)).toContain("headline");
  });
});

describe("the variables of an expression", () => {
  const name = fc.constantFrom("a", "b_2", "preis", "größe", "$x", "sum1");
  const expression: fc.Arbitrary<string> = fc.letrec<{ e: string }>((tie) => ({
    e: fc.oneof(
      { maxDepth: 4 },
      name,
      fc.constantFrom("1", "2.5", ".5", "1e3", "true", "false"),
      fc.tuple(name, name).map(([base, field]) => `${base}.${field}`),
      fc
        .tuple(tie("e"), fc.constantFrom("+", "-", "*", "/"), tie("e"))
        .map((each) => `(${each.join(" ")})`),
      fc
        .tuple(tie("e"), fc.constantFrom("and", "or", "==", "<="), tie("e"))
        .map((each) => `(${each.join(" ")})`),
      tie("e").map((operand) => `round( ${operand} )`),
      fc.tuple(tie("e"), tie("e"), tie("e")).map((each) => `if(${each.join(",")})`),
      tie("e").map((operand) => `(not ${operand})`),
    ),
  })).e;

  test("are those that the service's parser finds, in the same order", () => {
    fc.assert(
      fc.property(expression, (source) => {
        expect(expressionVariables(source, 50)).toEqual(variablesOfTree(parseExpression(source)));
      }),
      { numRuns: 300 },
    );
  });

  test("are found in an unfinished expression, at most as many as the catalog allows", () => {
    expect(expressionVariables("price * (1 + ", 50)).toEqual(["price"]);
    expect(expressionVariables("a + b + c", 2)).toEqual(["a", "b"]);
  });
});

test.each(["text", "csv row", "pdf", "ai/ style", "loud", "no such thing", "picture model_"])(
  "the palette orders the search %j as the catalog does",
  (search) => {
    expect(searchEntries(ENTRIES, search).map(({ type }) => type)).toEqual(
      searchNodeTypes(NODE_TYPES.map(detailNodeType), search).map(({ type }) => type),
    );
  },
);
