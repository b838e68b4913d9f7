import { expect, test } from "vitest";
import { countCharacters } from "../../../src/lib/count-characters.ts";

test.each([
  ["", 0],
  ["kite", 4],
  ["é😀", 2],
  // Surrogates without their other half, at the start, in between and at the end.
  ["\ud83dabc", 4],
  ["a\ud83d\ud83d\ude00b", 4],
  ["\ude00\ud83d", 2],
  ["a\ud83d", 2],
])("the characters of %j are its code points", (text, count) => {
  expect(countCharacters(text)).toBe(count);
  expect(Array.from(text)).toHaveLength(count);
});
