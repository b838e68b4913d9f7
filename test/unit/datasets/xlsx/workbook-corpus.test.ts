/** Workbooks of many programs, read by this reader and by SheetJS, compared value by value. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { utils, write, type WritingOptions } from "@e965/xlsx";
import { writeXlsx } from "hucre";
import { describe, expect, it } from "vitest";
import { openWorkbook } from "../../../../src/datasets/xlsx/open-workbook.ts";
import {
  type ComparedSheet,
  compareWithSheetJs,
} from "../../../support/datasets/compare-with-sheetjs.ts";
import { inspectBytes } from "../../../support/datasets/inspect-bytes.ts";
import { makeWorkbook, workbookParts } from "../../../support/datasets/make-workbook.ts";
import { makeZip } from "../../../support/datasets/make-zip.ts";
import { MemorySource } from "../../../support/datasets/memory-source.ts";
import { refusalOf } from "../../../support/datasets/refusal-of.ts";

/** Created by the scripts next to them, which list the programs, versions and licenses. */
const FOLDER = join(import.meta.dirname, "../../../fixtures/xlsx");
const FILES = globSync("*/*.xlsx", { cwd: FOLDER }).toSorted();

const bytesOf = (file: string) => new Uint8Array(readFileSync(join(FOLDER, file)));
const sheetsOf = async (bytes: Uint8Array) => (await openWorkbook(new MemorySource(bytes))).sheets;

/** Sheets without a table, with the expected message. */
const REFUSED: ReadonlyMap<string, RegExp> = new Map([
  // A sheet with only a chart.
  ["libreoffice/xlsxwriter-decorated.xlsx Chart", /^invalid_data: The worksheet is empty/],
  [
    "libreoffice/xlsxwriter-title-above-the-header.xlsx Data",
    /^invalid_data: Row 4 has a value in column B, but the header has 1 columns/,
  ],
  [
    "xlsxwriter/title-above-the-header.xlsx Data",
    /^invalid_data: Row 4 has a value in column B, but the header has 1 columns/,
  ],
]);

/** Cells with expected differences, and the reason. */
const INF = ["row 6, column 2: we read null, SheetJS NaN"];
const DIFFERENT: ReadonlyMap<string, readonly string[]> = new Map([
  // LibreOffice writes INF after an overflow; this reader counts it as an error value, with a
  // warning.
  ["libreoffice/openpyxl-types.xlsx", INF],
  ["libreoffice/ooxml-openpyxl-types.xlsx", INF],
  ["libreoffice/xlsxwriter-types.xlsx", INF],
]);

