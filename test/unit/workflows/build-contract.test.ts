import { describe, expect, test } from "vitest";
import type { Definition } from "../../../src/contracts/workflows/definition.ts";
import { buildContract } from "../../../src/domain/workflows/contract/build-contract.ts";
import {
  buildInterface,
  describeInterface,
} from "../../../src/domain/workflows/contract/describe-interface.ts";
import { checkDefinition } from "../../../src/domain/workflows/definition/check-definition.ts";
import { partsOfPlan } from "../../../src/domain/workflows/contract/interface-parts.ts";
import type { Plan } from "../../../src/engine/plan/plan.ts";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";
import { greeting } from "../../support/sample-definitions.ts";

const WORKFLOW = "wf_0190f3c2a5b07c3e8f00000000000001";

function compiled(definition: unknown): { definition: Definition; plan: Plan } {
  const checked = checkDefinition(definition as JsonValue);
  expect(checked.errors).toEqual([]);
  return { definition: checked.definition as Definition, plan: checked.plan as Plan };
}

const contractOf = (definition: unknown, pinnedVersion?: number) =>
  buildContract({ workflowId: WORKFLOW, pinnedVersion, ...compiled(definition) });
const interfaceOf = (definition: unknown) => buildInterface(partsOfPlan(compiled(definition).plan));

/** Inputs of these types and parameters, each with an output of its own, so that all are used. */
function withInputs(...inputs: [type: string, label: string, parameters: unknown][]) {
  const port = (type: string) => (type === "json_value" ? "json" : type);
  return {
    nodes: inputs.flatMap(([type, label, parameters], index) => [
      { id: `in${index}`, type: `input/${type}`, label, parameters },
      { id: `out${index}`, type: "output/json", label: `Out ${index}`, parameters: {} },
    ]),
    connections: inputs.flatMap(([type], index) => {
      const from = { node: `in${index}`, port: port(type) };
      return type === "text" ? [] : [{ from, to: { node: `out${index}`, port: "json" } }];
    }),
  };
}

/** Texts feed text outputs. */
function withTexts(
  ...inputs: [label: string | undefined, parameters: unknown, outputParameters?: unknown][]
) {
  return {
    nodes: inputs.flatMap(([label, parameters, outputParameters], index) => [
      {
        id: `In ${index}`,
        type: "input/text",
        ...(label === undefined ? {} : { label }),
        parameters,
      },
      {
        id: `out${index}`,
        type: "output/text",
        ...(label === undefined ? {} : { label }),
        parameters: outputParameters ?? {},
      },
    ]),
    connections: inputs.map((_, index) => ({
      from: { node: `In ${index}`, port: "text" },
      to: { node: `out${index}`, port: "text" },
    })),
  };
}

describe("port names", () => {
  test("are the trimmed label in lower case with underscores for spaces; the id if there is no label", () => {
    const { inputs, outputs } = interfaceOf(
      withTexts(["  Brand Name ", {}], [undefined, {}], ["ÜBER  Größe", {}]),
    );
    expect(inputs.map(({ name }) => name)).toEqual(["brand_name", "in_1", "über__größe"]);
    expect(outputs.map(({ name }) => name)).toEqual(["brand_name", "out1", "über__größe"]);
  });

  test("[E7] are numbered in nodes[] order, skipping used names", () => {
    const { inputs, outputs } = interfaceOf(
      withTexts(["Text", {}], ["text", {}, { key: "text_2" }], ["Text_2", {}], ["TEXT", {}]),
    );
    expect(inputs.map(({ name }) => name)).toEqual(["text", "text_2", "text_2_2", "text_3"]);
    // The explicit key is reserved before any suffix is assigned.
    expect(outputs.map(({ name }) => name)).toEqual(["text", "text_2", "text_2_2", "text_3"]);
  });
});

describe("the default interface", () => {
  test("states what a submit must contain: a required input with a default may be omitted", () => {
    const { inputs } = interfaceOf(
      withTexts(
        ["A", {}],
        ["B", { default: "x" }],
        ["C", { required: false }],
        ["D", { required: false, default: "" }],
      ),
    );
    expect(inputs).toEqual([
      { name: "a", type: "text", label: "A", required: true },
      { name: "b", type: "text", label: "B", required: false, default_value: '"x"' },
      { name: "c", type: "text", label: "C", required: false },
      { name: "d", type: "text", label: "D", required: false, default_value: '""' },
    ]);
  });

  test("keeps the digits of a default", () => {
    const definition = JSON.stringify(withInputs(["number", "N", { default: 7 }])).replace(
      ":7",
      ":7.50",
    );
    expect(interfaceOf(parseJson(definition)).inputs[0]?.default_value).toBe("7.50");
  });
});

