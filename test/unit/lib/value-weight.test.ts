import { expect, test } from "vitest";
import { ExactNumber, type JsonValue, stringifyJson } from "../../../src/lib/json/exact-json.ts";
import { jsonMemory } from "../../../src/lib/json/json-memory.ts";
import { ValueWeight } from "../../../src/lib/json/value-weight.ts";

const VALUES: readonly JsonValue[] = [
  "",
  'a "quoted" é text',
  12,
  new ExactNumber("1.50"),
  null,
  [],
  {},
  [[], [1, "two", null]],
  { a: 1, b: { c: [true] }, long: "x".repeat(1_000) },
];

test.each(VALUES.map((value) => [stringifyJson(value).slice(0, 60), value] as const))(
  "%s weighs no more than its text, and hardly less",
  (_, value) => {
    const weight = new ValueWeight();
    weight.add(value);
    const text = stringifyJson(value);
    expect(weight.chars).toBeLessThanOrEqual(text.length);
    expect(weight.bytes).toBeLessThanOrEqual(jsonMemory(text));
    expect(weight.bytes).toBeGreaterThan(jsonMemory(text) / 2 - 32);
  },
);

test("many values add up", () => {
  const [one, two] = [new ValueWeight(), new ValueWeight()];
  one.add(["a", "b"]);
  two.add(["a", "b"]);
  two.add(["a", "b"]);
  expect([two.chars, two.bytes]).toEqual([2 * one.chars, 2 * one.bytes]);
});
