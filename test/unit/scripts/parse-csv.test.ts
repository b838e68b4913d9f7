import { describe, expect, it } from "vitest";
import { parseCsv } from "../../../scripts/parse-csv.ts";

describe("parseCsv", () => {
  it("splits rows at line ends of both kinds", () => {
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

  it("keeps empty fields, the last one too", () => {
    expect(parseCsv(',"",\n')).toEqual([["", "", ""]]);
    expect(parseCsv("a,")).toEqual([["a", ""]]);
  });

  it("refuses a quote that is never closed", () => {
    expect(() => parseCsv('a,"b')).toThrow("character 3");
  });
});
