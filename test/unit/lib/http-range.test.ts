import { describe, expect, it } from "vitest";
import { parseRange } from "../../../src/lib/http/http-range.ts";

describe("parseRange", () => {
  it.each([
    ["bytes=0-0", { offset: 0, length: 1 }],
    ["bytes=2-5", { offset: 2, length: 4 }],
    ["bytes=5-", { offset: 5, length: 5 }],
    ["bytes=-3", { offset: 7, length: 3 }],
    ["bytes=-99", { offset: 0, length: 10 }],
    ["bytes=9-99", { offset: 9, length: 1 }],
  ])("reads %s of ten bytes", (header, range) => {
    expect(parseRange(header, 10)).toEqual(range);
  });

  it.each([null, "", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,4-5", "items=0-1", "bytes=a-b"])(
    "ignores %s and returns the whole",
    (header) => {
      expect(parseRange(header, 10)).toBeUndefined();
    },
  );

  it.each(["bytes=10-", "bytes=10-20", "bytes=-0"])("cannot satisfy %s of ten bytes", (header) => {
    expect(parseRange(header, 10)).toBe("unsatisfiable");
  });

  it("cannot satisfy any range of an empty file", () => {
    expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(parseRange("bytes=-1", 0)).toBe("unsatisfiable");
  });
});
