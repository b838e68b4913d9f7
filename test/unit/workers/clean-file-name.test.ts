import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanFileName } from "../../../src/workers/shared/clean-file-name.ts";

describe("a file's name", () => {
  test.each([
    ["code.png", "code.png"],
    ["../../etc/passwd", "passwd"],
    ["a\\b\\..\\c.svg", "c.svg"],
    ["Ünïcödé –  図.png", "Ünïcödé – 図.png"],
    [".hidden", "hidden"],
    ["..", "file"],
    ["label {index} 100%.svg", "label {index} 100%.svg"],
    ["a<b>:~c?.png ", "a_b___c_.png"],
    ["", "file"],
    ["a\u202Egnp.exe", "agnp.exe"],
    ["a\u0000b\n.txt", "ab.txt"],
    ["x".repeat(300) + ".jpeg", "x".repeat(95) + ".jpeg"],
  ])("%j becomes %j", (given, expected) => {
    expect(cleanFileName(given)).toBe(expected);
  });

  test("never leaves its folder and is never empty, for any input", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (given) => {
        const name = cleanFileName(given);
        expect(name).toMatch(/^[^./\\\p{C}][^/\\\p{C}]*$/u);
        expect(name.length).toBeLessThanOrEqual(100);
      }),
    );
  });
});
