import { expect, test } from "vitest";
import { compileExpression } from "../../../src/expressions/compile-expression.ts";
import { compileTextFormula } from "../../../src/expressions/compile-text-formula.ts";
import { compileSchema } from "../../../src/expressions/json-schema.ts";
import { linearRegex } from "../../../src/expressions/linear-regex.ts";

// In workerd another build of liquidjs is loaded than in Node, so Node's tests alone prove nothing here.
test("expressions, formulas, patterns and schemas work in workerd", async () => {
  expect(compileExpression("round(a * 1.1, 2)").evaluate(() => 0.3)).toBe(0.33);
  expect(
    compileTextFormula("{{ a + '!' | upper | split: 'N' | join: '-' }}").render(() => "ann"),
  ).toBe("A--!");
  expect(compileTextFormula("{{ a | base64_encode }}").render(() => "ä")).toBe("w6Q=");
  expect(linearRegex("^\\p{L}+$").test("äö")).toBe(true);
  const check = await compileSchema({
    pattern: "^a+$",
    required: ["x"],
    $ref: "#/$defs/s",
    $defs: { s: { type: "string" } },
  });
  expect(check("b")).toEqual([{ path: "", message: 'must match the pattern "^a+$"' }]);
  await expect(compileSchema({ $ref: "https://example.com/x" })).rejects.toMatchObject({
    code: "INVALID_SCHEMA",
  });
});
