import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../src/expressions/json-schema.ts";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";
import { expectWithin } from "../../support/expect-within.ts";

async function violations(schema: JsonValue, value: JsonValue) {
  return (await compileSchema(schema))(value);
}

describe("values are checked", () => {
  test.each<[JsonValue, JsonValue, boolean]>([
    [true, 1, true],
    [false, 1, false],
    [{ type: "integer" }, 1, true],
    [{ type: "integer" }, 1.5, false],
    [{ type: ["string", "null"] }, null, true],
    [{ const: { a: [1] } }, { a: [1] }, true],
    [{ enum: ["a", "b"] }, "c", false],
    [{ minLength: 2 }, "😀", false],
    [{ multipleOf: 0.01 }, 4.35, true],
    [{ multipleOf: 0.1 }, -0.3, true],
    [{ multipleOf: 0.01 }, -1, true],
    [{ multipleOf: 0.01 }, 3.190_000_05, false],
    [{ multipleOf: 1e-8 }, 1.5e-8, false],
    [{ multipleOf: 1e-8 }, 12_391_239_123, true],
    [{ multipleOf: 0.123_456_789 }, 1e308, false],
    [{ multipleOf: 5e-324 }, -1.797_693_134_862_315_7e308, true],
    [{ multipleOf: 3 }, 0, true],
    [{ minLength: 2, maxLength: 2 }, "😀é", true],
    [{ maxLength: 1 }, "😀é", false],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], false],
    [{ contains: { const: 1 }, minContains: 2 }, [1, 2, 1], true],
    [{ uniqueItems: true }, [{ a: 1 }, { a: 1 }], false],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, false],
    [parseJson('{"if":{"const":1},"then":false}'), 1, false],
    [{ oneOf: [{ type: "number" }, { const: 1 }] }, 1, false],
    [{ not: { type: "string" } }, "x", false],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, 1, false],
    [{ $ref: "sub", $defs: { a: { $id: "sub", type: "string" } } }, "x", true],
    [
      { properties: { n: { $ref: "#" } }, additionalProperties: false },
      { n: { n: { m: 1 } } },
      false,
    ],
    [
      { patternProperties: { "^x-": { type: "number" } }, unevaluatedProperties: false },
      { "x-a": 1 },
      true,
    ],
    [
      { patternProperties: { "^x-": { type: "number" } }, unevaluatedProperties: false },
      { y: 1 },
      false,
    ],
    [{ additionalProperties: { type: "number" } }, { y: "1" }, false],
    [{ properties: { "a.b": true }, additionalProperties: false }, { aXb: 1 }, false],
    [{ format: "email" }, "no address", true],
  ])("%j on %j: %s", async (schema, value, valid) => {
    expect((await violations(schema, value)).length === 0).toBe(valid);
  });

  test("draft-07 and 2019-09 are chosen by $schema", async () => {
    const draft07 = parseJson(
      '{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"integer"}},"items":[{"$ref":"#/definitions/a"}]}',
    );
    expect(await violations(draft07, ["x"])).toEqual([
      { path: "/0", message: "must be of type integer" },
    ]);
    const draft2019 = parseJson(
      '{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"integer"}]}',
    );
    expect(await violations(draft2019, ["x"])).toHaveLength(1);
  });

  test("each violation has a JSON pointer and the rule, never the value", async () => {
    const schema: JsonValue = {
      required: ["a", "b"],
      properties: { "x/y": { type: "array", items: { minimum: 3 } } },
      additionalProperties: false,
    };
    expect(await violations(schema, { "x/y": [5, 1], secret: "hunter2" })).toEqual([
      { path: "", message: 'lacks "a", "b"' },
      { path: "/x~1y/1", message: "must be at least 3" },
      { path: "/secret", message: "is not allowed here" },
    ]);
  });

  test("prototype keys are plain data in schemas and in values", async () => {
    const schema = parseJson(
      '{"properties":{"__proto__":{"type":"number"},"constructor":{"type":"string"}},"required":["toString"]}',
    );
    const found = await violations(schema, parseJson('{"__proto__":"s","constructor":1}'));
    expect(found.map(({ path }) => path).sort()).toEqual(["", "/__proto__", "/constructor"]);
  });
});

