import { expect, test } from "vitest";
import { jsonMemory } from "../../../src/lib/json/json-memory.ts";

const text = (part: string, length: number) => `[${`${part},`.repeat(length)}0]`;

test.each([
  ["empty arrays", "[]", 14],
  ["objects of a member each", '{"a":1}', 12],
  ["strings of a letter", '"a"', 6],
  ["small numbers", "1", 4],
])("of %s is at least the memory that V8 uses for them", (_, part, times) => {
  const json = text(part, 1_000);
  expect(jsonMemory(json)).toBeGreaterThan(times * json.length);
});

test("of words is about their length, brackets and quotes in them too", () => {
  const words = JSON.stringify({ a: '[{,:"\\'.repeat(10_000) });
  expect(jsonMemory(words) / words.length).toBeLessThan(1.1);
});

test("of a truncated text is counted to its end", () => {
  expect(jsonMemory('["abc')).toBeGreaterThan(5);
});
