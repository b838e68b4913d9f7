import { describe, expect, it } from "vitest";
import { parseCsv } from "../../../scripts/parse-csv.ts";

describe("parseCsv", () => {
  it("splits rows at both kinds of line breaks", () => {
    expect(parseCsv("a,b\r\n1,2\n3,4")).toEqual([
      ["a", "b"],
      ["1", "2"],
      ["3", "4"],
    ]);
  });

  it("keeps commas, quotes and line breaks of quoted fields", () => {
    expect(parseCsv('"x, y","say ""hi""","two\nlines"\n')).toEqual([
      ["x, y", 'say "hi"', "two\nlines"],
    ]);
  });

  it("keeps empty fields, including the last one", () => {
    expect(parseCsv(',"",\n')).toEqual([["", "", ""]]);
    expect(parseCsv("a,")).toEqual([["a", ""]]);
  });

  it("rejects a quote that is never closed", () => {
    expect(() => parseCsv('a,"b')).toThrow("character 3");
  });
});
