/** Cases of the nodes that run inside a run object and read no table. */
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import type { NodeCase } from "./run-case.ts";

const encoder = new TextEncoder();

/** JSON whose numbers keep their digits. */
const json = parseJson;

const file = (name: string, type: string) => ({
  file: name,
  type,
  bytes: encoder.encode(`the bytes of ${name}`),
});

const ORDERS = json(
  '{"orders":[{"id":7,"price":1.10,"qty":3,"name":"pen","a.b":"x","yes":true},{"id":8,"price":12.50,"qty":2,"name":"ink","yes":false,"n":null}]}',
);

const CHECK = json(
  '{"schema":"svc.quality-check/v1","subject":"Sound","passed":false,"checks":[{"id":"loudness","passed":false,"severity":"error","message":"too quiet"},{"id":"peak","passed":false,"severity":"warning","message":"near 0"},{"id":"silence","passed":true,"severity":"error","message":"ok"}]}',
);

const COLUMNS = {
  jsonConfig: {
    properties: [
      { path: "id", outputPort: "id", outputType: "text" },
      { path: '$["a.b"]', outputPort: "dotted", outputType: "json" },
      {
        outputPort: "total",
        outputType: "number",
        isComputed: true,
        formula: "round(price * qty, 2)",
      },
      {
        outputPort: "label",
        outputType: "text",
        isComputed: true,
        formula: "{{ name | upper }} ({{ qty }})",
      },
    ],
  },
};

const SKIPPING = {
  jsonConfig: {
    properties: [{ path: "n", outputPort: "n", outputType: "number", onInvalid: "skip_row" }],
  },
};
const UNEVEN = json('[{"n":1},{"n":"x"},{},{"n":2.50}]');

const branches = (
  operator: string,
  operand: NodeCase["params"],
  ...values: readonly string[]
): NodeCase[] =>
  values.map((value) => ({
    name: `${operator} ${JSON.stringify(operand)} of ${value}`,
    params: { operator, ...(operand !== undefined && { operand }) },
    ports: { value: json(value) },
  }));

const calculations: readonly (readonly [expression: string, ports: string])[] = [
  ["round(sum(items.price) * 1.19, 2)", '{"items":[{"price":19.99},{"price":5.01}]}'],
  ["a / b", '{"a":1,"b":3}'],
  ["a * b - c * 2 + -a", '{"a":0.1,"b":3,"c":11}'],
  ["min(a, b) + max(a, b) + abs(b) + floor(a) + ceil(a)", '{"a":2.5,"b":-4}'],
  ["a > b and not (a == b) or b >= 3", '{"a":2,"b":1}'],
  ["if(a > 1, a, 0)", '{"a":2}'],
  ["if(a, 1, 2)", '{"a":true}'],
  ["count(items) + avg(items)", '{"items":[1,2,4]}'],
];

const numbers: readonly (readonly [value: string, params: NonNullable<NodeCase["params"]>])[] = [
  ['"1.234,50 €"', { locale: "de-DE", strip: ["€"] }],
  ['"12.5 %"', { percent: true }],
  ['"-0.5%"', { percent: true }],
  ["10.00", {}],
  ['"n/a"', { on_invalid: "absent" }],
  ['"n/a"', { on_invalid: "default", default: 3 }],
];

const outputs = (kind: string, type: string, extension: string): readonly NodeCase[] => [
  { name: "a file under its name", ports: { [kind]: file(`a.${extension}`, type) } },
  {
    name: "a file under another name",
    params: { file_name: "other {index}" },
    ports: { [kind]: file(`a.${extension}`, type) },
  },
];

const inputFile = (name: string, type: string): readonly NodeCase[] => [
  { name: "a stored file", value: file(name, type) },
  { name: "a number is rejected", value: 5 },
];

