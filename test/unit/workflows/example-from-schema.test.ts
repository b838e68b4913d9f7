import { describe, expect, test } from "vitest";
import { exampleFromSchema } from "../../../src/domain/workflows/contract/example-value.ts";
import { parseJson } from "../../../src/lib/json/exact-json.ts";

describe("an example from a JSON Schema", () => {
  test.each([
    ["the default", { type: "string", default: "d", examples: ["e"] }, "d"],
    ["the constant", { const: 5 }, 5],
    ["the first example", { type: "object", examples: [{ a: 1 }] }, { a: 1 }],
    ["the first of an enumeration", { enum: ["x", "y"] }, "x"],
    ["a text within its bounds", { type: "string", minLength: 9, maxLength: 10 }, "Example.."],
    ["a short text", { type: "string", maxLength: 2 }, "Ex"],
    ["the least number", { type: "number", minimum: 7 }, 7],
    [
      "as many items as it takes",
      { type: "array", minItems: 2, items: { type: "boolean" } },
      [true, true],
    ],
    ["null", { type: "null" }, null],
    ["the first of several types", { type: ["integer", "null"] }, 1],
    [
      "an object with its properties and what is required",
      { type: "object", properties: { a: { type: "string" } }, required: ["b"] },
      { a: "Example", b: {} },
    ],
  ])("is %s", (_name, schema, expected) => {
    expect(exampleFromSchema(schema)).toEqual(expected);
  });

  test("keeps a property named __proto__ as data, and ends for recursive schemas", () => {
    const evil = parseJson(
      '{"properties":{"__proto__":{"type":"number"}},"required":["constructor"]}',
    );
    expect(JSON.stringify(exampleFromSchema(evil))).toBe('{"__proto__":1,"constructor":{}}');
    const endless: Record<string, unknown> = { type: "array", minItems: 1 };
    endless["items"] = endless;
    expect(JSON.stringify(exampleFromSchema(endless as never))).toMatch(/^\[+\{\}\]+$/);
  });
});
