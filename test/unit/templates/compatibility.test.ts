import { describe, expect, test } from "vitest";
import {
  compareContracts,
  type ComparedContract,
  type ComparedField,
} from "../../../src/templates/compatibility/compare-contracts.ts";
import { findCounterexamples } from "../../../src/templates/compatibility/find-counterexample.ts";

const field = (code: string, more: Partial<ComparedField> = {}): ComparedField => ({
  code,
  type: "text",
  required: false,
  default: null,
  items_max: null,
  ...more,
});
const list = (code: string, items_max: number, ...item_keys: ComparedField[]) =>
  field(code, { type: "list", items_max, item_keys });
const page = (id: string, height = 842) => ({ id, width: 595, height, fit_height: false });
const contract = (fields: ComparedField[], pages = [page("a"), page("b")]): ComparedContract => ({
  pages,
  fields,
});

const required = { required: true };

describe.each([
  ["field_removed", [field("x")], [], { x: "Text" }],
  ["field_retyped", [field("x")], [field("x", { type: "number" })], { x: "Text" }],
  ["required_added", [], [field("x", required)], {}],
  ["required_added", [field("x")], [field("x", required)], {}],
  ["required_added", [field("x", { ...required, default: "d" })], [field("x", required)], {}],
  ["item_key_removed", [list("r", 5, field("k"))], [list("r", 5)], { r: [{ k: "Text" }] }],
  [
    "item_key_retyped",
    [list("r", 5, field("k"), field("n", required))],
    [list("r", 5, field("k", { type: "date" }), field("n", required))],
    { r: [{ k: "Text", n: "Text" }] },
  ],
  ["item_required_added", [list("r", 5)], [list("r", 5, field("k", required))], { r: [{}] }],
  [
    "item_required_added",
    [list("r", 5, list("s", 5))],
    [list("r", 5, list("s", 5, field("k", required)))],
    { r: [{ s: [{}] }] },
  ],
  ["list_limit_lowered", [list("r", 3)], [list("r", 2)], { r: [{}, {}, {}] }],
] as const)("%s", (code, from, to, values) => {
  test("is incompatible, with values that only the first accepts", () => {
    const [a, b] = [contract([...from]), contract([...to])];
    const changes = compareContracts(a, b);
    expect(changes.map((one) => [one.code, one.compatible])).toEqual([[code, false]]);
    expect([...findCounterexamples(a, b, changes)]).toEqual([
      {
        values,
        reason: expect.any(String),
        ...(code === "list_limit_lowered" && { overflow_policy: "fail" }),
      },
    ]);
  });
});

test("pages that are added, removed, moved or resized are incompatible, with a selection", () => {
  const from = contract([field("x", required)]);
  for (const [pages, selection] of [
    [[page("a")], "2"],
    [[page("b"), page("a")], "1"],
    [[page("a"), page("b", 500)], "2"],
    [[page("a"), page("b"), page("c")], "all"],
  ] as const) {
    const to = contract([field("x", required)], [...pages]);
    const changes = compareContracts(from, to);
    expect(changes.map(({ code }) => code)).toEqual(["pages_changed"]);
    expect([...findCounterexamples(from, to, changes)]).toEqual([
      { values: { x: "Text" }, page_selection: selection, reason: expect.any(String) },
    ]);
  }
});

test("what breaks nothing is compatible and has no counterexample", () => {
  const from = contract([field("x", required), list("r", 2)]);
  const to = contract([
    field("y"),
    field("x"),
    list("r", 3, field("k")),
    field("z", { ...required, default: "d" }),
  ]);
  const changes = compareContracts(from, to);
  expect(changes.every(({ compatible }) => compatible)).toBe(true);
  expect(changes.map(({ code, path }) => `${code} ${path}`)).toEqual([
    "field_changed x",
    "item_key_added r.k",
    "field_added y",
    "field_added z",
  ]);
  expect([...findCounterexamples(from, to, changes)]).toEqual([]);
});

test("a type whose values the new one all accepts is incompatible without a counterexample", () => {
  const [from, to] = [contract([field("x", { type: "url" })]), contract([field("x")])];
  const changes = compareContracts(from, to);
  expect(changes.map(({ code }) => code)).toEqual(["field_retyped"]);
  expect([...findCounterexamples(from, to, changes)]).toEqual([]);
});
