import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExpressionNode } from "../../../src/expressions/expression-ast.ts";
import { FormulaSyntaxError } from "../../../src/expressions/formula-syntax-error.ts";
import { compileExpression } from "../../../src/expressions/compile-expression.ts";
import { parseExpression } from "../../../src/expressions/parse-expression.ts";
import { ExactNumber, type JsonValue } from "../../../src/lib/json/exact-json.ts";
import { expectWithin } from "../../support/expect-within.ts";

function characterOf(source: string): number | undefined {
  try {
    parseExpression(source);
  } catch (error) {
    if (error instanceof FormulaSyntaxError) {
      return error.character;
    }
    throw error;
  }
  return undefined;
}

describe("an invalid expression is rejected with its 1-based character", () => {
  test.each([
    ["", 1],
    ["   ", 1],
    ["1 +", 4],
    ["1 + * 2", 5],
    ["1 2", 3],
    ["(1", 3],
    ["1)", 2],
    ["foo(1)", 1],
    ["sum", 1],
    ["sum()", 1],
    ["round(1, 2, 3)", 1],
    ["if(true, 1)", 1],
    ["a.", 3],
    ["a.5", 2],
    ["a..b", 3],
    ["2x", 2],
    ["1.", 2],
    ["1e", 2],
    ["0x10", 2],
    ["a % b", 3],
    ["a ^ b", 3],
    ["a = b", 3],
    ["a && b", 3],
    ["a < b < c", 7],
    ['"text"', 1],
    ["a[0]", 2],
    ["and", 1],
    ["1 + and", 5],
    ["😀 + 1", 1],
    ["a /*😀*/ + ^", 5],
    ["true(1)", 5],
  ])("%j at %d", (source, character) => {
    expect(characterOf(source)).toBe(character);
  });

  test("characters are counted as code points, not as UTF-16 units", () => {
    expect(characterOf("𝒳 + 𝒴 + )")).toBe(9);
  });
});

describe("hostile expressions are rejected within 100 ms", () => {
  test.each([
    ["100 kB of sums", "1+".repeat(50_000) + "1"],
    ["100 kB of opening parentheses", "(".repeat(100_000)],
    ["9 kB of opening parentheses", "(".repeat(9_000)],
    ["9 kB of minus signs", "-".repeat(9_000) + "1"],
    ["9 kB of calls", "abs(".repeat(2_000)],
    ["9 kB of not", "not ".repeat(2_200) + "true"],
  ])("%s", async (_name, source) => {
    await expectWithin(100, () => {
      expect(() => parseExpression(source)).toThrow(/limit is exceeded/);
    });
  });

  test("a long flat expression within the limit is accepted, because depth is nesting and not length", () => {
    expect(parseExpression("1+".repeat(4_999) + "1").kind).toBe("chain");
    expect(parseExpression("a and ".repeat(1_000) + "a").kind).toBe("logic");
    expect(parseExpression(`a${".b".repeat(4_000)}`).kind).toBe("field");
  });
});

test("the text printed from a tree parses to the same tree", () => {
  const leaf: fc.Arbitrary<string> = fc.oneof(
    fc.constantFrom("a", "b.c", "items.if.true", "true", "false", "constructor"),
    fc.nat(999).map(String),
    fc.constantFrom("1.50", ".5", "1e3", "2E-2"),
  );
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4, depthIdentifier: "expression" },
      leaf,
      fc
        .tuple(
          tie("tree"),
          fc.constantFrom("+", "-", "*", "/", "==", "<=", "and", "or"),
          tie("tree"),
        )
        .map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
      tie("tree").map((a) => `-(${a})`),
      tie("tree").map((a) => `not (${a})`),
      fc
        .array(tie("tree"), { minLength: 1, maxLength: 3 })
        .map((args) => `sum(${args.join(", ")})`),
      fc.tuple(tie("tree"), tie("tree"), tie("tree")).map((args) => `if(${args.join(",")})`),
    ),
  }));
  fc.assert(
    fc.property(tree, (source) => {
      const parsed = parseExpression(source);
      expect(withoutPlaces(parseExpression(print(parsed)))).toEqual(withoutPlaces(parsed));
    }),
    { numRuns: 300 },
  );
});

function print(node: ExpressionNode): string {
  switch (node.kind) {
    case "literal":
      return node.value instanceof ExactNumber ? node.value.token : String(node.value);
    case "variable":
      return node.name;
    case "field":
      return `${print(node.base)}.${node.names.map(({ name }) => name).join(".")}`;
    case "negate":
      return `-(${print(node.operand)})`;
    case "plus":
      return `+(${print(node.operand)})`;
    case "not":
      return `not (${print(node.operand)})`;
    case "chain":
      return node.rest.reduce(
        (text, { operator, right }) => `${text} ${operator} (${print(right)})`,
        `(${print(node.first)})`,
      );
    case "logic":
      return node.operands.map((operand) => `(${print(operand)})`).join(` ${node.operator} `);
    case "compare":
      return `(${print(node.left)}) ${node.operator} (${print(node.right)})`;
    case "call":
      return `${node.name}(${node.args.map(print).join(", ")})`;
  }
}

function withoutPlaces(value: unknown): unknown {
  if (value instanceof ExactNumber) {
    return value.token;
  }
  if (Array.isArray(value)) {
    return value.map(withoutPlaces);
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value)
        .filter(([key]) => key !== "at")
        .map(([key, member]) => [key, withoutPlaces(member)])
    : value;
}

describe("a formula of a column", () => {
  const value = (source: string, row: Readonly<Record<string, JsonValue>>) =>
    compileExpression(source, "columns").evaluate((name) => row[name]);

  test.each<[string, Readonly<Record<string, JsonValue>>, number]>([
    ['["Unit Price"] * 2', { "Unit Price": 4 }, 8],
    ["[ 'Unit Price' ] * 2", { "Unit Price": 4 }, 8],
    ['["a \\"b\\" \\\\"] + 1', { 'a "b" \\': 1 }, 2],
    ['["true"] + ["sum"]', { true: 1, sum: 2 }, 3],
    ['["Größe (m²)"]', { "Größe (m²)": 7 }, 7],
    ["count * 2", { count: 3 }, 6],
    ["sum(if, max) + round", { if: 1, max: 2, round: 3 }, 6],
    ['order["unit price"]', { order: { "unit price": 5 } }, 5],
    ['sum(items["unit price"])', { items: [{ "unit price": 1 }, { "unit price": 2 }] }, 3],
    ['order.lines["n"] * 2', { order: { lines: { n: 2 } } }, 4],
  ])("%s", (source, row, expected) => {
    expect(value(source, row)).toBe(expected);
  });

  test.each(['["a', "[a]", "[0]", "[]", '["a"', '"text"', '["a"] ["b" 1', "and * 2", "sum()"])(
    "%s does not parse",
    (source) => {
      expect(() => parseExpression(source, "columns")).toThrow(FormulaSyntaxError);
    },
  );

  test("utility/calculate allows names only, and reserves those of functions", () => {
    for (const source of ['["a"] * 2', "count * 2", 'a["b"]']) {
      expect(() => parseExpression(source), source).toThrow(FormulaSyntaxError);
    }
  });

  test("lists every column that it reads", () => {
    expect(compileExpression('["a b"] + count + c', "columns").variables).toEqual([
      "a b",
      "count",
      "c",
    ]);
  });
});
