import { describe, expect, test } from "vitest";
import { checkDefinition } from "../../../src/domain/workflows/definition/check-definition.ts";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";
import { greeting, greetingWith } from "../../support/sample-definitions.ts";

const problems = (definition: unknown) =>
  checkDefinition(definition as JsonValue).errors.map(({ code, path }) => [code, path]);

/** The greeting with one custom interface, changed. */
function withInterface(change: object, input: object = {}): unknown {
  const entry = {
    name: "Short",
    fields: [{ key: "who", type: "text", bind: { node: "name" } }],
    outputs: [{ key: "out", node: "message" }],
    ...change,
  };
  return { ...greetingWith({ parameters: { ...input } }), interfaces: [entry] };
}

describe("a definition's structure", () => {
  test("is checked entry by entry, and the readable part is compiled", () => {
    const definition = {
      nodes: [
        5,
        { id: "name", type: "input/text", label: "x".repeat(300), parameters: { max_length: -1 } },
        { type: "output/text" },
        { id: "message", type: "output/text", position: { x: 1 }, color: "red" },
      ],
      connections: [
        { from: { node: "name", port: "text" }, to: { node: "message", port: "nowhere" } },
        { from: { node: "name" }, to: { node: "message", port: "text" } },
      ],
      interfaces: [{ name: "" }],
      settings: [],
      version: 3,
    };
    expect(problems(definition)).toEqual(
      expect.arrayContaining([
        ["INVALID_FIELD", "settings"],
        ["UNKNOWN_FIELD", "version"],
        ["INVALID_FIELD", "nodes[0]"],
        ["INVALID_FIELD", "nodes[1].label"],
        ["INVALID_PARAMETER", "nodes[1].parameters.max_length"],
        ["REQUIRED_FIELD", "nodes[2].id"],
        ["REQUIRED_FIELD", "nodes[3].position.y"],
        ["UNKNOWN_FIELD", "nodes[3].color"],
        ["unknown_port", "connections[0].to.port"],
        ["REQUIRED_FIELD", "connections[1].from.port"],
        ["INVALID_FIELD", "interfaces[0].name"],
        ["REQUIRED_FIELD", "interfaces[0].fields"],
      ]),
    );
    // The connection to "message" could not be read; that its port has no connection is not a new
    // problem.
    expect(problems(definition).map(([code]) => code)).not.toContain("PORT_NOT_CONNECTED");
  });

  test("shows a number beyond a double's range unchanged", () => {
    const definition = parseJson(
      '{"nodes":[{"id":"a","type":"input/text","position":{"x":1e999,"y":0}}]}',
    );
    const [issue] = checkDefinition(definition).errors;
    expect(issue?.path).toBe("nodes[0].position.x");
    expect(issue?.message).toMatch(/; got a number beyond 1\.8e308\.$/);
  });

  test("reports an unknown parameter at its own path, with a similar known name", () => {
    const { errors } = checkDefinition({
      nodes: [
        { id: "a", type: "input/text", parameters: { max_lenght: 3, "a b": 1, constructor: 2 } },
      ],
    });
    expect(errors).toMatchObject([
      {
        code: "INVALID_PARAMETER",
        path: "nodes[0].parameters.max_lenght",
        suggestion: 'Did you mean "max_length"?',
      },
      { code: "INVALID_PARAMETER", path: 'nodes[0].parameters["a b"]' },
      { code: "INVALID_PARAMETER", path: "nodes[0].parameters.constructor" },
    ]);
  });

  test.each([
    ["text/template", { placeholders: [{ inputPort: 5 }] }, ["outputs"]],
    ["utility/calculate", { expression: "1 +" }, ["outputs"]],
    ["enumerate/data_rows", { rowMapping: { columns: 5 } }, ["inputs"]],
    ["utility/json_path", { path: 5, output_type: "text" }, ["inputs"]],
    [
      "aggregate/json",
      { jsonAggregateConfig: { columns: [{ inputPort: "n" }] }, collapse: "x" },
      ["inputs", "outputs"],
    ],
    ["utility/switch", { cases: [{ equals: 1 }], typo: 1 }, ["inputs", "outputs"]],
  ])(
    "%s with invalid parameters also reports unknown ports that do not depend on them",
    (type, parameters, sides) => {
      const definition = {
        nodes: [
          { id: "name", type: "input/text" },
          { id: "x", type, parameters },
          { id: "message", type: "output/text" },
        ],
        connections: [
          { from: { node: "name", port: "text" }, to: { node: "x", port: "nowhere" } },
          { from: { node: "x", port: "nowhere" }, to: { node: "message", port: "text" } },
        ],
      };
      const found = problems(definition);
      expect(found.some(([, path]) => path?.startsWith("nodes[1].parameters"))).toBe(true);
      expect(found.flatMap(([code, path]) => (code === "unknown_port" ? [path] : []))).toEqual(
        sides.map((side) =>
          side === "inputs" ? "connections[0].to.port" : "connections[1].from.port",
        ),
      );
    },
  );

  test("reports a port of a node with valid parameters, whatever its other problems are", () => {
    const columns = [{ sourceColumn: "n", outputPort: "n", outputType: "text" }];
    const definition = {
      nodes: [
        { id: "file", type: "input/data" },
        {
          id: "rows",
          type: "enumerate/data_rows",
          parameters: { rowMapping: { columns }, typo: 1 },
        },
        { id: "out", type: "output/text" },
      ],
      connections: [
        { from: { node: "file", port: "dataset" }, to: { node: "rows", port: "dataset" } },
        { from: { node: "rows", port: "n" }, to: { node: "out", port: "text" } },
      ],
    };
    expect(problems(definition)).toEqual([["INVALID_PARAMETER", "nodes[1].parameters.typo"]]);
  });

  test("has the node's id, and a fix", () => {
    const { errors } = checkDefinition({ nodes: [{ id: "a", type: "input/txt" }] });
    expect(errors).toMatchObject([
      {
        code: "UNKNOWN_NODE_TYPE",
        path: "nodes[0].type",
        node_id: "a",
        suggestion: expect.stringContaining("input/text"),
      },
    ]);
  });

  test.each([null, 1, "x", [], {}, { nodes: {} }, { nodes: null }])(
    "%j is an error, not a fault",
    (definition) => {
      expect(problems(definition).length).toBeGreaterThan(0);
    },
  );

  test("10,000 nodes are rejected before any of them is read", () => {
    const nodes = Array.from({ length: 10_000 }, () => ({ id: 5 }));
    expect(problems({ nodes })).toEqual([["DEFINITION_TOO_LARGE", "nodes"]]);
    const connections = Array.from({ length: 2001 }, () => ({}));
    expect(problems({ nodes: [], connections })).toEqual([["DEFINITION_TOO_LARGE", "connections"]]);
  });

  test("half of a surrogate pair is rejected wherever it would become a key", () => {
    const definition = {
      nodes: [{ id: "a\ud800", type: "input/text", label: "\udc00" }],
      interfaces: [
        {
          name: "x",
          fields: [{ key: "\ud800", type: "text", bind: { node: "a\ud800" } }],
          outputs: [],
        },
      ],
    };
    expect(problems(definition)).toEqual([
      ["INVALID_TEXT", "nodes[0].id"],
      ["INVALID_TEXT", "nodes[0].label"],
      ["INVALID_TEXT", "interfaces[0].fields[0].key"],
    ]);
  });

  test("prototype keys are plain names: unknown as fields and parameters, fine as ids, labels and keys", () => {
    const evil = parseJson(
      '{"nodes":[{"id":"a","type":"input/text","__proto__":{},"parameters":{"__proto__":{"default":"x"},"constructor":1}}]}',
    );
    expect(problems(evil).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
      ["INVALID_PARAMETER", "nodes[0].parameters.__proto__"],
      ["INVALID_PARAMETER", "nodes[0].parameters.constructor"],
      ["UNKNOWN_FIELD", "nodes[0].__proto__"],
    ]);
    const named = {
      nodes: [
        { id: "__proto__", type: "input/text", label: "constructor" },
        { id: "toString", type: "output/text", label: "__proto__" },
      ],
      connections: [
        { from: { node: "__proto__", port: "text" }, to: { node: "toString", port: "text" } },
      ],
    };
    const { plan, errors } = checkDefinition(named);
    expect(errors).toEqual([]);
    expect(plan?.inputs.map(({ name }) => name)).toEqual(["constructor"]);
    expect(plan?.outputs.map(({ key }) => key)).toEqual(["__proto__"]);
  });

  test("a cycle is one error with the ids of its nodes", () => {
    const template = (id: string) => ({
      id,
      type: "text/template",
      parameters: { template: "[x]", placeholders: [{ inputPort: "x" }] },
    });
    const definition = {
      nodes: [template("a"), template("b"), { id: "out", type: "output/text" }],
      connections: [
        { from: { node: "a", port: "text" }, to: { node: "b", port: "x" } },
        { from: { node: "b", port: "text" }, to: { node: "a", port: "x" } },
        { from: { node: "a", port: "text" }, to: { node: "out", port: "text" } },
      ],
    };
    const { errors } = checkDefinition(definition);
    expect(errors).toMatchObject([{ code: "CYCLE" }]);
    expect(errors[0]?.message).toContain("a");
    expect(errors[0]?.message).toContain("b");
  });
});

