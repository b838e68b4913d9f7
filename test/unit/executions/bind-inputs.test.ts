import { describe, expect, it } from "vitest";
import type { CustomInterface } from "../../../src/contracts/workflows/definition.ts";
import { parseDefinition } from "../../../src/contracts/workflows/parse-definition.ts";
import { bindInputs } from "../../../src/domain/executions/submit/bind-inputs.ts";
import { compile } from "../../../src/engine/compile/compile.ts";
import { AppError } from "../../../src/lib/errors/errors.ts";
import { parseJson, type JsonValue } from "../../../src/lib/json/exact-json.ts";
import { findNodeType } from "../../../src/nodes/registry.ts";
import { expectWithin } from "../../support/expect-within.ts";

type Given = { readonly [key: string]: JsonValue };

const nodes = [
  { id: "n1", type: "input/text", label: "Head Line", parameters: { required: true } },
  {
    id: "n2",
    type: "input/number",
    label: "Count",
    parameters: { required: false, default: 3, max: 10 },
  },
  { id: "n3", type: "input/boolean", label: "Loud", parameters: { required: false } },
  { id: "n4", type: "input/json_value", label: "Data", parameters: { required: false } },
  // Its name is another node's id: the name has priority.
  { id: "n5", type: "input/text", label: "n1", parameters: { required: false } },
  {
    id: "card",
    type: "text/template",
    parameters: { template: "[a]", placeholders: [{ inputPort: "a" }] },
  },
  { id: "code", type: "image/code", parameters: { symbology: "qr", size: 256 } },
  { id: "out", type: "output/text", label: "Card", parameters: {} },
  { id: "pic", type: "output/image", label: "Picture", parameters: {} },
];
const connections = [
  { from: { node: "n1", port: "text" }, to: { node: "card", port: "a" } },
  { from: { node: "n1", port: "text" }, to: { node: "code", port: "text" } },
  { from: { node: "card", port: "text" }, to: { node: "out", port: "text" } },
  { from: { node: "code", port: "image" }, to: { node: "pic", port: "image" } },
];

function subject(interfaces: readonly Partial<CustomInterface>[] = []) {
  const definition = parseDefinition(JSON.stringify({ nodes, connections, interfaces }));
  const { plan, issues } = compile(definition, findNodeType);
  if (plan === undefined) {
    throw new Error(JSON.stringify(issues));
  }
  return { workflowId: "wf_0190f3aa000070008000000000000001", definition, plan };
}

/** As transmitted. */
function body(text: string): Given {
  return parseJson(text) as Given;
}

