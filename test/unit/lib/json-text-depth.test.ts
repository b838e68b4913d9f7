import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonTextDeeperThan } from "../../../src/lib/json/json-text-depth.ts";

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("isJsonTextDeeperThan", () => {
  test("agrees with the depth of the parsed value for any JSON", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.nat(8), (text, max) => {
        expect(isJsonTextDeeperThan(text, max)).toBe(depthOf(JSON.parse(text)) > max);
      }),
    );
  });

  test("does not count brackets in strings, after any number of backslashes", () => {
    const tricky = [
      String.raw`["\"[[[[", "\\", "\\\"[[["]`,
      String.raw`{"[[[[": "\\\\"}`,
      `["${"[".repeat(500)}"]`,
    ];
    for (const text of tricky) {
      JSON.parse(text);
      expect(isJsonTextDeeperThan(text, 1), text).toBe(false);
    }
  });

  test("handles text that is not JSON without hanging", () => {
    expect(isJsonTextDeeperThan(`${"[".repeat(4_000_000)}`, 100)).toBe(true);
    expect(isJsonTextDeeperThan(`"${String.raw`\"`.repeat(2_000_000)}`, 100)).toBe(false);
    expect(isJsonTextDeeperThan(`"${"\\".repeat(2_000_000)}"`, 100)).toBe(false);
  });
});
