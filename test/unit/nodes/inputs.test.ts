import { describe, expect, test } from "vitest";
import { parseJson } from "../../../src/lib/json/exact-json.ts";
import { enumerateNode, failureOf, nodeOf, problemsOf } from "./run-node.ts";

/** `ok` or the problem of a submitted value, given as its JSON text. */
function submit(type: string, params: unknown, json: string): string {
  const node = nodeOf(type);
  if (node.role !== "input") {
    throw new Error(type);
  }
  const parsed = node.parse(parseJson(json), node.params.parse(params));
  return "problem" in parsed ? parsed.problem : "ok";
}

describe("submitted values", () => {
  test.each([
    ["input/text", {}, '"x"', /^ok$/],
    ["input/text", {}, '""', /^ok$/],
    ["input/text", {}, "5", /Must be a text/],
    ["input/text", {}, "null", /Must be a text/],
    ["input/text", {}, '"\\ud800"', /surrogate/],
    ["input/text", { max_length: 3 }, '"😀😀😀"', /^ok$/],
    ["input/text", { max_length: 3 }, '"abcd"', /Has 4 characters and must not have more than 3/],
    ["input/number", {}, "5", /^ok$/],
    ["input/number", {}, "12345678901234567890.123", /^ok$/],
    ["input/number", {}, '"5"', /Must be a number/],
    ["input/number", {}, "1e400", /finite/],
    ["input/number", {}, "-1e999999999999", /finite/],
    ["input/number", { min: 0.1, max: 0.3 }, "0.30", /^ok$/],
    ["input/number", { min: 0.1 }, "0.09", /at least 0.1/],
    ["input/number", { max: 9007199254740992 }, "9007199254740993", /at most/],
    ["input/number", { step: 0.1 }, "0.3", /^ok$/],
    ["input/number", { min: 1, step: 0.5 }, "1.75", /steps of 0.5/],
    ["input/boolean", {}, "true", /^ok$/],
    ["input/boolean", {}, '"true"', /Must be a boolean/],
    ["input/boolean", {}, "1", /Must be a boolean/],
    ["input/json_value", {}, '{"__proto__":{"constructor":1}}', /^ok$/],
    ["input/json_value", {}, '["\\udfff"]', /surrogate/],
    ["input/json_value", {}, '{"\\udfff":1}', /surrogate/],
    ["input/json_value", {}, "[".repeat(10_000) + "]".repeat(10_000), /deeper than 128/],
    ["input/json", {}, "[1]", /^ok$/],
    ["input/json", {}, "[".repeat(129) + "]".repeat(129), /deeper than 128/],
    ["input/json", {}, "[".repeat(128) + "]".repeat(128), /^ok$/],
  ])("%s %j accepts %s: %s", (type, params, json, response) => {
    expect(submit(type, params, json.length > 100 ? json : json)).toMatch(response);
  });

  test("numbers keep their own digits", () => {
    const node = nodeOf("input/number");
    const parsed =
      node.role === "input" ? node.parse(parseJson("1.50"), node.params.parse({})) : {};
    expect(JSON.stringify(parsed)).toBe('{"value":1.50}');
  });
});

describe("defaults", () => {
  test("null and a missing default do not count as a default, false and 0 do", () => {
    const defaults = (type: string, params: unknown) => {
      const node = nodeOf(type);
      return node.role === "input" ? node.defaultValue(node.params.parse(params)) : "no input";
    };
    expect(defaults("input/text", {})).toBeUndefined();
    expect(defaults("input/text", { default: null })).toBeUndefined();
    expect(defaults("input/text", { default: "" })).toBe("");
    expect(defaults("input/number", { default: 0 })).toBe(0);
    expect(defaults("input/boolean", { default: false })).toBe(false);
    expect(defaults("input/json_value", { default: [] })).toEqual([]);
    expect(defaults("input/json", { value: [1] })).toEqual([1]);
    expect(defaults("input/json", { value: [1], default: [2] })).toEqual([2]);
  });

  test("bounds that no value meets are rejected", () => {
    expect(problemsOf("input/number", { min: 2, max: 1 })).toEqual([
      expect.stringMatching(/^min: /),
    ]);
    expect(problemsOf("input/number", { step: 0 })).toEqual([expect.stringMatching(/^step: /)]);
  });
});

describe("input/json runs over a list", () => {
  test("each element is returned whole and by column, in order", () => {
    const params = {
      table: "$.rows",
      jsonConfig: { properties: [{ path: "$.a", outputPort: "a", outputType: "number" }] },
    };
    expect(
      enumerateNode("input/json", params, { value: { rows: [{ a: 1 }, { a: 2 }, {}] } }),
    ).toEqual([{ item: { a: 1 }, a: 1 }, { item: { a: 2 }, a: 2 }, { item: {} }]);
  });

  test("only its own port's name is reserved", () => {
    const column = (outputPort: string) => ({
      jsonConfig: { properties: [{ path: "a", outputPort }] },
    });
    expect(problemsOf("input/json", column("index"))).toEqual([]);
    expect(problemsOf("input/json", column("item"))).toHaveLength(1);
  });

  test("a value that is not a list is ENUMERATE_NOT_A_LIST", async () => {
    for (const value of [{ a: [] }, "text", 5, null]) {
      expect(await failureOf(() => enumerateNode("input/json", {}, { value }))).toBe(
        "ENUMERATE_NOT_A_LIST",
      );
    }
  });
});