function refusal(given: Given, interfaceId: string | null = null, from = subject()): AppError {
  try {
    bindInputs(from, interfaceId, given);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error("the inputs were accepted");
}

const headline = { value: '"hello"' };

describe("binding to the default interface", () => {
  it("accepts port names, applies defaults and leaves optional inputs absent", () => {
    expect(bindInputs(subject(), null, { head_line: headline })).toEqual({
      interface_id: null,
      inputs: [
        { node_id: "n1", value_json: '"hello"' },
        { node_id: "n2", value_json: "3" },
      ],
      assets: [],
      parameter_overrides: [],
      output_node_ids: null,
    });
  });

  it("accepts node ids if no port has that name; a name has priority over another node's id", () => {
    const bound = bindInputs(subject(), null, {
      head_line: headline,
      n2: { value: "7" },
      n1: { value: '"for the port named n1"' },
    });
    expect(bound.inputs).toEqual([
      { node_id: "n1", value_json: '"hello"' },
      { node_id: "n2", value_json: "7" },
      { node_id: "n5", value_json: '"for the port named n1"' },
    ]);
  });

  it("rejects one input given by name and by node id", () => {
    const error = refusal({ head_line: headline, count: { value: "1" }, n2: { value: "1" } });
    expect(error.code).toBe("validation_error");
    expect(error.errors.map(({ field }) => field)).toEqual(["inputs.n2"]);
    expect(error.message).toContain('Send only "count"');
  });

  it("reports an unknown key and the known keys", () => {
    const error = refusal({ head_line: headline, headline });
    expect(error.errors).toEqual([
      { field: "inputs.headline", message: expect.stringContaining('"head_line"') },
    ]);
  });

  it("reports the canonical key of a missing required input, with inputs that would run", () => {
    const error = refusal({ count: { value: "5" } });
    expect(error.status).toBe(400);
    expect(error.code).toBe("validation_error");
    expect(error.message).toContain('"head_line"');
    const example = error.members["example"] as Given;
    expect(error.message).toContain(JSON.stringify(example));
    expect(bindInputs(subject(), null, example).inputs[0]).toMatchObject({ node_id: "n1" });
  });

  it("reports every problem at once", () => {
    const error = refusal({ count: { value: "99" }, loud: { value: '"yes"' }, what: headline });
    expect(error.errors.map(({ field }) => field).toSorted()).toEqual([
      "inputs.count",
      "inputs.head_line",
      "inputs.loud",
      "inputs.what",
    ]);
  });

  it("keeps the digits of numbers as written", () => {
    const digits = "0.10000000000000000000000000001";
    const bound = bindInputs(
      subject(),
      null,
      body(
        `{"head_line":{"value":"\\"x\\""},"count":{"value":"${digits}"},"data":{"value":"{\\"n\\":1.50}"}}`,
      ),
    );
    expect(bound.inputs.slice(1)).toEqual([
      { node_id: "n2", value_json: digits },
      { node_id: "n4", value_json: '{"n":1.50}' },
    ]);
  });
});

describe("the double-encoding rule", () => {
  const messageFor = (entry: string) =>
    refusal(body(`{"head_line":${entry}}`)).errors[0]?.message ?? "";

  it("rejects a text without its own quotes and shows the correct form", () => {
    const message = messageFor('{"value":"hello"}');
    expect(message).toContain("head_line");
    expect(message).toContain('{"value":"\\"hello\\""}');
  });

  it.each([
    ["count", '{"value":"NaN"}'],
    ["count", '{"value":"1,5"}'],
    ["count", '{"value":true}'],
    ["count", '"7"'],
    ["loud", '{"value":"True"}'],
    ["loud", '"yes"'],
    ["loud", '{"value":1}'],
    ["data", '{"value":"NaN"}'],
    ["data", "5"],
  ])("suggests for %s given %s a form that is accepted", (key, entry) => {
    const { errors } = refusal(body(`{"head_line":{"value":"\\"x\\""},"${key}":${entry}}`));
    const advised = /\{"value":"(?:[^"\\]|\\.)*"\}/.exec(errors[0]?.message ?? "")?.[0] ?? "";
    // 12.5 represents any number: this input accepts at most 10.
    const taken = advised.replace("12.5", "2.5");
    expect(() =>
      bindInputs(subject(), null, body(`{"head_line":{"value":"\\"x\\""},"${key}":${taken}}`)),
    ).not.toThrow();
  });

  it("rejects a value that is not a string and shows the correct form", () => {
    expect(messageFor('{"value":5}')).toContain('{"value":"5"}');
    expect(messageFor('{"value":null}')).toContain('{"value":"null"}');
    expect(messageFor('{"value":{"a":1}}')).toContain('{"value":"{\\"a\\":1}"}');
    expect(messageFor('"hello"')).toContain('{"value":"\\"hello\\""}');
  });

  it("accepts exactly one of value and asset_path, and nothing else", () => {
    expect(messageFor("{}")).toContain("neither");
    expect(messageFor('{"value":"1","asset_path":"a"}')).toContain("both");
    expect(messageFor('{"value":"1","x":1}')).toContain('"x"');
    expect(messageFor('{"asset_path":"a/b.txt"}')).toContain("not accept a stored file");
    expect(messageFor("[]")).toContain("object");
  });
});

