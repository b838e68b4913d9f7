import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { CsvTokenizer } from "../../../../src/datasets/csv/csv-tokenizer.ts";
import { DatasetError } from "../../../../src/datasets/dataset-error.ts";

function tokenize(text: string, delimiter = ",", pieceChars = text.length || 1): string[][] {
  const rows: string[][] = [];
  const tokenizer = new CsvTokenizer(delimiter, (row) => {
    rows.push(Array.from({ length: row.fieldCount }, (_, index) => row.field(index)));
  });
  for (let at = 0; at < text.length; at += pieceChars) {
    tokenizer.write(text.slice(at, at + pieceChars));
  }
  tokenizer.finish();
  return rows;
}

function refusal(text: string): string {
  try {
    tokenize(text);
  } catch (error) {
    if (error instanceof DatasetError) {
      return `${error.code}: ${error.message}`;
    }
    throw error;
  }
  return "accepted";
}

const cell = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("", '"', '""', "a,b", "x\ny", "\r", "é", "𝒳", " lead", "tail "),
);
const table = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 6,
});

/** An independent writer: every ambiguous value is quoted. */
function write(rows: readonly (readonly string[])[], delimiter: string, newline: string): string {
  const field = (value: string) => `"${value.replaceAll('"', '""')}"`;
  return rows.map((row) => row.map(field).join(delimiter)).join(newline) + newline;
}

describe("a CSV text", () => {
  it("returns the written values, in pieces of any size", () => {
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(",", ";", "\t", "|"),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.integer({ min: 1, max: 9 }),
        (rows, delimiter, newline, pieceChars) => {
          const text = write(rows, delimiter, newline);
          expect(tokenize(text, delimiter, pieceChars)).toEqual(rows);
          expect(tokenize(text, delimiter)).toEqual(rows);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("is read like PapaParse reads it, if PapaParse finds no error", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "1", " ", ",", "\n", '"', '""', '"x"', '"y,z"'), {
          maxLength: 24,
        }),
        (parts) => {
          const text = parts.join("");
          const checked = Papa.parse<string[]>(text, { delimiter: ",", newline: "\n" });
          const ours = refusal(text);
          if (ours !== "accepted" || checked.errors.length > 0 || text === "") {
            return;
          }
          // PapaParse counts an empty row after the last line break.
          const expected = text.endsWith("\n") ? checked.data.slice(0, -1) : checked.data;
          expect(tokenize(text)).toEqual(expected);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a,"b ""c"" d",e\n', [["a", 'b "c" d', "e"]]],
    ['"a" ,b\n', [["a", "b"]]],
    ['a "quoted" word,b', [['a "quoted" word', "b"]]],
    ["a,b\r\rc", [["a", "b"], [""], ["c"]]],
    [
      "a,\n,b\n",
      [
        ["a", ""],
        ["", "b"],
      ],
    ],
    ["a,b,", [["a", "b", ""]]],
    ['""', [[""]]],
    ["", []],
    ["\n", [[""]]],
    ['"line\r\nbreak"\r\n', [["line\r\nbreak"]]],
  ])("%j is %j", (text, rows) => {
    for (let pieceChars = 1; pieceChars <= Math.max(1, text.length); pieceChars++) {
      expect(tokenize(text, ",", pieceChars)).toEqual(rows);
    }
  });

  it("that is malformed is rejected with its row number", () => {
    expect(refusal('a\n"b')).toMatch(/invalid_data: Row 2 opens a quote that is never closed/);
    expect(refusal('a\nb\n"c"d\n')).toMatch(/invalid_data: Row 3 has "d\\n" after a closing quote/);
    expect(refusal('"a" "b"')).toMatch(/Row 1 has/);
    expect(refusal(`"${"x".repeat(1_100_000)}`)).toMatch(
      /Row 1 is longer than 1048576 characters; a quote/,
    );
    expect(refusal(",".repeat(16_384))).toMatch(/Row 1 has more than 16384 values/);
    expect(refusal(",".repeat(16_383))).toBe("accepted");
  });
});
