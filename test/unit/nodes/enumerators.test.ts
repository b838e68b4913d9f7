import { describe, expect, test } from "vitest";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";
import { digits, enumerateNode, failureOf, inputsOf, nodeOf, problemsOf } from "./run-node.ts";

const columns = (...properties: object[]) => ({ jsonConfig: { properties } });
const computed = (outputPort: string, outputType: string, formula: string) => ({
  outputPort,
  outputType,
  isComputed: true,
  formula,
});

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return "ok";
}

describe("enumerate/json", () => {
  test("returns item, index and columns by path, strictly in their types", () => {
    const params = {
      path: "$.orders",
      ...columns(
        { path: "id", outputPort: "id", outputType: "text" },
        { path: '$["a.b"]', outputPort: "dotted", outputType: "json" },
        { path: "$.nested.deep", outputPort: "deep", outputType: "boolean" },
      ),
    };
    const json = { orders: [{ id: 7, "a.b": null, nested: { deep: true } }, { id: "x" }] };
    expect(enumerateNode("enumerate/json", params, { json })).toEqual([
      { item: json.orders[0], index: 0, id: "7", dotted: null, deep: true },
      { item: json.orders[1], index: 1, id: "x" },
    ]);
  });

  test("an empty list has no elements", () => {
    expect(enumerateNode("enumerate/json", {}, { json: [] })).toEqual([]);
  });

  test("a value that is not a list is ENUMERATE_NOT_A_LIST", async () => {
    for (const json of [{ a: 1 }, "[]", 5, null] as JsonValue[]) {
      expect(await failureOf(() => enumerateNode("enumerate/json", {}, { json }))).toBe(
        "ENUMERATE_NOT_A_LIST",
      );
    }
    const nested = () => enumerateNode("enumerate/json", { path: "$.none" }, { json: {} });
    expect(await failureOf(nested)).toBe("ENUMERATE_NOT_A_LIST");
  });

  test("text is never converted to a number, and the message has column and row", async () => {
    const params = columns({ path: "a", outputPort: "amount", outputType: "number" });
    const run = () => enumerateNode("enumerate/json", params, { json: [{ a: 1 }, { a: "2" }] });
    expect(await failureOf(run)).toBe("TYPE_MISMATCH");
    expect(message(run)).toMatch(/"amount", row 2/);
  });

  test("computed columns: numbers by expression, others by text formula, from the row's fields", () => {
    const params = columns(
      computed("total", "number", "round(price * qty, 2)"),
      computed("label", "text", "{{ name | upper }} ({{ a_b }})"),
      computed("cheap", "boolean", "{{ yes }}"),
      computed("both", "json", "[{{ qty }},{{ price }}]"),
    );
    const json = parseJson('[{"price":1.10,"qty":3,"name":"pen","a.b":"x","yes":true}]');
    const [row] = enumerateNode("enumerate/json", params, { json });
    expect(digits(row?.["total"])).toBe("3.3");
    expect(row).toMatchObject({ label: "PEN (x)", cheap: true, both: [3, 1.1] });
  });

  test.each([
    ["number", "price * missing"],
    ["number", "price / 0"],
    ["number", "name + 1"],
    ["number", "price > 1"],
    ["text", "{{ missing }}"],
    ["boolean", "{{ name }}"],
    ["json", "{{ name }}"],
  ])(
    "a row that cannot be computed as %s (%s) is FORMULA_ERROR with column and 1-based row",
    async (type, formula) => {
      const params = columns(computed("c", type, formula));
      const run = () =>
        enumerateNode("enumerate/json", params, { json: [{ price: 1, name: "x" }] });
      expect(await failureOf(run)).toBe("FORMULA_ERROR");
      expect(message(run)).toMatch(/"c", row 1/);
    },
  );

  test.each([
    [{ path: "a", outputPort: "item", outputType: "text" }, /outputPort: .*reserved/],
    [{ path: "a", outputPort: "index", outputType: "text" }, /outputPort: .*reserved/],
    [{ outputPort: "x", outputType: "text" }, /path: .*needs a `path`/],
    [{ path: "$.", outputPort: "x", outputType: "text" }, /path: .*character 3/],
    [{ path: "a", outputPort: "x", outputType: "image" }, /outputType: /],
    [{ outputPort: "x", outputType: "number", isComputed: true }, /formula: .*needs a `formula`/],
    [computed("x", "number", "1 +"), /formula: .*character 4/],
    [computed("x", "number", "{{ a }}"), /formula: .*character 1/],
    [computed("x", "text", "{{ a * 2 }}"), /formula: .*arithmetic operator/],
    [computed("x", "text", "{{ a | nope }}"), /formula: There is no filter "nope"/],
    [{ path: "a", outputPort: "x", formula: "1" }, /formula: .*isComputed/],
  ])("rejects the column %j", (column, problem) => {
    const [first] = problemsOf("enumerate/json", columns(column));
    expect(first).toMatch(/^jsonConfig\.properties\.0\./);
    expect(first).toMatch(problem);
  });

  test("every problem is reported, including duplicate names", () => {
    const found = problemsOf(
      "enumerate/json",
      columns(computed("a", "number", "1 +"), computed("a", "text", "{{"), {
        path: "x",
        outputPort: "b",
      }),
    );
    expect(found).toHaveLength(3);
  });

  test("a column may carry any name, prototype names too", () => {
    const params = columns({ path: "constructor", outputPort: "__proto__", outputType: "number" });
    const node = nodeOf("enumerate/json");
    const elements =
      node.role === "enumerator"
        ? node.enumerate?.(
            inputsOf({ json: parseJson('[{"constructor":1},{}]') }),
            node.params.parse(params),
          )
        : [];
    expect(Array.from(elements ?? [], (outputs) => outputs.get("__proto__"))).toEqual([
      1,
      undefined,
    ]);
  });

  test("elements are read one at a time", () => {
    const node = nodeOf("enumerate/json");
    const params = node.params.parse(columns(computed("c", "number", "1 / a")));
    const elements =
      node.role === "enumerator"
        ? node.enumerate?.(inputsOf({ json: [{ a: 1 }, { a: 0 }] }), params)
        : [];
    const iterator = (elements ?? [])[Symbol.iterator]();
    const first = iterator.next();
    expect(first.done !== true && first.value.get("c")).toBe(1);
    expect(() => iterator.next()).toThrow(/row 2/);
  });
});

