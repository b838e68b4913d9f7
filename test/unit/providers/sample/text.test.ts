import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../../src/expressions/json-schema.ts";
import type { JsonValue } from "../../../../src/lib/json/exact-json.ts";
import { answerPrompt } from "../../../../src/providers/sample/text/answer-prompt.ts";

async function documentFor(schema: JsonValue): Promise<unknown> {
  const answer = await answerPrompt({ prompt: "x", system: "", images: 0, schema });
  if (answer === undefined) {
    return undefined;
  }
  const value = JSON.parse(answer.pieces.join("")) as JsonValue;
  expect((await compileSchema(schema))(value)).toEqual([]);
  return value;
}

/** A schema of lists in lists, so many deep, with so many elements each. */
function lists(depth: number, minItems: number, items: JsonValue): JsonValue {
  return depth === 0
    ? items
    : { type: "array", minItems, items: lists(depth - 1, minItems, items) };
}

/** A schema of an object with so many required members. */
function members(count: number, member: JsonValue): JsonValue {
  const names = Array.from({ length: count }, (_, i) => `m${i}`);
  return { type: "object", required: names, additionalProperties: member };
}

describe("the sample text", () => {
  test("says that it is a sample and what it was given", async () => {
    const answer = await answerPrompt({
      prompt: "Ein kurzer Satz\nüber Äpfel",
      system: "Be brief.",
      images: 1,
      schema: undefined,
    });
    const text = answer!.pieces.join("");
    expect(text).toBe(
      "[sample] No language model is configured, so this is not an answer to the prompt. It had 5 words and 1 image.",
    );
    expect(answer!.pieces.length).toBeGreaterThan(10);
    expect(answer!.inputTokens).toBe(Math.ceil(9 / 4) + Math.ceil(28 / 4));
    expect(answer!.outputTokens).toBe(Math.ceil(text.length / 4));
  });

  test.each<[JsonValue, unknown]>([
    [true, "sample"],
    [{}, "sample"],
    [{ type: "string" }, "sample"],
    [{ type: "string", minLength: 9 }, "samplesam"],
    [{ type: "string", maxLength: 3 }, "sam"],
    [{ type: "string", format: "date" }, "2000-01-01"],
    [{ type: "string", format: "email", minLength: 30 }, "samplesamplesample@example.com"],
    [{ type: "integer" }, 0],
    [{ type: "integer", minimum: 3 }, 3],
    [{ type: "integer", maximum: -2, multipleOf: 5 }, -5],
    [{ type: "number", minimum: 0.1, maximum: 0.4, multipleOf: 0.25 }, 0.25],
    [{ type: "number", exclusiveMinimum: 0, maximum: 1 }, 1],
    [{ type: "boolean" }, false],
    [{ type: "null" }, null],
    [{ type: ["string", "integer"] }, 0],
    [{ enum: ["long", "no", "yes"] }, "no"],
    [{ const: { a: [1] } }, { a: [1] }],
    [{ type: "array", items: { type: "integer" } }, []],
    [{ type: "array", items: { type: "integer", minimum: 2 }, minItems: 3 }, [2, 2, 2]],
    [{ type: "array", items: { type: "boolean" }, minItems: 2, uniqueItems: true }, [false, true]],
    // The first value that fits the rest of the schema, also as an element.
    [{ type: "array", items: { enum: ["a", 7], type: "integer" }, minItems: 2 }, [7, 7]],
    [
      {
        type: "array",
        items: { anyOf: [{ const: 1 }, { const: "ab" }], not: { const: 1 } },
        minItems: 1,
      },
      ["ab"],
    ],
    [{ type: "number", minimum: 0.29, exclusiveMaximum: 0.3, multipleOf: 0.01 }, 0.29],
    [{ type: "number", maximum: -0.999, multipleOf: 0.01 }, -1],
    [{ type: "number", minimum: 0.561, maximum: 0.575, multipleOf: 0.01 }, 0.57],
    [{ type: "number", minimum: -0.575, maximum: -0.561, multipleOf: 0.01 }, -0.57],
    [{ type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } }, {}],
    [
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "integer" } },
        required: ["a"],
        additionalProperties: false,
      },
      { a: "sample" },
    ],
    [{ anyOf: [{ type: "string" }, { type: "array" }, { type: "boolean" }] }, []],
    [{ oneOf: [{ type: "integer" }, { type: "number" }, { type: "string" }] }, "sample"],
    [
      {
        oneOf: [
          { type: "integer", minimum: 0 },
          { type: "integer", maximum: 0 },
        ],
      },
      1,
    ],
    [{ allOf: [{ type: "integer", minimum: 4 }, { multipleOf: 3 }] }, 6],
    [
      { allOf: [{ required: ["a"] }, { properties: { a: { enum: ["x", "y"] } } }], type: "object" },
      { a: "x" },
    ],
    [
      {
        $ref: "#/$defs/node",
        $defs: {
          node: {
            type: "object",
            properties: {
              name: { type: "string" },
              next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
            },
            required: ["name", "next"],
          },
        },
      },
      { name: "sample", next: null },
    ],
    [
      { $ref: "#/$defs/a~1b", $defs: { "a/b": { $ref: "#id" }, c: { $anchor: "id", const: 7 } } },
      7,
    ],
    [
      {
        anyOf: [{ type: "integer" }, { type: "string" }],
        allOf: [{ anyOf: [{ minLength: 2 }] }],
        type: "string",
      },
      "sample",
    ],
  ])("for %j is the smallest instance", async (schema, expected) => {
    expect(await documentFor(schema)).toEqual(expected);
  });

  test.each<[JsonValue]>([
    [false],
    [{ type: "string", minLength: 4, maxLength: 2 }],
    [{ type: "string", pattern: "^[0-9]{4}$" }],
    [{ allOf: [{ type: "string" }, { type: "integer" }] }],
    [{ type: "integer", minimum: 0.2, maximum: 0.8 }],
    [
      {
        $ref: "#/$defs/endless",
        $defs: {
          endless: {
            type: "object",
            properties: { a: { $ref: "#/$defs/endless" }, b: { $ref: "#/$defs/endless" } },
            required: ["a", "b"],
          },
        },
      },
    ],
  ])("for %j finds none", async (schema) => {
    expect(await documentFor(schema)).toBeUndefined();
  });

  test.each([
    ["lists of lists", lists(4, 300, { type: "string" })],
    ["lists of long texts", lists(1, 4_000, { type: "string", minLength: 100_000 })],
    ["many long texts", members(1_000, { type: "string", minLength: 100_000 })],
    ["members of members", members(40, members(40, members(40, members(40, { const: "x" }))))],
  ])(
    "finds none where a few words describe a document that no memory holds: %s",
    async (_, schema) => {
      expect(await documentFor(schema)).toBeUndefined();
    },
  );

  test("has as many elements as a schema asks for, while an answer can have them", async () => {
    expect(await documentFor(lists(2, 150, { type: "string" }))).toEqual(
      Array.from({ length: 150 }, () => Array.from({ length: 150 }, () => "sample")),
    );
  });

  test("refuses a schema that does not compile", async () => {
    await expect(documentFor({ type: "no type" })).rejects.toMatchObject({
      code: "INVALID_SCHEMA",
    });
  });
});
