import { describe, expect, test } from "vitest";
import { type JsonValue, parseJson } from "../../../src/lib/json/exact-json.ts";
import { Placeholder } from "../../../src/templates/document/field.ts";
import type { Condition } from "../../../src/templates/document/condition.ts";
import { validateDocument } from "../../../src/templates/document/validate-document.ts";
import { checkValues, type Values } from "../../../src/templates/values/check-values.ts";
import { isTrue } from "../../../src/templates/values/evaluate-condition.ts";
import { formatValue } from "../../../src/templates/values/format-value.ts";
import {
  documentWith,
  element,
  field,
  fieldText,
  list,
} from "../../support/templates/documents.ts";

function fieldsOf(elements: JsonValue[]) {
  const result = validateDocument(documentWith(elements));
  if (!result.ok) {
    throw new Error(JSON.stringify(result.problems));
  }
  return result.fields;
}

const FIELDS = fieldsOf([
  fieldText("title"),
  fieldText("count", {}, "number"),
  fieldText("day", {}, "date"),
  fieldText("home", {}, "url"),
  element("image", { placeholder: field("image", "photo") }),
  element("rectangle", { placeholder: field("color", "tint") }),
  element("rectangle", { placeholder: field("boolean", "isNew") }),
  list("rows", [fieldText("name"), list("lines", [fieldText("price", {}, "number")])]),
]);

function problemsOf(values: Values): string[] {
  return checkValues(FIELDS, values).problems.map(({ kind, field: at }) => `${kind} ${at}`);
}

describe("values", () => {
  test.each<[JsonValue, string[]]>([
    [
      {
        title: "a",
        count: 1,
        day: "2026-01-31",
        home: "x",
        photo: "a.png",
        tint: "#a1B2c3",
        isNew: false,
        rows: [{ name: "x", lines: [{ price: 1 }] }],
      },
      [],
    ],
    [{ title: null, count: "", day: "", photo: "", tint: "", isNew: "", rows: "" }, []],
    [{ titel: "x" }, ["unknown values.titel"]],
    [{ rows: [{}, {}, { nam: 1 }] }, ["unknown values.rows[2].nam"]],
    [{ rows: [{ lines: [{ price: "1" }] }] }, ["type values.rows[0].lines[0].price"]],
    [{ rows: [1] }, ["type values.rows[0]"]],
    [{ rows: {} }, ["type values.rows"]],
    [{ count: "12" }, ["type values.count"]],
    [{ day: "2026-02-30" }, ["type values.day"]],
    [{ day: "31.1.2026" }, ["type values.day"]],
    [{ tint: "red" }, ["type values.tint"]],
    [{ isNew: "true" }, ["type values.isNew"]],
    [{ photo: 7 }, ["type values.photo"]],
    [{ title: ["a"] }, ["type values.title"]],
    [{ title: "\udc00" }, ["type values.title"]],
    [JSON.parse('{"__proto__": 1}') as JsonValue, ["unknown values.__proto__"]],
  ])("%j", (values, expected) => {
    expect(problemsOf(values as Values)).toEqual(expected);
  });

  test("a number keeps its digits in a text field; what is not given has no key", () => {
    const sent = parseJson('{"title": 1.50, "count": null, "photo": "", "rows": [{"name": true}]}');
    expect(checkValues(FIELDS, sent as Values).values).toEqual({
      title: "1.50",
      rows: [{ name: "true" }],
    });
  });

  test("of many wrong keys 1,000 are reported", () => {
    const values = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`k${i}`, 1]));
    expect(problemsOf(values)).toHaveLength(1_000);
  });
});

