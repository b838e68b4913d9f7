import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { inspectBytes } from "../../../support/datasets/inspect-bytes.ts";
import { refusalOf } from "../../../support/datasets/refusal-of.ts";

const typeOf = async (cells: readonly string[], locale = "invariant") => {
  const quoted = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`);
  const { columns } = await inspectBytes(
    `c,x\n${quoted.map((c) => `${c},1`).join("\n")}\n`,
    "d.csv",
    {
      locale,
    },
  );
  const { type, warnings: all } = columns[0]!;
  const warnings = all.filter((code) => code !== "COLUMN_MIXED");
  return warnings.length === 0 ? type : `${type} ${warnings.join()}`;
};

const windows1252 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe("a column's type", () => {
  it.each([
    ["1", "number"],
    ["-1.50", "number"],
    ["0", "number"],
    ["-0.5", "number"],
    ["123456789012345678901234567890", "number"],
    [" 7 ", "number"],
    ["007", "text"],
    ["00.5", "text"],
    ["1e5", "text"],
    ["+5", "text"],
    [".5", "text"],
    ["5.", "text"],
    ["NaN", "text"],
    ["Infinity", "text"],
    ["-", "text"],
    ["--1", "text"],
    ["0x10", "text"],
    ["1,5", "text CSV_AMBIGUOUS_NUMBER"],
    ["1,234,567.89", "text CSV_AMBIGUOUS_NUMBER"],
    ["1.234.567", "text CSV_AMBIGUOUS_NUMBER"],
    ["1 234,5", "text CSV_AMBIGUOUS_NUMBER"],
    ["1\u202f234", "text CSV_AMBIGUOUS_NUMBER"],
    ["1'234.50", "text CSV_AMBIGUOUS_NUMBER"],
    ["12,34,567", "text CSV_AMBIGUOUS_NUMBER"],
    ["1,2,3", "text"],
    ["1.2.3.4", "text"],
    ["12 Main St", "text"],
    ["TRUE", "boolean"],
    ["fAlSe", "boolean"],
    ["yes", "text"],
    ["truex", "text"],
    ["2024-02-29", "date"],
    ["2023-02-29", "text"],
    ["2024-13-01", "text"],
    ["2024-01-31T23:59:59.5Z", "date"],
    ["2024-01-31 08:00", "date"],
    ["2024-01-31T24:00", "text"],
    ["31.01.2024", "text"],
    ["2024-0a-01", "text"],
    ["x".repeat(100), "text"],
    ["9".repeat(300), "number"],
  ])("of %j is %s", async (cell, type) => {
    expect(await typeOf([cell])).toBe(type);
  });

  it("is the common type of all its values, else text; empty values only make it nullable", async () => {
    expect(await typeOf(["1", "x"])).toBe("text");
    expect(await typeOf(["1", "true"])).toBe("text");
    expect(await typeOf(["1", "1,5"])).toBe("text CSV_AMBIGUOUS_NUMBER");
    const { columns } = await inspectBytes("a,b,c\n1,,x\n,,y\n2\n");
    expect(columns).toMatchObject([
      { name: "a", type: "number", nullable: true },
      { name: "b", type: "text", nullable: true },
      { name: "c", type: "text", nullable: true },
    ]);
  });

  it.each([
    ["de-DE", ["1.234,50", "7", "-0,5"], "number"],
    ["de-DE", ["1.5"], "text CSV_AMBIGUOUS_NUMBER"],
    ["de-DE", ["1.23.4"], "text"],
    ["en-US", ["1,234.5", "1234"], "number"],
    ["en-US", ["1,23"], "text CSV_AMBIGUOUS_NUMBER"],
    ["fr-FR", ["1 234,5", "1\u202f234", "1\u00a0234"], "number"],
    ["de-CH", ["1\u2019234.50", "1'234.50"], "number"],
    ["en-IN", ["12,34,567.8"], "number"],
    ["ar-EG", ["1"], "number"],
  ])("in %s of %j is %s", async (locale, cells, type) => {
    expect(await typeOf(cells, locale)).toBe(type);
  });

  it("is never number for text that is not a JSON number", async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[-+0-9.eE, ]{1,8}$/), async (cell) => {
        if ((await typeOf([cell])) === "number") {
          expect(JSON.stringify(Number(cell))).not.toBe("null");
          expect(() => JSON.parse(cell) as unknown).not.toThrow();
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a CSV profile", () => {
  it("keeps every digit in its sample, in the locale of the file", async () => {
    const profile = await inspectBytes("a;b\n1.234,50;12345678901234567890\n", "x.csv", {
      locale: "de-DE",
    });
    expect(stringifyJson(profile.sample)).toBe('[{"a":1234.50,"b":12345678901234567890}]');
  });

  it("counts every row that is not blank, with pieces of any size", async () => {
    const text = '\ufeffid,note\r\n1,"a\r\nb"\r\n\r\n , \r\n,\r\n2,\r\n3,ü\r\n';
    for (const chunkBytes of [1, 2, 3, 5, 8, 13, 1_000]) {
      const profile = await inspectBytes(text, "d.csv", {}, chunkBytes);
      expect(profile).toMatchObject({
        row_count: 3,
        encoding: "utf-8",
        columns: [{ name: "id" }, { name: "note" }],
        sample: [
          { id: 1, note: "a\r\nb" },
          { id: 2, note: null },
          { id: 3, note: "ü" },
        ],
      });
    }
  });

  it("reads bytes that are not UTF-8 as Windows-1252 from the first byte, with a warning", async () => {
    const late = `name\n${"x\n".repeat(200_000)}`;
    for (const [bytes, rows] of [
      [windows1252("name\nM\u00fcller \u0080\n"), 1],
      [windows1252(`${late}\u00e9\n`), 200_001],
    ] as const) {
      const profile = await inspectBytes(bytes, "d.csv", { sampleRows: 1 });
      expect(profile).toMatchObject({
        encoding: "windows-1252",
        row_count: rows,
        warnings: [{ code: "CSV_WINDOWS_1252" }],
      });
    }
    const { sample } = await inspectBytes(windows1252("name\nM\u00fcller \u0080\n"));
    expect(sample).toEqual([{ name: "Müller €" }]);
  });

  it.each([
    ["a,b\n1,2\n", ","],
    ["a;b\n1,5;2,5\n", ";"],
    ["a\tb\n1, 2\t3\n", "\t"],
    ["a|b|c\n1|2,2|3\n", "|"],
    ['"a;b";c\n"1;2";3\n', ";"],
    ["single\n1\n2\n", ","],
    ["title of the sheet\n\na;b;c\n1;2;3\n4;5;6\n", ";"],
  ])("of %j has the delimiter %j", async (text, delimiter) => {
    const headerRow = text.startsWith("title") ? 3 : 1;
    expect(await inspectBytes(text, "d.csv", { headerRow })).toMatchObject({ delimiter });
  });

  it("names columns: trimmed, empty ones by position, with any characters", async () => {
    const { columns, sample } = await inspectBytes(" a ,,__proto__,constructor\n1,2,3,4\n");
    expect(columns.map(({ name }) => name)).toEqual(["a", "column_2", "__proto__", "constructor"]);
    expect(JSON.stringify(sample)).toBe('[{"a":1,"column_2":2,"__proto__":3,"constructor":4}]');
  });

  it("reads the header from the selected row", async () => {
    const text = "made by a tool\n\nx,y\n1,2\n";
    expect(await inspectBytes(text, "d.csv", { headerRow: 3 })).toMatchObject({
      row_count: 1,
      columns: [{ name: "x" }, { name: "y" }],
    });
    // A blank row there is skipped.
    expect(await inspectBytes(text, "d.csv", { headerRow: 2 })).toMatchObject({ row_count: 1 });
  });

  it("has a sample with limited rows and characters", async () => {
    const rows = `a\n${`${"x".repeat(50_000)}\n`.repeat(200)}`;
    expect((await inspectBytes(rows, "d.csv", { sampleRows: 100 })).sample.length).toBeLessThan(15);
    expect((await inspectBytes(rows, "d.csv", { sampleRows: 3 })).sample).toHaveLength(3);
    expect((await inspectBytes(rows, "d.csv", { sampleRows: 0 })).sample).toEqual([]);
  });

  it.each([
    ["a,b\n1,2,3\n", {}, /^invalid_data: Row 2 has 3 values/],
    ["a,b\n1,2\n\n1,2,\n", {}, /^invalid_data: Row 4 has 3 values/],
    ["Name, name \n", {}, /^duplicate_column: Columns 1 and 2/],
    ["a,column_1,\n1,2\n", { headerRow: 1 }, /^accepted/],
    [",column_1\n1,2\n", {}, /^accepted/],
    [",column_1,COLUMN_1\n1,2,3\n", {}, /^duplicate_column: Columns 2 and 3/],
    ["", {}, /^invalid_data: The file is empty/],
    ["\n \n", {}, /^invalid_data: The file is empty/],
    ["a\n", { headerRow: 5 }, /^invalid_data: The file ends before row 5/],
    ["a\n1\n2\n3\n", { maxRows: 2 }, /^row_limit_exceeded: .*more than 2 rows/],
    ["a\n1\n2\n", { maxRows: 2 }, /^accepted/],
    ["a\u0000b\n", {}, /^invalid_data: The file contains NUL/],
    ["\u00ff\u00fea\u0000", {}, /^invalid_data: The file is UTF-16/],
    ["a\n1\n", { locale: "klingon!" }, /^validation_error: locale/],
    ["a\n1\n", { locale: "xx" }, /^validation_error: locale/],
    ["PK\u0003\u0004", {}, /^unsupported_format/],
    ["\u00d0\u00cf\u0011\u00e0", {}, /^unsupported_format/],
  ] as const)("of %j with %j: %s", async (text, options, expected) => {
    expect(await refusalOf(inspectBytes(windows1252(text), "d.csv", options))).toMatch(expected);
  });

  it("gives a column without a name a unique one", async () => {
    const namesOf = async (header: string) =>
      (await inspectBytes(`${header}\n1,2,3,4\n`)).columns.map(({ name }) => name);
    expect(await namesOf("a,, ,b")).toEqual(["a", "column_2", "column_3", "b"]);
    expect(await namesOf(",column_1,Column_1_2,column_4")).toEqual([
      "column_1_3",
      "column_1",
      "Column_1_2",
      "column_4",
    ]);
    expect(await namesOf("column_2,,,column_3")).toEqual([
      "column_2",
      "column_2_2",
      "column_3_2",
      "column_3",
    ]);
  });

  it("reads csv, tsv, txt, json, ndjson, jsonl and xlsx files only", async () => {
    expect(await inspectBytes("a,b\tc\n1\t2\n", "d.tsv")).toMatchObject({
      format: "tsv",
      columns: [{ name: "a,b" }, { name: "c" }],
    });
    expect(await inspectBytes("a\n1\n", "d.txt")).toMatchObject({ format: "csv" });
    expect(await inspectBytes('[{"a":1}]', "d.txt")).toMatchObject({ format: "json" });
    expect(await inspectBytes('{"a":1}\n{"a":2}\n', "d.txt")).toMatchObject({ format: "ndjson" });
    expect(await inspectBytes('{"a":1}\n', "d.csv", { format: "ndjson" })).toMatchObject({
      row_count: 1,
    });
    for (const name of ["d.png", "d.xls", "d.xlsm", "d", "d.csv.exe"]) {
      expect(await refusalOf(inspectBytes("a\n", name))).toMatch(/^unsupported_format/);
    }
  });
});

describe("COLUMN_MIXED", () => {
  const mixedOf = async (cells: readonly string[], file = "d.csv") => {
    const text = file.endsWith(".csv")
      ? `c,x\n${cells.map((c) => `${c},1`).join("\n")}\n`
      : cells[0]!;
    const { columns, warnings } = await inspectBytes(text, file, {});
    const found = warnings.find(({ code }) => code === "COLUMN_MIXED");
    expect(columns[0]!.warnings.includes("COLUMN_MIXED")).toBe(found !== undefined);
    return found;
  };

  it("reports the type of most cells, the number of others, and the first of them", async () => {
    expect(await mixedOf(["1", "2", "", "n/a", "3", "-"])).toMatchObject({
      column: "c",
      type: "number",
      others: 2,
      first_row: 4,
      example: "n/a",
    });
    expect(await mixedOf(["x".repeat(90), "2026-01-01"])).toMatchObject({
      type: "date",
      others: 1,
      first_row: 1,
      example: "x".repeat(40),
    });
    expect(await mixedOf(["true", "false", "7"])).toMatchObject({ type: "boolean", example: "7" });
  });

  it("is not reported for columns of one type, mostly text columns, and empty columns", async () => {
    for (const cells of [
      ["1", "2", ""],
      ["a", "b", "1"],
      ["", ""],
      ["a", "b"],
    ]) {
      expect(await mixedOf(cells), cells.join()).toBeUndefined();
    }
  });

  it("is reported for JSON too, but not for columns with nested values", async () => {
    expect(await mixedOf(['[{"c":1},{"c":2},{"c":"x"}]'], "d.json")).toMatchObject({
      type: "number",
      others: 1,
      first_row: 3,
      example: "x",
    });
    expect(await mixedOf(['[{"c":1},{"c":2},{"c":{}}]'], "d.json")).toBeUndefined();
  });
});
