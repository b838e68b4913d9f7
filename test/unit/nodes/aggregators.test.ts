import { describe, expect, test } from "vitest";
import { parseJson, stringifyJson, type JsonValue } from "../../../src/lib/json/exact-json.ts";
import { FileRef } from "../../../src/lib/files/file-ref.ts";
import { failureOf, inputsOf, nodeOf, type Ports, problemsOf } from "./run-node.ts";

function aggregate(type: string, params: unknown, rows: readonly Ports[]) {
  const node = nodeOf(type);
  if (node.role !== "aggregator" || node.aggregate === undefined) {
    throw new Error(type);
  }
  const folding = node.aggregate(node.params.parse(params), inputsOf({}));
  for (const row of rows) {
    folding.add(inputsOf(row));
  }
  return Object.fromEntries(folding.finish());
}

const columns = (...list: object[]) => ({ jsonAggregateConfig: { columns: list } });

describe("aggregate/json", () => {
  test("collects objects in order, with null for an absent column and unchanged digits", () => {
    const params = columns({ inputPort: "a" }, { inputPort: "b", key: "bee" });
    const result = aggregate("aggregate/json", params, [
      { a: parseJson("1.50"), b: "x" },
      { a: parseJson("2") },
    ]);
    expect(stringifyJson(result["json"] as JsonValue)).toBe(
      '[{"a":1.50,"bee":"x"},{"a":2,"bee":null}]',
    );
    expect(result["count"]).toBe(2);
  });

  test("no elements result in an empty list and count 0", () => {
    expect(aggregate("aggregate/json", columns({ inputPort: "a" }), [])).toEqual({
      json: [],
      count: 0,
    });
  });

  test("keys named like prototype members are own keys", () => {
    const params = columns({ inputPort: "a", key: "__proto__" }, { inputPort: "constructor" });
    const result = aggregate("aggregate/json", params, [{ a: 1, constructor: 2 }]);
    expect(stringifyJson(result["json"] as JsonValue)).toBe('[{"__proto__":1,"constructor":2}]');
  });

  test("a file cannot be in JSON", async () => {
    const file = new FileRef({ key: "k", name: "a.png", contentType: "image/png", sizeBytes: 1 });
    const run = () => aggregate("aggregate/json", columns({ inputPort: "a" }), [{ a: file }]);
    expect(await failureOf(run)).toBe("TYPE_MISMATCH");
  });

  test("no columns, duplicate ports and duplicate keys are rejected", () => {
    expect(problemsOf("aggregate/json", columns())).toHaveLength(1);
    expect(problemsOf("aggregate/json", {})).toHaveLength(1);
    expect(
      problemsOf("aggregate/json", columns({ inputPort: "a" }, { inputPort: "a", key: "b" })),
    ).toHaveLength(1);
    expect(
      problemsOf("aggregate/json", columns({ inputPort: "a" }, { inputPort: "b", key: "a" })),
    ).toHaveLength(1);
  });
});

describe("aggregate/text", () => {
  test("joins in order with the separator", () => {
    const rows = ["a", "", "c"].map((text) => ({ text }));
    expect(aggregate("aggregate/text", {}, rows)).toEqual({ text: "a\n\nc" });
    expect(aggregate("aggregate/text", { separator: ", " }, rows)).toEqual({ text: "a, , c" });
    expect(aggregate("aggregate/text", {}, [])).toEqual({ text: "" });
  });

  test("a text larger than one value's limit is VALUE_TOO_LARGE", async () => {
    const rows = Array.from({ length: 20 }, () => ({ text: "x".repeat(1024 * 1024) }));
    expect(await failureOf(() => aggregate("aggregate/text", {}, rows))).toBe("VALUE_TOO_LARGE");
  });
});
