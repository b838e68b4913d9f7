import { describe, expect, it } from "vitest";
import type { RunExportEntry } from "../../../../src/contracts/runs/zip-export.ts";
import { EntryNames } from "../../../../src/domain/exports/entry-names.ts";
import { expectWithin } from "../../../support/expect-within.ts";

function entry(fields: Partial<RunExportEntry>): RunExportEntry {
  return {
    node: 0,
    ord: 0,
    output_key: "out",
    is_iterated: false,
    indices: [],
    file_name: null,
    size_bytes: 1,
    file: null,
    is_json: false,
    ...fields,
  };
}

const named = (...entries: Partial<RunExportEntry>[]) => {
  const names = new EntryNames();
  return entries.map((fields) => names.nameOf(entry(fields)));
};
const png = { key: "k", name: "card.png" };

describe("file names in an export", () => {
  it("consist of the output's key and the element's index", () => {
    expect(
      named(
        { output_key: "title" },
        { output_key: "data", is_json: true },
        { output_key: "pic", file: png },
        { output_key: "pics", is_iterated: true, indices: [2, 10], file: png },
      ),
    ).toEqual(["title.txt", "data.json", "pic.png", "pics/2-10.png"]);
  });

  it("use the author's name, with the extension of the file", () => {
    const fields = { output_key: "pics", is_iterated: true, file: png, file_name: "n {index}.exe" };
    expect(named({ ...fields, indices: [3] })).toEqual(["pics/n 3.exe.png"]);
  });

  it("are unique ignoring case, with numbers from 2", () => {
    expect(
      named({ output_key: "A" }, { output_key: "a" }, { output_key: "a-2" }, { output_key: "ａ" }),
    ).toEqual(["A.txt", "a-2.txt", "a-2-2.txt", "ａ-3.txt"]);
  });

  it("stay fast for ten thousand equal names", async () => {
    await expectWithin(2_000, () => {
      const names = new EntryNames();
      const all = Array.from({ length: 10_000 }, () =>
        names.nameOf(entry({ is_iterated: true, file: png, file_name: "same" })),
      );
      expect(new Set(all).size).toBe(10_000);
      expect(all.at(-1)).toBe("out/same-10000.png");
    });
  });

  it.each([
    "../../etc/passwd",
    "..",
    "/abs",
    "C:\\x",
    "con",
    "NUL .txt",
    "lpt¹",
    "a\u202Egnp.exe",
    "tab\tnul\0",
    "dot. ",
    "\uD800",
    "x".repeat(5_000),
    "é".repeat(400),
  ])("stay within their folder for any key: %j", (key) => {
    for (const is_iterated of [false, true]) {
      const [name] = named({ output_key: key, is_iterated, indices: is_iterated ? [0] : [] });
      for (const segment of name!.split("/")) {
        expect(segment).toMatch(/^[^<>:"/\\|?*\p{C}]+$/u);
        expect(segment).not.toMatch(/^\.|[. ]$/);
        expect(segment).not.toMatch(/^(con|nul|lpt¹)\s*(\.|$)/i);
        expect(Buffer.byteLength(segment)).toBeLessThanOrEqual(200);
      }
      expect(name!.split("/")).toHaveLength(is_iterated ? 2 : 1);
    }
  });
});
