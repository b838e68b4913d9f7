import { describe, expect, it } from "vitest";
import { foldPath, portablePathProblem } from "../../../../src/domain/bundles/portable-path.ts";

describe("a portable path", () => {
  it.each([
    "a.png",
    "a/b/c.txt",
    "Größe 1/é.csv",
    "👩\u200d👧/می\u200cخواهم.csv",
    "..a/b..c",
    ".hidden",
    "console.txt",
    "a b",
    "é".repeat(256),
  ])("may be %j", (path) => {
    expect(portablePathProblem(path)).toBeUndefined();
  });

  it.each([
    "",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "a/../b",
    "a\\b",
    "C:/a",
    "a\0b",
    "a\u007Fb",
    "a/\u202Egnp.exe",
    "a\u2066b",
    "a\u200Bb",
    "a\u2028b",
    "e\u0301.png",
    "CON",
    "nul.txt",
    "a/Aux.png",
    "com1",
    "LPT9.tar.gz",
    "con .txt",
    "a.",
    "a /b",
    "a/b ",
    "\uD800",
    "é".repeat(257),
  ])("may not be %j", (path) => {
    expect(portablePathProblem(path)).toEqual(expect.any(String));
  });

  it("ignores case", () => {
    expect(foldPath("Größe/A.PNG")).toBe(foldPath("GRÖSSE/a.png"));
    expect(foldPath("a")).not.toBe(foldPath("b"));
  });
});