describe("a custom interface", () => {
  test("that binds its field and declares its output is valid", () => {
    expect(problems(withInterface({}))).toEqual([]);
  });

  test.each<[string, object, string, string]>([
    [
      "an unknown node",
      { fields: [{ key: "who", type: "text", bind: { node: "nobody" } }] },
      "INTERFACE_UNKNOWN_NODE",
      "interfaces[0].fields[0].bind.node",
    ],
    [
      "a node that is not an input",
      { fields: [{ key: "who", type: "text", bind: { node: "line" } }] },
      "INTERFACE_NOT_AN_INPUT",
      "interfaces[0].fields[0].bind",
    ],
    [
      "a parameter that is not exposable",
      { fields: [{ key: "who", type: "json", bind: { node: "line", parameter: "placeholders" } }] },
      "INTERFACE_PARAMETER_NOT_EXPOSABLE",
      "interfaces[0].fields[0].bind.parameter",
    ],
    [
      "a parameter that does not exist",
      { fields: [{ key: "who", type: "text", bind: { node: "line", parameter: "constructor" } }] },
      "INTERFACE_PARAMETER_NOT_EXPOSABLE",
      "interfaces[0].fields[0].bind.parameter",
    ],
    [
      "a type that does not fit",
      { fields: [{ key: "who", type: "number", bind: { node: "name" } }] },
      "INTERFACE_TYPE_MISMATCH",
      "interfaces[0].fields[0].type",
    ],
    [
      "one target twice",
      {
        fields: [
          { key: "a", type: "text", bind: { node: "name" } },
          { key: "b", type: "text", bind: { node: "name" } },
        ],
      },
      "INTERFACE_DUPLICATE_TARGET",
      "interfaces[0].fields[1].bind",
    ],
    [
      "one key twice",
      {
        fields: [
          { key: "a", type: "text", bind: { node: "name" } },
          { key: "a", type: "text", bind: { node: "line", parameter: "template" } },
        ],
      },
      "INTERFACE_DUPLICATE_KEY",
      "interfaces[0].fields[1].key",
    ],
    [
      "a required input unbound",
      { fields: [] },
      "INTERFACE_REQUIRED_INPUT_UNBOUND",
      "interfaces[0].fields",
    ],
    [
      "a default that is not JSON",
      { fields: [{ key: "who", type: "text", default_value: "x", bind: { node: "name" } }] },
      "INTERFACE_INVALID_DEFAULT",
      "interfaces[0].fields[0].default_value",
    ],
    [
      "a default of another type",
      { fields: [{ key: "who", type: "text", default_value: "1", bind: { node: "name" } }] },
      "INTERFACE_INVALID_DEFAULT",
      "interfaces[0].fields[0].default_value",
    ],
    [
      "an enum without values",
      { fields: [{ key: "who", type: "enum", bind: { node: "name" } }] },
      "INTERFACE_ENUM_WITHOUT_VALUES",
      "interfaces[0].fields[0].constraints.allowed_values",
    ],
    [
      "an output that does not exist",
      { outputs: [{ key: "out", node: "nobody" }] },
      "INTERFACE_UNKNOWN_OUTPUT",
      "interfaces[0].outputs[0].node",
    ],
    [
      "an output that is none",
      { outputs: [{ key: "out", node: "line" }] },
      "INTERFACE_UNKNOWN_OUTPUT",
      "interfaces[0].outputs[0].node",
    ],
    [
      "one output twice",
      {
        outputs: [
          { key: "a", node: "message" },
          { key: "b", node: "message" },
        ],
      },
      "INTERFACE_DUPLICATE_TARGET",
      "interfaces[0].outputs[1].node",
    ],
    ["an id of another kind", { id: "default" }, "INTERFACE_INVALID_ID", "interfaces[0].id"],
  ])("with %s is rejected", (_name, change, code, path) => {
    expect(problems(withInterface(change))).toContainEqual([code, path]);
  });

  test("may leave an input unbound if it has a default or is optional", () => {
    expect(problems(withInterface({ fields: [] }, { default: "you" }))).toEqual([]);
    expect(problems(withInterface({ fields: [] }, { required: false }))).toEqual([]);
  });

  test("rejects a default that the node itself rejects", () => {
    const fields = [
      { key: "who", type: "text", default_value: '"too long"', bind: { node: "name" } },
    ];
    expect(problems(withInterface({ fields }, { max_length: 3 }))).toEqual([
      ["INTERFACE_INVALID_DEFAULT", "interfaces[0].fields[0].default_value"],
    ]);
  });

  test("binds a table's file to a document field, and to no other kind of media", () => {
    const withField = (type: string) => ({
      nodes: [
        { id: "table", type: "input/data", label: "Table", parameters: {} },
        { id: "rows", type: "output/json", parameters: {} },
      ],
      connections: [
        { from: { node: "table", port: "profile" }, to: { node: "rows", port: "json" } },
      ],
      interfaces: [
        {
          name: "Rows",
          fields: [{ key: "file", type, bind: { node: "table" } }],
          outputs: [],
        },
      ],
    });
    expect(problems(withField("document"))).toEqual([]);
    expect(problems(withField("image"))).toEqual([
      ["INTERFACE_TYPE_MISMATCH", "interfaces[0].fields[0].type"],
    ]);
  });

  test("sets an exposable parameter with a field of its kind, within its options", () => {
    const nodes = [
      ...greeting.nodes,
      { id: "code", type: "image/code", parameters: { symbology: "qr" } },
      { id: "image", type: "output/image", parameters: {} },
    ];
    const connections = [
      ...greeting.connections,
      { from: { node: "line", port: "text" }, to: { node: "code", port: "text" } },
      { from: { node: "code", port: "image" }, to: { node: "image", port: "image" } },
    ];
    const fieldsWith = (type: string, parameter: string, constraints?: object) => ({
      nodes,
      connections,
      interfaces: [
        {
          name: "Codes",
          fields: [
            { key: "who", type: "text", bind: { node: "name" } },
            {
              key: "p",
              type,
              required: false,
              bind: { node: "code", parameter },
              ...(constraints && { constraints }),
            },
          ],
          outputs: [],
        },
      ],
    });
    expect(problems(fieldsWith("text", "code_color"))).toEqual([]);
    expect(problems(fieldsWith("number", "code_color"))).toEqual([
      ["INTERFACE_TYPE_MISMATCH", "interfaces[0].fields[1].type"],
    ]);
    expect(problems(fieldsWith("enum", "module_shape", { allowed_values: ["rounded"] }))).toEqual(
      [],
    );
    expect(
      problems(fieldsWith("enum", "module_shape", { allowed_values: ["rounded", "wobbly"] })),
    ).toEqual([
      ["INTERFACE_VALUE_NOT_ALLOWED", "interfaces[0].fields[1].constraints.allowed_values"],
    ]);
  });

  test("two with one id, or two recommended, are rejected", () => {
    const one = (withInterface({ id: "int_a", is_default: true }) as { interfaces: object[] })
      .interfaces[0];
    expect(problems({ ...greeting, interfaces: [one, one] })).toEqual([
      ["INTERFACE_DUPLICATE_ID", "interfaces[1].id"],
      ["INTERFACE_TWO_DEFAULTS", "interfaces[1].is_default"],
    ]);
  });

  test("with an optional field for an input that needs a value is a warning", () => {
    const fields = [{ key: "who", type: "text", required: false, bind: { node: "name" } }];
    const { errors, warnings } = checkDefinition(withInterface({ fields }) as JsonValue);
    expect(errors).toEqual([]);
    expect(warnings).toMatchObject([{ code: "INTERFACE_FIELD_IS_NEEDED" }]);
  });
});