describe("formats", () => {
  const number = (format?: JsonValue) => placeholder("number", format);
  const placeholder = (type: string, format?: JsonValue) =>
    Placeholder.parse(field(type, "x", format === undefined ? {} : { format }));
  const exact = (token: string) => parseJson(token);

  test.each<[string, JsonValue | undefined, string]>([
    ["1.50", undefined, "1.50"],
    ["1e3", undefined, "1e3"],
    ["1234.5", {}, "1,234.5"],
    ["0.125", { maximumFractionDigits: 2 }, "0.13"],
    ["-0.125", { maximumFractionDigits: 2 }, "-0.13"],
    ["1.005", { maximumFractionDigits: 2 }, "1.01"],
    ["12345678901234567890.12", { locale: "de" }, "12.345.678.901.234.567.890,12"],
    ["0.256", { style: "percent", maximumFractionDigits: 1 }, "25.6%"],
    ["9.999", { style: "currency", currency: "EUR", locale: "de-DE" }, "10,00\u00a0€"],
    // CLDR has the sign for de-CH, and the code for fr-CH and it-CH.
    [
      "1234.5",
      { style: "currency", currency: "JPY", locale: "de-CH", useGrouping: false },
      "¥\u00a01235",
    ],
    ["1234", { useGrouping: false, prefix: "No. ", suffix: "!" }, "No. 1234!"],
    ["7", { minimumFractionDigits: 2 }, "7.00"],
    ["1e9999", {}, "1e9999"],
  ])("%s as %j prints %s", (token, format, expected) => {
    expect(formatValue(number(format), exact(token))).toBe(expected);
  });

  test.each<[string, JsonValue | undefined, string]>([
    ["2026-01-31", undefined, "2026-01-31"],
    ["2026-01-31", {}, "Jan 31, 2026"],
    ["2026-01-31", { timeZone: "America/New_York" }, "Jan 31, 2026"],
    ["2026-01-31T00:30:00Z", { timeZone: "America/New_York" }, "Jan 30, 2026"],
    [
      "2026-01-31T12:00",
      { dateStyle: "short", timeStyle: "short", timeZone: "Asia/Tokyo" },
      "1/31/26, 12:00 PM",
    ],
    [
      "2026-01-31T09:30:00+01:00",
      { locale: "de", dateStyle: "long", timeStyle: "short" },
      "31. Januar 2026 um 08:30",
    ],
  ])("%s as %j prints %s", (date, format, expected) => {
    expect(formatValue(placeholder("date", format), date)).toBe(expected);
  });

  test("texts take prefix, suffix and case; an empty one stays empty", () => {
    const format = { prefix: "a ", suffix: " z", case: "upper" };
    expect(formatValue(placeholder("text", format), "straße")).toBe("a STRASSE z");
    expect(formatValue(placeholder("text", format), "")).toBe("");
  });
});

describe("conditions", () => {
  const types: Record<string, string> = {
    n: "number",
    t: "text",
    d: "date",
    c: "color",
    l: "list",
    b: "boolean",
  };
  const values: Record<string, JsonValue> = {
    n: parseJson("1.50"),
    t: "b",
    d: "2026-01-31T00:00:00Z",
    c: "#AABBCC",
    l: [{ k: 1 }],
    b: true,
  };
  const scope = {
    lookup: (code: string) => ({
      value: values[code] ?? null,
      field: types[code] === undefined ? undefined : Placeholder.parse(field(types[code], code)),
    }),
  };
  const is = (code: string, operator: string, value?: JsonValue) =>
    isTrue({ field: code, operator, value } as Condition, scope);

  test.each<[boolean, string, string, JsonValue?]>([
    [true, "n", "equals", 1.5],
    [true, "n", "equals", parseJson("15e-1")],
    [false, "n", "equals", "1.5"],
    [true, "n", "not_equals", "1.5"],
    [true, "n", "gt", parseJson("1.4999999999999999999999")],
    [false, "n", "gt", 1.5],
    [true, "n", "gte", 1.5],
    [true, "n", "lt", 10],
    [true, "n", "gt", -20],
    [true, "n", "lte", 1.5],
    [false, "n", "gt", "1"],
    [false, "n", "lte", "2"],
    [true, "t", "gt", "a"],
    [true, "t", "lt", "bb"],
    [false, "t", "equals", "B"],
    [true, "t", "in", ["a", "b"]],
    [false, "t", "in", ["a"]],
    [true, "d", "equals", "2026-01-31T01:00:00+01:00"],
    [true, "d", "equals", "2026-01-31"],
    [true, "d", "lt", "2026-02-01"],
    [false, "d", "gt", "soon"],
    [true, "c", "equals", "#aabbcc"],
    [true, "l", "contains", { k: 1 }],
    [false, "l", "is_empty"],
    [true, "b", "is_true"],
    [false, "b", "is_false"],
    [true, "b", "equals", true],
    [true, "x", "equals", null],
    [true, "x", "is_empty"],
    [false, "x", "is_false"],
    [false, "x", "lte", 5],
    [true, "x", "not_equals", 5],
  ])("%s: %s %s %j", (expected, code, operator, value) => {
    expect(is(code, operator, value)).toBe(expected);
  });

  test("texts compare by code points, not by units of UTF-16", () => {
    values["t"] = "\u{1f600}";
    expect(is("t", "gt", "\uffee")).toBe(true);
    expect(is("t", "contains", "\u{1f600}")).toBe(true);
  });

  test("all, any and not join", () => {
    const yes = { field: "b", operator: "is_true" } as const;
    const no = { field: "b", operator: "is_false" } as const;
    expect(isTrue({ all: [yes, { not: no }, { any: [no, yes] }] }, scope)).toBe(true);
    expect(isTrue({ all: [yes, no] }, scope)).toBe(false);
    expect(isTrue({ any: [] }, scope)).toBe(false);
  });
});