describe("a workbook of another program is read like SheetJS reads it, value by value:", () => {
  it("the folder has 52 files of six programs", () => {
    expect(FILES).toHaveLength(52);
    expect(new Set(FILES.map(dirname)).size).toBe(6);
  });

  it.each(FILES)("%s", async (file) => {
    const bytes = bytesOf(file);
    let compared = 0;
    for (const { name: table } of await sheetsOf(bytes)) {
      const refused = REFUSED.get(`${file} ${table}`);
      if (refused === undefined) {
        const { differences, rows, cells } = await compareWithSheetJs(bytes, { table });
        expect(differences).toEqual(DIFFERENT.get(file) ?? []);
        expect(rows).toBeGreaterThan(1);
        compared += cells;
      } else {
        expect(await refusalOf(compareWithSheetJs(bytes, { table }))).toMatch(refused);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(0);
  });

  it.each([
    ["xlsxwriter/title-above-the-header.xlsx", { headerRow: 4 }],
    ["libreoffice/xlsxwriter-title-above-the-header.xlsx", { headerRow: 4 }],
    ["xlsxwriter/sparse.xlsx", { headerRow: 1 }],
  ])("%s with %j", async (file, options: ComparedSheet) => {
    const { differences, rows } = await compareWithSheetJs(bytesOf(file), options);
    expect(differences).toEqual([]);
    expect(rows).toBeGreaterThan(2);
  });
});

describe("a workbook written by SheetJS, with any options,", () => {
  const rows = [
    ["text", "number", "flag", "day", "none"],
    ["plain", 1, true, new Date(Date.UTC(2024, 1, 29)), null],
    [" outer ", -1.5, false, new Date(Date.UTC(1999, 11, 31, 23, 59, 59)), null],
    ["<&> 漢字 🎉\n", 1e21, true, new Date(Date.UTC(1960, 0, 1)), null],
  ];
  const ways: Partial<WritingOptions>[] = [
    {},
    { bookSST: true },
    { compression: true },
    { bookSST: true, compression: true },
    { cellDates: true },
    { cellDates: true, bookSST: true, compression: true },
    { ignoreEC: false, compression: true },
    { Props: { Author: "somebody", Title: "something" } },
  ];

  it.each(ways)("is read like SheetJS reads it: %j", async (options) => {
    for (const date1904 of [false, true]) {
      const book = utils.book_new();
      book.Workbook = { WBProps: { date1904 } };
      utils.book_append_sheet(book, utils.aoa_to_sheet(rows, { UTC: true } as never), "Data");
      const bytes = new Uint8Array(
        write(book, { ...options, type: "array", bookType: "xlsx" }) as ArrayBuffer,
      );
      const { differences, rows: read } = await compareWithSheetJs(bytes);
      expect(read).toBe(4);
      // Its own `t="d"` cells: it converts them to its serial numbers, this reader keeps the text.
      expect(differences.filter((difference) => !/T.*Z"/.test(difference))).toEqual([]);
    }
  });
});

describe("a workbook written by hucre is read like SheetJS reads it:", () => {
  it.each([
    [
      "types",
      [
        ["t", "n", "b", "d"],
        ["x", 1.5, true, new Date(Date.UTC(2020, 0, 2))],
      ],
    ],
    ["gaps", [["a", "b", "c"], [null, 1, null], [], [null, null, "end"]]],
    ["space", [["a"], [" a "], ["\n"], ["\t x"], ["z"]]],
    ["long", [["a", "b"], ...Array.from({ length: 3_000 }, (_, i) => [i, `row ${i % 7}`])]],
    [
      "letters",
      [
        ["ключ", "鍵"],
        ["значение", "値 🎉"],
        ["a\u0301", "\u200bzero"],
      ],
    ],
  ])("%s", async (_name, rows) => {
    const bytes = await writeXlsx({ sheets: [{ name: "Data", rows }] } as never);
    const { differences, rows: read } = await compareWithSheetJs(bytes);
    expect(differences).toEqual([]);
    expect(read).toBeGreaterThan(1);
  });
});

const STRICT = "http://purl.oclc.org/ooxml";
const LOOSE = /http:\/\/schemas\.openxmlformats\.org\/(spreadsheetml|officeDocument)\/2006/g;
const CELLS =
  '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>' +
  '<row r="2"><c r="A2"><v>1.5</v></c><c r="B2" t="str"><f>A2</f><v>made</v></c></row>' +
  '<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="s"><v>1</v></c></row>';
const GIVEN = {
  rows: CELLS,
  sharedStrings: "<si><t>a</t></si><si><r><t>rich</t></r><r><t> text</t></r></si>",
};
const READ = [
  { a: 1.5, b: "made" },
  { a: true, b: "rich text" },
];

/** The parts of a small workbook, with one changed in each case. */
function changed(change: (name: string, xml: string) => string) {
  return makeZip(
    workbookParts(GIVEN).map(({ name, data }) => ({ name, data: change(name, data as string) })),
  );
}

describe("a form that standards allow and few programs use is read:", () => {
  it.each<[string, () => Uint8Array]>([
    ["strict Open XML", () => changed((_name, xml) => xml.replaceAll(LOOSE, `${STRICT}/$1`))],
    [
      "every element under a prefix",
      () =>
        changed((name, xml) =>
          name.endsWith("sheet.xml") || name.endsWith("sharedStrings.xml")
            ? xml.replaceAll(/<(\/?)(?=[a-z])/g, "<$1x:").replace('xmlns="', 'xmlns:x="')
            : xml,
        ),
    ],
    [
      "a relationship by an absolute path",
      () =>
        changed((name, xml) =>
          name.endsWith(".rels")
            ? xml
                .replaceAll('Target="', 'Target="/')
                .replaceAll('"/w', '"/xl/w')
                .replaceAll('"/st', '"/xl/st')
                .replaceAll('"//', '"/')
            : xml,
        ),
    ],
    [
      "a relationship by a path with dots",
      () => changed((_name, xml) => xml.replace('"worksheets/', '"../xl/./worksheets/')),
    ],
    [
      "parts in other letter case than their names",
      () =>
        makeZip(workbookParts(GIVEN).map((part) => ({ ...part, name: part.name.toUpperCase() }))),
    ],
    [
      "no references of rows and cells",
      () =>
        changed((name, xml) =>
          name.endsWith("sheet.xml") ? xml.replaceAll(/ r="[A-Z]*\d"/g, "") : xml,
        ),
    ],
    [
      "a dimension that lies, and none",
      () =>
        makeWorkbook({
          ...GIVEN,
          rows: `<?xml version="1.0"?><worksheet><dimension ref="A1:XFD1048576"/><sheetData>${CELLS}</sheetData></worksheet>`,
        }),
    ],
    [
      "attributes in single quotes",
      () => changed((_name, xml) => xml.replaceAll(/"([^"']*)"/g, "'$1'")),
    ],
    [
      "white space between everything",
      () => changed((_name, xml) => xml.replaceAll("><", ">\n\t<")),
    ],
    [
      "comments and instructions in between",
      () => changed((_name, xml) => xml.replaceAll("<row", "<!-- c --><?p i?><row")),
    ],
    ["CDATA", () => changed((_name, xml) => xml.replace("<v>made</v>", "<v><![CDATA[made]]></v>"))],
    [
      "numeric references",
      () => changed((_name, xml) => xml.replace("<v>made</v>", "<v>&#109;&#x61;de</v>")),
    ],
    ["a byte order mark", () => changed((_name, xml) => `\ufeff${xml}`)],
    ["no XML declaration", () => changed((_name, xml) => xml.replace(/<\?xml[^>]*\?>/, ""))],
    [
      "extensions of later versions",
      () =>
        changed((name, xml) =>
          name.endsWith("sheet.xml")
            ? xml.replace(
                "</sheetData>",
                '</sheetData><extLst><ext uri="{x}"><x14:y xmlns:x14="u"><x14:z>1</x14:z></x14:y></ext></extLst>',
              )
            : xml,
        ),
    ],
  ])("%s", async (_name, make) => {
    const bytes = make();
    expect((await inspectBytes(bytes, "d.xlsx")).sample).toEqual(READ);
  });

  it("UTF-16, as the XML standard allows", async () => {
    const utf16 = (text: string) =>
      new Uint8Array(Buffer.from(`\ufeff${text.replace("UTF-8", "UTF-16")}`, "utf16le"));
    const bytes = makeZip(
      workbookParts(GIVEN).map(({ name, data }) => ({ name, data: utf16(data as string) })),
    );
    expect((await inspectBytes(bytes, "d.xlsx")).sample).toEqual(READ);
  });

  it("without styles and shared strings, if nothing refers to them", async () => {
    const bytes = makeZip(
      workbookParts({
        rows: '<row r="1"><c r="A1" t="inlineStr"><is><t>n</t></is></c></row><row r="2"><c r="A2"><v>2</v></c></row>',
      })
        .filter(({ name }) => !/styles|sharedStrings/.test(name))
        .map(({ name, data }) => ({
          name,
          data: (data as string).replaceAll(/<Relationship Id="[st]"[^>]*>/g, ""),
        })),
    );
    expect((await inspectBytes(bytes, "d.xlsx")).sample).toEqual([{ n: 2 }]);
  });
});

it("the comparison finds a wrong value and an additional row", async () => {
  const book = (...rows: unknown[][]) => writeXlsx({ sheets: [{ name: "Data", rows }] } as never);
  const ours = await book(["a", "b"], ["x", 1], ["y", new Date(Date.UTC(2024, 0, 1))]);
  const other = await book(["a", "b"], ["x", 2], ["y", new Date(Date.UTC(2024, 0, 2))]);
  expect((await compareWithSheetJs(ours, { theirs: other })).differences).toEqual([
    "row 1, column 1: we read 1, SheetJS 2",
    'row 2, column 1: we read "2024-01-01", SheetJS "2024-01-02"',
  ]);
  const longer = await book(["a", "b"], ["x", 1], ["y", new Date(Date.UTC(2024, 0, 1))], ["z"]);
  expect((await compareWithSheetJs(longer, { theirs: ours })).differences).toEqual([
    "we read 4 rows, SheetJS 3",
    'row 3, column 0: we read "z", SheetJS null',
  ]);
});
