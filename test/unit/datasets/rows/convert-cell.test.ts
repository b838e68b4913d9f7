import { describe, expect, it } from "vitest";
import type { ColumnType } from "../../../../src/contracts/dataset.ts";
import type { ValueType } from "../../../../src/contracts/workflows/node-parameters.ts";
import { numberFormat } from "../../../../src/datasets/infer/locale-format.ts";
import { convertCell } from "../../../../src/datasets/rows/convert-cell.ts";
import { parseJson, stringifyJson } from "../../../../src/lib/json/exact-json.ts";

const csv = (cell: string | undefined, type: ValueType, locale = "invariant") => {
  const value = convertCell(cell, type, "text", { isText: true, numbers: numberFormat(locale) });
  return value === undefined ? "refused" : stringifyJson(value);
};
const json = (cell: string, type: ValueType) => {
  const value = convertCell(parseJson(cell), type, "text", { isText: false });
  return value === undefined ? "refused" : stringifyJson(value);
};

describe("a cell of CSV", () => {
  it.each([
    ["", "text", '""'],
    ["", "number", "null"],
    ["", "boolean", "null"],
    ["", "url", "null"],
    ["", "json", "null"],
    ["", "any", "null"],
    [undefined, "text", '""'],
    [undefined, "number", "null"],
    ["007", "text", '"007"'],
    ["1.50", "text", '"1.50"'],
    ["1.50", "number", "1.50"],
    ["12345678901234567890", "number", "12345678901234567890"],
    ["007", "number", "refused"],
    ["1,5", "number", "refused"],
    ["1e5", "number", "refused"],
    ["TRUE", "boolean", "true"],
    ["1", "boolean", "refused"],
    ["https://example.com/a b", "url", '"https://example.com/a b"'],
    ["javascript:alert(1)", "url", "refused"],
    ["example.com", "url", "refused"],
    ['{"a":1.0}', "json", '{"a":1.0}'],
    ["{a}", "json", "refused"],
    [`${"[".repeat(500)}${"]".repeat(500)}`, "json", "refused"],
    [" ", "number", "refused"],
  ] as const)("%j as %s is %s", (cell, type, expected) => {
    expect(csv(cell, type)).toBe(expected);
  });

  it("is a number by the locale of its file", () => {
    expect(csv("1.234,50", "number", "de-DE")).toBe("1234.50");
    expect(csv("-1.234,50", "text", "de-DE")).toBe('"-1.234,50"');
  });
});

describe("a cell with a type of its own", () => {
  it.each([
    ["1.50", "text", '"1.50"'],
    ["true", "text", '"true"'],
    ["null", "text", '""'],
    ["null", "number", "null"],
    ['"1"', "number", "refused"],
    ['"true"', "boolean", "refused"],
    ["[1]", "text", "refused"],
    ["[1]", "json", "[1]"],
    ['""', "json", '""'],
    ["1", "url", "refused"],
  ] as const)("%s as %s is %s", (cell, type, expected) => {
    expect(json(cell, type)).toBe(expected);
  });
});

describe("a text cell of a worksheet", () => {
  const sheet = (cell: string, type: ValueType, columnType: ColumnType, locale: string) => {
    const form = { isText: false, numbers: numberFormat(locale) } as const;
    const value = convertCell(parseJson(cell), type, columnType, form);
    return value === undefined ? "refused" : stringifyJson(value);
  };

  it.each<[string, ValueType, ColumnType, string, string]>([
    ['"1.234,50"', "number", "number", "de-DE", "1234.50"],
    ['"1.234,50"', "any", "number", "de-DE", "1234.50"],
    ['"1.234,50"', "any", "text", "de-DE", '"1.234,50"'],
    ['"1.234,50"', "text", "number", "de-DE", '"1.234,50"'],
    ['"1,5"', "number", "text", "invariant", "refused"],
    ['"12"', "number", "number", "invariant", "12"],
    ["7.5", "number", "number", "de-DE", "7.5"],
    ['"true"', "boolean", "text", "invariant", "refused"],
  ])("%s as %s in a column of %s, %s: %s", (cell, type, columnType, locale, expected) => {
    expect(sheet(cell, type, columnType, locale)).toBe(expected);
  });
});