describe("enumerate/range", () => {
  const values = (json: string) => {
    const rows = enumerateNode("enumerate/range", parseJson(json), {});
    expect(rows.map((row) => row["index"])).toEqual(rows.map((_row, index) => index));
    return rows.map((row) => digits(row["value"])).join(" ");
  };
  test.each([
    ['{"start":1,"end":3}', "1 2 3"],
    ['{"start":1,"end":1}', "1"],
    ['{"start":2,"end":1}', ""],
    ['{"start":0,"end":0.5,"step":0.1}', "0 0.1 0.2 0.3 0.4 0.5"],
    ['{"start":1,"end":0,"step":-0.25}', "1 0.75 0.5 0.25 0"],
    ['{"start":1,"end":2,"step":0.4}', "1 1.4 1.8"],
    ['{"start":1.0,"end":3.0,"step":1.0}', "1 2 3"],
    [
      '{"start":9007199254740992,"end":9007199254740994}',
      "9007199254740992 9007199254740993 9007199254740994",
    ],
  ])("%s gives %s", (params, expected) => {
    expect(values(params)).toBe(expected);
    const node = nodeOf("enumerate/range");
    const count =
      node.role === "enumerator"
        ? node.countItems?.(inputsOf({}), node.params.parse(parseJson(params)))
        : -1;
    expect(count).toBe(expected === "" ? 0 : expected.split(" ").length);
  });

  test("step 0 is rejected when the definition is saved", () => {
    for (const step of ["0", "0.0", "-0"]) {
      expect(
        problemsOf("enumerate/range", parseJson(`{"start":1,"end":2,"step":${step}}`)),
      ).toEqual([expect.stringMatching(/^step: invalid_dynamic_config: /)]);
    }
  });

  test("a range that is too large to count is rejected, and a huge one is counted without iterating", () => {
    expect(problemsOf("enumerate/range", { start: 0, end: 1e300, step: 1e-300 })).toHaveLength(1);
    expect(problemsOf("enumerate/range", { start: 0, end: 1e12 })).toEqual([]);
    expect(problemsOf("enumerate/range", { start: 0, end: "10" })).toHaveLength(1);
    expect(problemsOf("enumerate/range", { end: 1 })).toHaveLength(1);
  });
});

