/** Each operator with a condition that holds, drawn at the left, and one that does not, at the right. */
import { elements, type GoldenCase, type GoldenCases, type Loose } from "./golden-case.ts";

const VALUES = { text: "beta", count: 10, day: "2026-03-01", on: true, off: false, empty: "" };

const FIELDS = [
  ["text", "text"],
  ["count", "number"],
  ["day", "date"],
  ["empty", "text"],
  ["absent", "text"],
].map(([code, placeholderType], i) => ({
  $type: "text",
  left: 2 + i * 31,
  top: 4,
  width: 30,
  height: 12,
  fontSize: 5,
  text: "",
  placeholder: { name: code, code, placeholderType },
}));
const SWITCHES = ["on", "off"].map((code) => ({
  $type: "rectangle",
  top: 90,
  width: 4,
  height: 4,
  placeholder: { name: code, code, placeholderType: "boolean" },
}));

export const CONDITION_CASES: GoldenCases = {
  equals: both(["text", "equals", "beta"], ["text", "equals", "Beta"]),
  "equals with numbers as decimals": both(["count", "equals", 10], ["count", "equals", "10"]),
  not_equals: both(["text", "not_equals", "x"], ["text", "not_equals", "beta"]),
  gt: both(["count", "gt", 9.5], ["count", "gt", 10]),
  gte: both(["count", "gte", 10], ["count", "gte", 10.01]),
  lt: both(["day", "lt", "2026-03-02"], ["day", "lt", "2026-03-01"]),
  lte: both(["text", "lte", "beta"], ["text", "lte", "alpha"]),
  "gt of different types": both(["count", "not_equals", "x"], ["count", "gt", "1"]),
  contains: both(["text", "contains", "et"], ["text", "contains", "ET"]),
  in: both(["text", "in", ["alpha", "beta"]], ["text", "in", []]),
  is_empty: both(["absent", "is_empty"], ["text", "is_empty"]),
  "is_empty of an empty text": both(["empty", "is_empty"], ["empty", "is_not_empty"]),
  is_not_empty: both(["text", "is_not_empty"], ["absent", "is_not_empty"]),
  is_true: both(["on", "is_true"], ["off", "is_true"]),
  is_false: both(["off", "is_false"], ["on", "is_false"]),
  all: compared({ all: [is("on"), is("text", "equals", "beta")] }, { all: [is("on"), is("off")] }),
  any: compared({ any: [is("off"), is("on")] }, { any: [] }),
  not: compared({ not: is("off") }, { not: is("on") }),
  nested: compared(
    { all: [{ any: [is("off"), { not: is("off") }] }, is("count", "gt", 1)] },
    { not: { any: [is("on")] } },
  ),
};

type Test = readonly [field: string, operator: string, value?: unknown];

function both(holds: Test, fails: Test): GoldenCase {
  return compared(is(...holds), is(...fails));
}

function is(field: string, operator = "is_true", value?: unknown): Loose {
  return { field, operator, ...(value !== undefined && { value }) };
}

function compared(holds: Loose, fails: Loose): GoldenCase {
  const box = { $type: "rectangle", top: 30, width: 50, height: 40 };
  return elements(
    [
      ...FIELDS,
      ...SWITCHES,
      { ...box, left: 20, fill: "#2a9d8f", condition: holds },
      { ...box, left: 90, fill: "#c8553d", condition: fails },
    ],
    { values: VALUES },
  );
}