describe("the example", () => {
  test("is a complete submit body with every input, encoded twice", () => {
    const { primary } = contractOf(greeting);
    expect(primary).toEqual({
      inputs: { name: { type: "text", required: true } },
      example: { workflow: WORKFLOW, inputs: { name: { value: '"Example name"' } } },
      notes: [],
    });
    expect(contractOf(greeting, 3).primary.example.version).toBe(3);
  });

  test.each<[string, string, unknown]>([
    ["text", "a label far longer than the limit", { max_length: 4 }],
    ["text", "one character", { max_length: 1 }],
    ["number", "at least", { min: 10.5 }],
    ["number", "at most", { max: -3 }],
    ["number", "stepped", { min: 3, max: 9, step: 4 }],
    ["number", "narrow", { min: 0.2, max: 0.4 }],
    ["boolean", "flag", {}],
    ["json_value", "value", {}],
    [
      "json",
      "rows",
      {
        jsonConfig: {
          properties: [
            { path: "$.a.b", outputPort: "b", outputType: "number" },
            { path: "$.__proto__", outputPort: "p", outputType: "text" },
          ],
        },
      },
    ],
    ["json", "table", { table: "$.orders" }],
  ])("of input/%s %s %j is a value that the node accepts", (type, label, parameters) => {
    const definition =
      type === "text"
        ? withTexts([label, parameters])
        : type === "json"
          ? {
              nodes: [
                { id: "rows", type: "input/json", label, parameters },
                {
                  id: "all",
                  type: "aggregate/json",
                  parameters: { jsonAggregateConfig: { columns: [{ inputPort: "x" }] } },
                },
                { id: "out", type: "output/json", label: "Out" },
              ],
              connections: [
                { from: { node: "rows", port: "item" }, to: { node: "all", port: "x" } },
                { from: { node: "all", port: "json" }, to: { node: "out", port: "json" } },
              ],
            }
          : withInputs([type, label, parameters]);
    const { plan } = compiled(definition);
    const input = partsOfPlan(plan).inputs[0];
    const { primary } = contractOf(definition);
    const [entry] = Object.values(primary.example.inputs);
    expect(primary.notes).toEqual([]);
    const value = parseJson(entry?.value ?? "");
    expect(input?.type.parse(value, input.params)).not.toHaveProperty("problem");
    if (input?.type.enumerate !== undefined) {
      expect(JSON.stringify(value)).toContain(label === "table" ? '{"orders":[' : '"a":{"b":1}');
    }
  });

  test("uses defaults unchanged, also those of optional inputs", () => {
    const { primary } = contractOf(
      withTexts(["A", { default: 'say "hi"' }], ["B", { required: false }]),
    );
    expect(primary.example.inputs).toEqual({
      a: { value: '"say \\"hi\\""' },
      b: { value: '"Example b"' },
    });
    expect(primary.inputs["a"]).toEqual({
      type: "text",
      required: false,
      default_value: '"say \\"hi\\""',
    });
  });

  test("has prototype keys as plain members", () => {
    const { primary } = contractOf(withTexts(["__proto__", {}], ["constructor", {}]));
    expect(Object.keys(primary.inputs)).toEqual(["__proto__", "constructor"]);
    expect(Object.keys(primary.example.inputs)).toEqual(["__proto__", "constructor"]);
    expect(JSON.stringify(primary.example)).toContain('"__proto__":{"value":');
  });
});

describe("outputs", () => {
  test("state where to read: value, url or items, with brackets if a dot would not work", () => {
    const definition = {
      nodes: [
        { id: "t", type: "input/text", label: "T" },
        { id: "rows", type: "enumerate/range", parameters: { start: 1, end: 3 } },
        { id: "code", type: "image/code", parameters: { symbology: "qr" } },
        { id: "a", type: "output/text", parameters: { key: "plain" } },
        { id: "b", type: "output/text", parameters: { key: 'my "key"' } },
        { id: "c", type: "output/image", parameters: { key: "2nd" } },
        { id: "d", type: "output/json", parameters: { key: "many", description: "Each number." } },
      ],
      connections: [
        { from: { node: "t", port: "text" }, to: { node: "a", port: "text" } },
        { from: { node: "t", port: "text" }, to: { node: "b", port: "text" } },
        { from: { node: "t", port: "text" }, to: { node: "code", port: "text" } },
        { from: { node: "code", port: "image" }, to: { node: "c", port: "image" } },
        { from: { node: "rows", port: "value" }, to: { node: "d", port: "json" } },
      ],
    };
    const { outputs, result_example } = contractOf(definition);
    expect(
      outputs.map(({ key, read_from, delivery, cardinality, source_node_id }) => [
        key,
        read_from,
        delivery,
        cardinality,
        source_node_id,
      ]),
    ).toEqual([
      ["plain", "result.by_key.plain.value", "resolved", "single", "a"],
      ['my "key"', 'result.by_key["my \\"key\\""].value', "resolved", "single", "b"],
      ["2nd", 'result.by_key["2nd"].url', "asset", "single", "c"],
      ["many", "result.by_key.many.items", "resolved", "multiple", "d"],
    ]);
    expect(
      outputs.every(({ key, logical_name, schema }) => logical_name === key && schema === null),
    ).toBe(true);
    expect(outputs[3]?.notes[0]).toBe("Each number.");
    // The example result has a value at each path.
    for (const { read_from } of outputs) {
      expect(resolve(result_example, read_from)).toBeTruthy();
    }
    const [picture] = resolve(result_example, 'result.by_key["2nd"].items') as { url: string }[];
    expect(picture).toMatchObject({ thumbnail_url: `${picture?.url}?size=thumbnail` });
  });

  test("[E8] are required unless a branch or an optional input can make them absent", () => {
    const definition = {
      nodes: [
        { id: "must", type: "input/text", label: "Must" },
        { id: "may", type: "input/text", label: "May", parameters: { required: false } },
        {
          id: "usual",
          type: "input/text",
          label: "Usual",
          parameters: { required: false, default: "x" },
        },
        { id: "if", type: "utility/condition", parameters: { operator: "equals", operand: "x" } },
        ...["must", "may", "usual", "branch"].map((id) => ({
          id: `${id}_out`,
          type: "output/text",
          parameters: { key: id },
        })),
      ],
      connections: [
        ...["must", "may", "usual"].map((id) => ({
          from: { node: id, port: "text" },
          to: { node: `${id}_out`, port: "text" },
        })),
        { from: { node: "must", port: "text" }, to: { node: "if", port: "value" } },
        { from: { node: "if", port: "true" }, to: { node: "branch_out", port: "text" } },
      ],
    };
    const found = contractOf(definition).outputs.map(({ key, required, presence }) => [
      key,
      required,
      presence,
    ]);
    expect(found).toEqual([
      ["must", true, ["present"]],
      ["may", false, ["present", "absent"]],
      ["usual", true, ["present"]],
      ["branch", false, ["present", "absent"]],
    ]);
  });
});