describe("schemas that cannot be used are INVALID_SCHEMA", () => {
  const deep = parseJson('{"items":'.repeat(5_000) + "{}" + "}".repeat(5_000));
  test.each<[string, JsonValue]>([
    ["a reference to the net", { $ref: "http://127.0.0.1:9/x.json" }],
    ["a reference to a secure address", { $ref: "https://example.com/x.json" }],
    ["a reference to a file", { $ref: "file:///etc/passwd" }],
    ["a reference to nothing", { $ref: "#/$defs/none" }],
    ["a reference to another author's schema", { $ref: "https://schema.invalid/1" }],
    ["an unknown dialect", { $schema: "https://example.com/dialect" }],
    [
      "a dialect of its own",
      { $id: "https://example.com/d", $vocabulary: { "https://example.com/v": true } },
    ],
    ["the id of a dialect", { $id: "https://json-schema.org/draft/2020-12/schema" }],
    ["an unknown type", { type: "nope" }],
    ["a pattern with look-behind", { pattern: "(?<=a)b" }],
    ["a pattern that does not parse", { pattern: "(" }],
    ["a bad pattern of properties", { patternProperties: { "(": true } }],
    ["a list", [1]],
    ["5,000 levels", deep],
    ["a schema of 300 kB", { description: "x".repeat(300_000) }],
  ])("%s", async (_name, schema) => {
    await expect(compileSchema(schema)).rejects.toMatchObject({ code: "INVALID_SCHEMA" });
  });

  test("a rejected schema leaves nothing behind", async () => {
    await expect(
      compileSchema({ $id: "https://json-schema.org/draft/2020-12/schema", type: "string" }),
    ).rejects.toThrow();
    expect(
      await violations(
        { $ref: "https://json-schema.org/draft/2020-12/schema" },
        { type: "string" },
      ),
    ).toEqual([]);
    expect(await violations({ type: "number" }, 1)).toEqual([]);
  });
});

describe("checking is bounded", () => {
  test("a pattern that makes backtracking engines hang returns at once", async () => {
    const check = await compileSchema({
      pattern: "^(a+)+$",
      patternProperties: { "^(a+)+$": true },
      additionalProperties: true,
    });
    await expectWithin(1_000, () => {
      expect(check(`${"a".repeat(5_000)}b`)).toHaveLength(1);
      expect(check({ [`${"a".repeat(5_000)}b`]: 1 })).toEqual([]);
    });
  });

  test("references that double are stopped", async () => {
    const defs: Record<string, JsonValue> = { d0: { type: "integer" } };
    for (let i = 1; i < 40; i += 1) {
      defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    }
    const check = await compileSchema({ $ref: "#/$defs/d39", $defs: defs });
    expect(() => check(1)).toThrow(expect.objectContaining({ code: "SCHEMA_OPERATION_LIMIT" }));
  });

  test.each<[string, JsonValue]>([
    ["elements", Array.from({ length: 200_001 }, () => 0)],
    ["members", Object.fromEntries(Array.from({ length: 200_001 }, (_, i) => [`m${i}`, 0]))],
    [
      "elements of elements",
      Array.from({ length: 501 }, () => Array.from({ length: 400 }, () => 0)),
    ],
  ])("a value of more than 200,000 %s is not copied for a check", async (_, value) => {
    await expect(violations({}, value)).rejects.toMatchObject({ code: "SCHEMA_OPERATION_LIMIT" });
  });

  test("a reference to itself is stopped", async () => {
    const check = await compileSchema({ $ref: "#" });
    expect(() => check(1)).toThrow(expect.objectContaining({ code: "SCHEMA_OPERATION_LIMIT" }));
  });

  test("a value of 10,000 levels is a violation, not a crash", async () => {
    const check = await compileSchema({ type: "array" });
    expect(check(parseJson("[".repeat(10_000) + "]".repeat(10_000)))).toHaveLength(1);
  });
});

test("one schema text is compiled once", async () => {
  expect(compileSchema({ type: "string", title: "once" })).toBe(
    compileSchema({ type: "string", title: "once" }),
  );
});