describe("hostile inputs", () => {
  it.each([
    ["NaN", "NaN"],
    ["Infinity", "Infinity"],
    ["a number beyond a double", "1e999"],
    ["a lone surrogate in JSON", '"\\ud800"'],
    ["nothing", ""],
    ["two values", "1 2"],
    ["deep nesting", "[".repeat(5000) + "]".repeat(5000)],
    ["unbalanced nesting", "[".repeat(100_000)],
  ])("rejects %s with the key", (_name, value) => {
    const error = refusal({ head_line: headline, count: { value } });
    expect(error.errors[0]?.field).toMatch(/^inputs\.count/);
  });

  it("rejects a lone surrogate in a text and in a key inside a value", () => {
    expect(refusal({ head_line: { value: '"\\udc00x"' } }).code).toBe("validation_error");
    const inKey = { value: '{"\\ud800":1}' };
    expect(refusal({ head_line: headline, data: inKey }).errors[0]?.field).toMatch(/data/);
  });

  it("treats prototype keys as unknown keys", () => {
    for (const key of ["__proto__", "constructor", "toString"]) {
      const error = refusal(body(`{"head_line":{"value":"\\"x\\""},"${key}":{"value":"1"}}`));
      expect(error.errors[0]?.field).toBe(`inputs.${key}`);
    }
    const inside = bindInputs(
      subject(),
      null,
      body(
        '{"head_line":{"value":"\\"x\\""},"data":{"value":"{\\"__proto__\\":{\\"polluted\\":1}}"}}',
      ),
    );
    expect(inside.inputs.at(-1)?.value_json).toBe('{"__proto__":{"polluted":1}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("rejects a hundred thousand unknown keys quickly and briefly", async () => {
    const given = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, index) => [`key${String(index)}`, headline]),
    );
    await expectWithin(1_000, () => {
      const error = refusal(given);
      expect(error.errors.length).toBeLessThanOrEqual(100);
      expect(error.message.length).toBeLessThan(4000);
    });
  });

  it("never echoes a complete hostile key or half of a character", () => {
    const error = refusal({ [`${"x".repeat(79)}\ud83d\ude00${"y".repeat(5000)}`]: headline });
    expect(error.message.isWellFormed()).toBe(true);
    expect(JSON.stringify(error.errors).length).toBeLessThan(3000);
  });
});

describe("binding to a custom interface", () => {
  const custom = {
    id: "int_a",
    name: "Short",
    is_default: true,
    fields: [
      { key: "title", type: "text", required: true, bind: { node: "n1" } },
      {
        key: "how_many",
        type: "number",
        required: false,
        default_value: "5",
        bind: { node: "n2" },
        constraints: { min: 1, max: 8, step: 1 },
      },
      {
        key: "ecc",
        type: "enum",
        required: false,
        constraints: { allowed_values: ["L", "H"] },
        bind: { node: "code", parameter: "error_correction" },
      },
    ],
    outputs: [{ key: "renamed", node: "out" }],
  } as const;
  const from = subject([custom as unknown as CustomInterface]);
  const title = { value: '"t"' };

  it("binds its fields to inputs and parameters and filters outputs", () => {
    expect(bindInputs(from, "int_a", { title, ecc: { value: '"H"' } })).toEqual({
      interface_id: "int_a",
      inputs: [
        { node_id: "n1", value_json: '"t"' },
        { node_id: "n2", value_json: "5" },
      ],
      assets: [],
      parameter_overrides: [{ node_id: "code", parameter: "error_correction", value_json: '"H"' }],
      output_node_ids: ["out"],
    });
  });

  it("accepts only its own keys", () => {
    const error = refusal({ title, head_line: headline }, "int_a", from);
    expect(error.errors[0]).toMatchObject({ field: "inputs.head_line" });
    expect(error.errors[0]?.message).toContain('"title", "how_many", "ecc"');
  });

  it("checks constraints and enumerations", () => {
    for (const [key, value] of [
      ["how_many", "0"],
      ["how_many", "9"],
      ["how_many", "1.5"],
      ["how_many", '"3"'],
      ["ecc", '"Q"'],
      ["ecc", '"constructor"'],
    ] as const) {
      const error = refusal({ title, [key]: { value } }, "int_a", from);
      expect(error.errors.map(({ field }) => field)).toEqual([`inputs.${key}`]);
    }
  });

  it("reports its own key for a missing required input, with an example in its own keys", () => {
    const error = refusal({}, "int_a", from);
    expect(error.message).toContain('"title"');
    const example = error.members["example"] as Given;
    expect(Object.keys(example)).toContain("title");
    expect(bindInputs(from, "int_a", example).interface_id).toBe("int_a");
  });

  it("does not apply unless selected, recommended or not", () => {
    expect(bindInputs(from, null, { head_line: headline }).output_node_ids).toBeNull();
  });

  it("lists the available interfaces if an unknown one is selected", () => {
    const error = refusal({ title }, "int_b", from);
    expect(error.code).toBe("validation_error");
    expect(error.message).toContain('"int_a"');
  });
});