describe("custom interfaces", () => {
  const withInterfaces = (...interfaces: object[]) => ({
    ...withTexts(["A", { default: "a" }], ["B", { max_length: 5 }]),
    interfaces,
  });
  const short = {
    id: "int_short",
    name: "Short",
    description: "Only B",
    is_default: true,
    fields: [{ key: "text", type: "text", bind: { node: "In 1" } }],
    outputs: [{ key: "renamed", node: "out1" }],
  };
  const choice = {
    id: "int_choice",
    name: "Choice",
    fields: [
      {
        key: "b",
        type: "enum",
        constraints: { allowed_values: ["too long", "fits"] },
        bind: { node: "In 1" },
      },
      { key: "a", type: "text", default_value: '"field"', bind: { node: "In 0" } },
    ],
    outputs: [],
  };

  test("the recommended one is primary, with its keys; its outputs keep their keys at run time", () => {
    const contract = contractOf(withInterfaces(short, choice));
    expect(contract.primary.interface).toBe("int_short");
    expect(contract.primary.inputs).toEqual({ text: { type: "text", required: true } });
    expect(contract.primary.example).toMatchObject({ workflow: WORKFLOW, interface: "int_short" });
    expect(parseJson(contract.primary.example.inputs["text"]?.value ?? "")).toHaveLength(2);
    expect(contract.outputs.map(({ key }) => key)).toEqual(["b"]);
    expect(contract.alternative_interfaces.map(({ id }) => id)).toEqual(["int_choice"]);
  });

  test("the others are alternatives, with examples that satisfy field and node rules", () => {
    const {
      primary,
      alternative_interfaces: alternatives,
      outputs,
    } = contractOf(withInterfaces({ ...short, is_default: false }, choice));
    expect(primary.interface).toBeUndefined();
    expect(Object.keys(primary.inputs)).toEqual(["a", "b"]);
    expect(outputs).toHaveLength(2);
    expect(alternatives.map(({ id, output_keys }) => [id, output_keys])).toEqual([
      ["int_short", ["b"]],
      ["int_choice", []],
    ]);
    expect(alternatives[1]?.example).toEqual({
      workflow: WORKFLOW,
      interface: "int_choice",
      inputs: { b: { value: '"fits"' }, a: { value: '"field"' } },
    });
  });

  test("a field's default has priority over the node's, and its binding is not shown", () => {
    const { definition, plan } = compiled(withInterfaces(choice));
    const [entry] = definition.interfaces;
    const described = describeInterface(
      entry as Definition["interfaces"][number],
      partsOfPlan(plan),
    );
    expect(described).toEqual({
      id: "int_choice",
      name: "Choice",
      description: "",
      is_default: false,
      fields: [
        {
          key: "b",
          label: "b",
          description: "",
          type: "enum",
          required: true,
          constraints: { allowed_values: ["too long", "fits"] },
        },
        {
          key: "a",
          label: "a",
          description: "",
          type: "text",
          required: false,
          default_value: '"field"',
        },
      ],
      outputs: [],
    });
  });
});

/** Follows a path in `read_from` like a client. */
function resolve(root: unknown, path: string): unknown {
  const steps = path.match(/\["(?:[^"\\]|\\.)*"\]|[^.[\]]+/g) ?? [];
  return steps.reduce<unknown>((value, step) => {
    const key = step.startsWith("[") ? (JSON.parse(step.slice(1, -1)) as string) : step;
    return (value as Record<string, unknown>)[key];
  }, root);
}