export const INLINE_CASES: Readonly<Record<string, readonly NodeCase[]>> = {
  "aggregate/json": [
    {
      name: "columns with keys, digits and an absent value",
      params: {
        jsonAggregateConfig: { columns: [{ inputPort: "a" }, { inputPort: "b", key: "bee" }] },
      },
      elements: [{ a: json("1.50"), b: "x" }, { a: json("2") }],
    },
    { name: "no elements", params: { jsonAggregateConfig: { columns: [{ inputPort: "a" }] } } },
  ],
  "aggregate/text": [
    { name: "lines", elements: [{ text: "a" }, { text: "" }, { text: "c" }] },
    { name: "a separator", params: { separator: ", " }, elements: [{ text: "a" }, { text: "b" }] },
    { name: "an empty text first", elements: [{ text: "" }, { text: "b" }] },
    { name: "no elements" },
  ],
  "enumerate/json": [
    {
      name: "columns and formulas of a list below a path",
      params: { path: "$.orders", ...COLUMNS },
      ports: { json: ORDERS },
    },
    { name: "rows that are left out", params: SKIPPING, ports: { json: UNEVEN } },
    { name: "an object fails", ports: { json: { a: 1 } } },
  ],
  "enumerate/range": [
    { name: "decimal steps", params: json('{"start":0,"end":0.5,"step":0.1}') },
    { name: "downward", params: json('{"start":1,"end":0,"step":-0.25}') },
    { name: "no number", params: { start: 2, end: 1 } },
  ],
  "input/audio": inputFile("a.wav", "audio/wav"),
  "input/boolean": [
    { name: "true", value: true },
    { name: "the default", params: { default: false } },
    { name: "nothing, and none required", params: { required: false } },
    { name: "a text is rejected", value: "true" },
  ],
  "input/batch": [
    {
      name: "a list with a column",
      params: {
        jsonConfig: { properties: [{ path: "a", outputPort: "a", outputType: "number" }] },
      },
      value: [{ a: 1 }, { a: null }],
    },
    { name: "an object fails", value: { index: 1, item: 2 } },
  ],
  "input/document": inputFile("a.pdf", "application/pdf"),
  "input/image": inputFile("a.png", "image/png"),
  "input/json": [
    { name: "a list with columns", params: { table: "$.orders", ...COLUMNS }, value: ORDERS },
    { name: "the default", params: { default: [1, "b"], value: [2] } },
    { name: "the value, which is another default", params: { value: [2] } },
    {
      name: "a stored file, with its only list",
      value: {
        ...file("a.json", "application/json"),
        bytes: encoder.encode('{"n":1,"rows":[{"a":1.50},{"a":null}]}'),
      },
    },
    {
      name: "a stored file of lines",
      params: { jsonConfig: { properties: [{ path: "a", outputPort: "a", outputType: "text" }] } },
      value: {
        ...file("a.ndjson", "application/x-ndjson"),
        bytes: encoder.encode('{"a":1.50}\n[2]\n'),
      },
    },
    { name: "rows that are left out", params: SKIPPING, value: UNEVEN },
    { name: "an object fails", value: { a: 1 } },
  ],
  "input/json_value": [
    { name: "an object with digits", value: json('{"b":1.50,"a":[null,"x"]}') },
    { name: "the default", params: { default: { a: 1 } } },
  ],
  "input/model3d": inputFile("a.glb", "model/gltf-binary"),
  "input/number": [
    { name: "digits", value: json("12.50") },
    { name: "a step", params: json('{"min":0.1,"step":0.2}'), value: json("0.5") },
    { name: "between two steps is rejected", params: json('{"step":0.2}'), value: json("0.5") },
    { name: "above the largest is rejected", params: { max: 3 }, value: 4 },
    { name: "a text is rejected", value: "5" },
  ],
  "input/text": [
    { name: "a text", value: "Grüße\n日本" },
    { name: "an empty default", params: { default: "" } },
    { name: "characters beyond the first plane", params: { max_length: 2 }, value: "😀😀" },
    { name: "too long is rejected", params: { max_length: 2 }, value: "abc" },
  ],
  "input/video": inputFile("a.mp4", "video/mp4"),
  "output/audio": outputs("audio", "audio/wav", "wav"),
  "output/document": outputs("document", "application/pdf", "pdf"),
  "output/json": [{ name: "an object with digits", ports: { json: json('{"b":1.50,"a":null}') } }],
  "output/model3d": outputs("model3d", "model/gltf-binary", "glb"),
  "output/text": [{ name: "a text", ports: { text: " a\n" } }],
  "output/video": outputs("video", "video/mp4", "mp4"),
  "text/template": [
    {
      name: "markers, brackets and an absent value",
      params: {
        template: "Dear [name], [[n]] of [unknown][none] [name",
        placeholders: [{ inputPort: "name" }, { inputPort: "n" }, { inputPort: "none" }],
      },
      ports: { name: "[n]", n: "2" },
    },
    {
      name: "a connected template",
      params: { template: "not this", placeholders: [{ inputPort: "a" }] },
      ports: { template: "<[a]>", a: "x" },
    },
    { name: "no template fails" },
  ],
  "utility/calculate": [
    ...calculations.map(([expression, ports]) => ({
      name: expression,
      params: { expression },
      // Written above as objects.
      ports: json(ports) as NonNullable<NodeCase["ports"]>,
    })),
    { name: "division by 0 fails", params: { expression: "1 / a" }, ports: { a: 0 } },
    { name: "a text fails", params: { expression: "a + 1" }, ports: { a: "1" } },
  ],
  "utility/condition": [
    ...branches("equals", 1, "1", "1.0", '"1"', "null"),
    ...branches("not_equals", "a", '"a"', '"b"', "null"),
    ...branches("gt", 2, "2", "2.0001"),
    ...branches("gte", 2, "2", "1.9999"),
    ...branches("lt", "b", '"a"', '"b"'),
    ...branches("lte", "b", '"b"', '"c"'),
    ...branches("contains", "a", '"cat"', '["a"]', '{"a":1}', '["b"]'),
    ...branches("matches", "^a+$", '"aa"', '"ab"'),
    ...branches("is_empty", undefined, '""', "[]", "{}", "0", "null"),
    ...branches("is_true", undefined, "true", "1"),
    {
      name: "a part of the value",
      params: { operator: "equals", operand: 8, path: "$.orders[1].id" },
      ports: { value: ORDERS },
    },
    {
      name: "a number above a text fails",
      params: { operator: "gt", operand: "a" },
      ports: { value: 1 },
    },
    {
      name: "a file is not empty",
      params: { operator: "is_empty" },
      ports: { value: file("a.pdf", "application/pdf") },
    },
  ],
  "utility/json_path": [
    { name: "a list of fields", params: { path: "$.orders[*].price" }, ports: { json: ORDERS } },
    {
      name: "a number as text",
      params: { path: "$.orders[1].price", output_type: "text" },
      ports: { json: ORDERS },
    },
    { name: "a quoted key", params: { path: '$.orders[0]["a.b"]' }, ports: { json: ORDERS } },
    {
      name: "nothing, which is absent",
      params: { path: "$.none", on_missing: "absent" },
      ports: { json: ORDERS },
    },
    { name: "nothing fails", params: { path: "$.none" }, ports: { json: ORDERS } },
    {
      name: "a text as number fails",
      params: { path: "$.orders[0].name", output_type: "number" },
      ports: { json: ORDERS },
    },
  ],
  "utility/json_schema_validate": [
    {
      name: "a value that matches",
      params: { schema_definition: { type: "object", required: ["orders"] } },
      ports: { json: ORDERS },
    },
    {
      name: "JSON text, with the schema as text",
      params: { schema_definition: '{"type":"array","items":{"type":"number"}}' },
      ports: { json: " [1, 2.50]" },
    },
    {
      name: "violations that are reported",
      params: {
        schema_definition: {
          properties: { a: { type: "integer", minimum: 5 }, b: { pattern: "^x" } },
          required: ["c"],
        },
        mode: "report",
      },
      ports: { json: { a: 1.5, b: "y" } },
    },
    {
      name: "a violation fails",
      params: { schema_definition: { type: "array" } },
      ports: { json: ORDERS },
    },
  ],
  "utility/merge": [
    { name: "a failed value blocks" },
    { name: "a failed value is left out", params: { on_failed: "next" } },
  ],
  "utility/quality_gate": [
    { name: "a check that does not pass fails", ports: { quality_check: CHECK, value: "v" } },
    {
      name: "a check that does not pass, skipped",
      params: {
        on_fail: "skip",
        policy: { max_warnings: 0, required_checks: ["silence", "none"] },
      },
      ports: { quality_check: CHECK, value: "v" },
    },
    {
      name: "an ignored check",
      params: { policy: { ignored_checks: ["loudness"], max_warnings: 1 } },
      ports: { quality_check: CHECK, value: "v" },
    },
    { name: "another value fails", ports: { quality_check: { passed: true } } },
  ],
  "utility/switch": [
    {
      name: "the second case",
      params: { cases: [{ equals: "a" }, { equals: 1 }, { equals: 1 }] },
      ports: { value: json("1.0") },
    },
    { name: "no case", params: { cases: [{ equals: "a" }] }, ports: { value: "A" } },
    {
      name: "a part of the value",
      params: { cases: [{ equals: "ink" }], path: "$.orders[1].name" },
      ports: { value: ORDERS },
    },
  ],
  "utility/to_number": [
    ...numbers.map(([value, params]) => ({
      name: `${value} with ${JSON.stringify(params)}`,
      params,
      ports: { value: json(value) },
    })),
    { name: "a word fails", ports: { value: "n/a" } },
  ],
};