describe("cells that do not convert", () => {
  const property = (more: object) => ({
    path: "$.n",
    outputPort: "n",
    outputType: "number",
    ...more,
  });
  const read = (value: unknown, ...properties: object[]) => {
    const node = nodeOf("enumerate/json");
    const params = node.params.parse({ jsonConfig: { properties } });
    if (node.role !== "enumerator" || node.enumerate === undefined) {
      throw new Error("it does not enumerate");
    }
    const iterator = node.enumerate(inputsOf({ json: value as never }), params)[Symbol.iterator]();
    const elements: unknown[] = [];
    for (;;) {
      const next = iterator.next();
      if (next.done === true) {
        const count = node.countItems?.(inputsOf({ json: value as never }), params);
        expect(count).toBe(elements.length);
        return { elements, notes: next.value };
      }
      elements.push([next.value.get("index"), next.value.get("n")]);
    }
  };
  const VALUES = [{ n: 1 }, { n: "n/a" }, { n: 3 }, { n: "x" }];

  test("fail the node by default, null the cell, or skip the row", () => {
    expect(() => read(VALUES, property({}))).toThrow(/"n", row 2/);
    expect(read(VALUES, property({ onInvalid: "null" }))).toEqual({
      elements: [
        [0, 1],
        [1, undefined],
        [2, 3],
        [3, undefined],
      ],
      notes: { of: 4, skipped: null, nulled: [{ column: "n", count: 2, firstRow: 2 }] },
    });
    expect(read(VALUES, property({ onInvalid: "skip_row" }))).toEqual({
      elements: [
        [0, 1],
        [2, 3],
      ],
      notes: { of: 4, skipped: { count: 2, firstRow: 2, column: "n" }, nulled: [] },
    });
  });

  test("are different from cells that count as empty, compared trimmed and ignoring case", () => {
    const words = { nullValues: [" N/A ", "x"] };
    expect(read(VALUES, property(words))).toEqual({
      elements: [
        [0, 1],
        [1, undefined],
        [2, 3],
        [3, undefined],
      ],
      notes: undefined,
    });
    expect(read([{ n: -1 }, { n: 2 }], property({ nullValues: ["-1"] })).elements).toEqual([
      [0, undefined],
      [1, 2],
    ]);
  });

  test("of a computed column are those that its formula cannot compute", () => {
    const inverse = { outputPort: "n", outputType: "number", isComputed: true, formula: "1 / n" };
    const rows = [{ n: 0 }, { n: 1 }];
    expect(() => read(rows, inverse)).toThrow(/row 1/);
    expect(read(rows, { ...inverse, onInvalid: "skip_row" }).elements).toEqual([[1, 1]]);
    expect(read(rows, { ...inverse, onInvalid: "null" }).elements).toEqual([
      [0, undefined],
      [1, 1],
    ]);
  });

  test("of a row that another column skips are not counted as nulled", () => {
    const other = { path: "$.b", outputPort: "b", outputType: "boolean", onInvalid: "skip_row" };
    const { notes } = read(
      [
        { n: "x", b: "no" },
        { n: "y", b: true },
      ],
      property({ onInvalid: "null" }),
      other,
    );
    expect(notes).toEqual({
      of: 2,
      skipped: { count: 1, firstRow: 1, column: "b" },
      nulled: [{ column: "n", count: 1, firstRow: 2 }],
    });
  });

  test.each([
    [property({ onInvalid: "skip" }), /onInvalid/],
    [property({ nullValues: Array.from({ length: 21 }, () => "a") }), /nullValues/],
    [
      { outputPort: "n", isComputed: true, formula: "1", outputType: "number", nullValues: ["a"] },
      /does not read a field/,
    ],
  ])("%j is rejected", (entry, message) => {
    expect(problemsOf("enumerate/json", { jsonConfig: { properties: [entry] } }).join()).toMatch(
      message,
    );
  });
});
