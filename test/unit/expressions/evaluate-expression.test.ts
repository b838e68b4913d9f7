import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileExpression } from "../../../src/expressions/compile-expression.ts";
import {
  isJsonObject,
  type JsonValue,
  numberToken,
  parseJson,
} from "../../../src/lib/json/exact-json.ts";
import { NodeError } from "../../../src/lib/errors/node-error.ts";
import { expectWithin } from "../../support/expect-within.ts";

function calculate(expression: string, row = "{}"): string {
  const values = parseJson(row);
  const result = compileExpression(expression).evaluate((name) =>
    isJsonObject(values) && Object.hasOwn(values, name) ? values[name] : undefined,
  );
  return typeof result === "boolean" ? String(result) : numberToken(result);
}

function codeOf(expression: string, row = "{}"): string {
  try {
    calculate(expression, row);
  } catch (error) {
    if (error instanceof NodeError) {
      return error.code;
    }
    throw error;
  }
  return "ok";
}

describe("arithmetic is exact and decimal", () => {
  test.each([
    ["0.1 + 0.2", "0.3"],
    ["1.1 * 3", "3.3"],
    ["1 - 0.9", "0.1"],
    ["10 / 4", "2.5"],
    ["2 + 3 * 4", "14"],
    ["(2 + 3) * 4", "20"],
    ["10 - 4 - 3", "3"],
    ["100 / 10 / 5", "2"],
    ["-2 * -3", "6"],
    ["2 - -3", "5"],
    ["+5", "5"],
    ["1e3 + .5", "1000.5"],
    ["-0", "0"],
    ["0 * -1", "0"],
    ["9007199254740993 + 1", "9007199254740994"],
    ["123456789012345678901234567890 + 1", "123456789012345678901234567891"],
    ["1 / 3", "0.3333333333333333333333333333333333"],
    ["2 / 3", "0.6666666666666666666666666666666667"],
    ["1e300 * 1e300", "1e+600"],
  ])("%s is %s", (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  test("sums and products of decimals agree with scaled integers", () => {
    const decimal = fc
      .tuple(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), fc.integer({ min: 0, max: 8 }))
      .map(([digits, scale]) => ({ digits, scale, text: written(digits, scale) }));
    fc.assert(
      fc.property(decimal, decimal, (a, b) => {
        const scale = Math.max(a.scale, b.scale);
        const sum =
          a.digits * 10n ** BigInt(scale - a.scale) + b.digits * 10n ** BigInt(scale - b.scale);
        const row = `{"a":${a.text},"b":${b.text}}`;
        expect(calculate("a + b", row)).toBe(calculate("x", `{"x":${written(sum, scale)}}`));
        expect(calculate("a * b", row)).toBe(
          calculate("x", `{"x":${written(a.digits * b.digits, a.scale + b.scale)}}`),
        );
        const left = a.digits * 10n ** BigInt(b.scale);
        const right = b.digits * 10n ** BigInt(a.scale);
        expect(calculate("a < b", row)).toBe(String(left < right));
        expect(calculate("a == b", row)).toBe(String(left === right));
      }),
      { numRuns: 300 },
    );
  });

  test("a quotient is the exact one, rounded to 34 digits half away from zero", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        (a, b) => {
          // Scale the quotient to 34 digits, then round manually.
          let scale = 60;
          while ((a * 10n ** BigInt(scale)) / b >= 10n ** 34n) {
            scale -= 1;
          }
          const rounded = (2n * a * 10n ** BigInt(scale) + b) / (2n * b);
          expect(calculate("a / b", `{"a":${a},"b":${b}}`)).toBe(
            calculate("x", `{"x":${written(rounded, scale)}}`),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** `digits` over ten to the `scale`, as a JSON number. */
function written(digits: bigint, scale: number): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const point = text.length - scale;
  return `${digits < 0n ? "-" : ""}${text.slice(0, point)}${scale === 0 ? "" : `.${text.slice(point)}`}`;
}

describe("functions", () => {
  test.each([
    ["round(2.5)", "3"],
    ["round(-2.5)", "-3"],
    ["round(2.345, 2)", "2.35"],
    ["round(1250, -2)", "1300"],
    ["round(-0.4)", "0"],
    ["floor(-1.5)", "-2"],
    ["ceil(-1.5)", "-1"],
    ["abs(-1.5)", "1.5"],
    ["min(3, 1, 2)", "1"],
    ["max(3, 1, 2)", "3"],
    ["sum(1, 2, 3.5)", "6.5"],
    ["avg(1, 2)", "1.5"],
    ["count(1, 2)", "2"],
  ])("%s is %s", (expression, result) => {
    expect(calculate(expression)).toBe(result);
  });

  const items = '{"items":[{"price":1.10,"q":{"n":2}},{"price":2.25,"q":{"n":3}}],"none":[],"x":1}';
  test.each([
    ["sum(items.price)", "3.35"],
    ["sum(items.q.n)", "5"],
    ["count(items)", "2"],
    ["count(none)", "0"],
    ["max(items.price)", "2.25"],
    ["if(x > 0, 1, 1 / 0)", "1"],
    ["if(x < 0, none.nothing, 2)", "2"],
    ["true or 1 / 0 > 1", "true"],
    ["not x == 2 and true", "true"],
    ["true == (x == 1)", "true"],
  ])("%s is %s", (expression, result) => {
    expect(calculate(expression, items)).toBe(result);
  });
});

describe("failures have codes", () => {
  const row = '{"n":1,"t":"5","b":true,"o":{"a":1},"l":[1,"2"],"e":[],"z":null}';
  test.each([
    ["n / 0", "CALC_DIVISION_BY_ZERO"],
    ["n / (1 - 1)", "CALC_DIVISION_BY_ZERO"],
    ["o.missing", "CALC_MISSING_FIELD"],
    ["o.constructor", "CALC_MISSING_FIELD"],
    ["o.__proto__", "CALC_MISSING_FIELD"],
    ["n.field", "CALC_MISSING_FIELD"],
    ["toString", "CALC_MISSING_FIELD"],
    ["sum(e)", "CALC_EMPTY_LIST"],
    ["avg(e)", "CALC_EMPTY_LIST"],
    ["min(e)", "CALC_EMPTY_LIST"],
    ["t + 1", "CALC_NOT_A_NUMBER"],
    ["t == 5", "CALC_NOT_A_NUMBER"],
    ["sum(l)", "CALC_NOT_A_NUMBER"],
    ["z + 1", "CALC_NOT_A_NUMBER"],
    ["o", "CALC_NOT_A_NUMBER"],
    ["b + 1", "CALC_TYPE_MISMATCH"],
    ["if(n, 1, 2)", "CALC_TYPE_MISMATCH"],
    ["b < true", "CALC_TYPE_MISMATCH"],
    ["b == 1", "CALC_TYPE_MISMATCH"],
    ["not n", "CALC_TYPE_MISMATCH"],
    ["round(n, 0.5)", "CALC_TYPE_MISMATCH"],
    ["1e1001", "CALC_OVERFLOW"],
    ["1e900 * 1e900", "CALC_OVERFLOW"],
    ["1e-900 / 1e900", "CALC_OVERFLOW"],
  ])("%s fails with %s", (expression, code) => {
    expect(codeOf(expression, row)).toBe(code);
  });

  test("a number token of a million digits is rejected or rounded at once", async () => {
    await expectWithin(500, () => {
      expect(codeOf("x + 1", `{"x":${"9".repeat(1_000_000)}}`)).toBe("CALC_OVERFLOW");
      expect(calculate("x", `{"x":0.${"1".repeat(1_000_000)}}`)).toBe(`0.${"1".repeat(34)}`);
      expect(codeOf("x", '{"x":1e999999999999999999999}')).toBe("CALC_OVERFLOW");
    });
  });

  test("work over large lists is bounded", () => {
    const list = `{"l":[${Array.from({ length: 100_000 }, () => 1).join(",")}]}`;
    const expression = Array.from({ length: 30 }, () => "sum(l)").join(" + ");
    expect(codeOf(expression, list)).toBe("CALC_OPERATION_LIMIT");
    expect(calculate("sum(l)", list)).toBe("100000");
  });
});

test("own keys named like prototype members are plain data", () => {
  const row = '{"constructor":2,"__proto__":3,"o":{"constructor":4,"if":5,"__proto__":6}}';
  expect(calculate("constructor + __proto__", row)).toBe("5");
  expect(calculate("o.constructor + o.if + o.__proto__", row)).toBe("15");
});

test("variables are listed once, in order, without fields and functions", () => {
  expect(compileExpression("a + sum(b.c) * if(a > d, constructor, e.a)").variables).toEqual([
    "a",
    "b",
    "d",
    "constructor",
    "e",
  ]);
});

test.each([
  ["a + 1", "number"],
  ["a", "number"],
  ["a > 1", "boolean"],
  ["not a", "boolean"],
  ["if(a, b > 1, true)", "boolean"],
  ["if(a, 1, true)", "either"],
] as const)("%s has the inferred type %s", (expression, kind) => {
  expect(compileExpression(expression).kind).toBe(kind);
});

const value: JsonValue = 1;
test("evaluation does not modify its inputs", () => {
  const list = Object.freeze([value, 2]);
  expect(compileExpression("sum(l)").evaluate(() => list)).toBe(3);
});