describe("an enumerator with an invalid configuration", () => {
  const rows = (columns: unknown, connections: readonly [string, string, string][]) =>
    problems({
      nodes: [
        { id: "rows", type: "input/csv", parameters: { csvConfig: { columns } } },
        { id: "price", type: "utility/calculate", parameters: { expression: "p * 2" } },
        { id: "out", type: "output/json" },
        { id: "picture", type: "output/image" },
      ],
      connections: connections.map(([port, node, to]) => ({
        from: { node: "rows", port },
        to: { node, port: to },
      })),
    });
  const all: readonly [string, string, string][] = [
    ["price", "price", "p"],
    ["name", "out", "json"],
    ["item", "picture", "image"],
  ];

  test("is the only problem: connections from its ports are not reported", () => {
    const good = { header: "Price", outputPort: "price", outputType: "number" };
    expect(rows([good, { outputPort: "name" }], all)).toEqual([
      ["invalid_dynamic_config", "nodes[0].parameters.csvConfig.columns[1].header"],
    ]);
    // Two connections to one port are not reported either.
    expect(rows([{ outputPort: "price" }], [...all, ["other", "price", "p"]])).toEqual([
      ["invalid_dynamic_config", "nodes[0].parameters.csvConfig.columns[0].header"],
    ]);
  });

  test("and when it is valid, the connections are checked", () => {
    const price = { header: "Price", outputPort: "price", outputType: "text" };
    expect(rows([price], all).map(([code]) => code)).toEqual([
      "unknown_port",
      "PORT_NOT_CONNECTED",
      "CONNECTION_TYPE_MISMATCH",
    ]);
  });
});
