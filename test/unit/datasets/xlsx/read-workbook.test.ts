import fc from "fast-check";
import { writeXlsx } from "hucre";
import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../../src/lib/json/exact-json.ts";
import { serialToIso } from "../../../../src/datasets/xlsx/serial-date.ts";
import type { DatasetOptions } from "../../../../src/contracts/dataset.ts";
import { inspectBytes } from "../../../support/datasets/inspect-bytes.ts";
import { makeWorkbook, type WorkbookParts } from "../../../support/datasets/make-workbook.ts";
import { refusalOf } from "../../../support/datasets/refusal-of.ts";

const inspect = (parts: WorkbookParts, options: Partial<DatasetOptions> = {}) =>
  inspectBytes(makeWorkbook(parts), "d.xlsx", options);

const text = (cell: string, value: string) =>
  `<c r="${cell}" t="inlineStr"><is><t>${value}</t></is></c>`;
const header = (...names: string[]) =>
  `<row r="1">${names.map((name, i) => text(`${String.fromCharCode(65 + i)}1`, name)).join("")}</row>`;

/** The value of one cell under a header, from the sample. */
async function cell(xml: string, parts: WorkbookParts = {}): Promise<unknown> {
  const { sample } = await inspect({
    ...parts,
    rows: `${header("v", "x")}<row r="2">${xml}${text("B2", "-")}</row>`,
  });
  return sample[0]?.["v"];
}

const STYLES =
  '<numFmts count="4"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="[h]:mm:ss"/><numFmt numFmtId="166" formatCode="&quot;day &quot;0"/><numFmt numFmtId="167" formatCode="[Red]0.00;[Blue]dd"/><numFmt numFmtId="168" formatCode="dd/mm/yyyy h:mm"/></numFmts>' +
  '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>' +
  `<cellXfs>${[0, 14, 22, 20, 46, 164, 165, 166, 167, 168, 49].map((id) => `<xf numFmtId="${id}"/>`).join("")}</cellXfs>`;

describe("a cell of a workbook", () => {
  it.each([
    ['<c r="A2"><v>1</v></c>', 1],
    ['<c r="A2" t="n"><v>-1.5</v></c>', -1.5],
    ['<c r="A2"><v>0.10000000000000001</v></c>', 0.1],
    ['<c r="A2"><v>1E-3</v></c>', 0.001],
    ['<c r="A2" t="b"><v>1</v></c>', true],
    ['<c r="A2" t="b"><v>0</v></c>', false],
    ['<c r="A2" t="str"><f>A1</f><v>made</v></c>', "made"],
    ['<c r="A2" t="e"><v>#N/A</v></c>', null],
    ['<c r="A2" t="d"><v>2024-01-31T00:00:00</v></c>', "2024-01-31"],
    ['<c r="A2" t="d"><v>2024-01-31T10:30:00</v></c>', "2024-01-31T10:30:00"],
    ['<c r="A2" t="s"><v>0</v></c>', "shared"],
    ['<c r="A2" t="s"><v>1</v></c>', "rich text"],
    ['<c r="A2" t="s"><v>2</v></c>', "漢字"],
    ['<c r="A2" t="s"><v>3</v></c>', "a\rb"],
    ['<c r="A2" t="s"><v>4</v></c>', " kept "],
    ['<c r="A2" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>', "inline"],
    ['<c r="A2" t="inlineStr"><is><t>&lt;&amp;&#65;</t></is></c>', "<&A"],
    ['<c r="A2"/>', null],
    ['<c r="A2" s="1"/>', null],
    ['<c r="A2"><f>1+1</f></c>', null],
    ['<x:c r="A2"><x:v>7</x:v></x:c>', 7],
  ])("%s is %j", async (xml, value) => {
    const sharedStrings =
      "<si><t>shared</t></si><si><r><rPr><b/></rPr><t>rich </t></r><r><t>text</t></r></si>" +
      '<si><t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh></si><si><t>a_x000D_b</t></si><si><t xml:space="preserve"> kept </t></si>';
    expect(await cell(xml, { sharedStrings })).toEqual(value);
  });

  it.each([
    [45_351, 1, false, "2024-02-29"],
    [45_351.5, 1, false, "2024-02-29T12:00:00"],
    [45_351.25, 2, false, "2024-02-29T06:00:00"],
    [45_351, 2, false, "2024-02-29T00:00:00"],
    [0.75, 3, false, "18:00:00"],
    [1.5, 4, false, "36:00:00"],
    [45_351, 5, false, "2024-02-29"],
    [2.25, 6, false, "54:00:00"],
    [5, 7, false, 5],
    [5, 8, false, 5],
    [45_351.25, 9, false, "2024-02-29T06:00:00"],
    [5, 10, false, 5],
    [1, 1, false, "1900-01-01"],
    [59, 1, false, "1900-02-28"],
    [60, 1, false, "1900-02-29"],
    [61, 1, false, "1900-03-01"],
    [0, 1, true, "1904-01-01"],
    [43_889, 1, true, "2024-02-29"],
    [-1, 1, false, -1],
    [2_958_465, 1, false, "9999-12-31"],
    [2_958_466, 1, false, 2_958_466],
    [45_351.999_999_999, 2, false, "2024-03-01T00:00:00"],
  ])("%d in style %d (1904: %s) is %j", async (value, style, is1904, expected) => {
    const xml = `<c r="A2" s="${style}"><v>${value}</v></c>`;
    expect(await cell(xml, { styles: STYLES, is1904 })).toEqual(expected);
  });

  it("on any day since March 1900 is the day in the calendar", () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 2_958_465 }), (serial) => {
        const date = new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000);
        expect(serialToIso(serial, "date", false)).toBe(date.toISOString().slice(0, 10));
      }),
    );
  });
});

describe("a worksheet", () => {
  it("counts the rows with values, at any position", async () => {
    const rows = `${header("a", "b")}<row r="5">${text("B5", "x")}</row><row r="6"/><row r="7">${text("A7", " ")}</row><row r="1048576"><c r="A1048576"><v>1</v></c></row>`;
    expect(await inspect({ rows })).toMatchObject({
      table: "Data",
      row_count: 2,
      columns: [
        { name: "a", type: "number", nullable: true },
        { name: "b", type: "text", nullable: true },
      ],
      sample: [
        { a: null, b: "x" },
        { a: 1, b: null },
      ],
    });
  });

  it("needs no references, no styles and no correct dimensions", async () => {
    const rows =
      '<?xml version="1.0"?><worksheet><dimension ref="A1:XFD1000000"/><sheetData><row><c t="inlineStr"><is><t>n</t></is></c></row><row><c><v>3</v></c></row></sheetData></worksheet>';
    expect(await inspect({ rows })).toMatchObject({ row_count: 1, sample: [{ n: 3 }] });
  });

  it("reads its header from the selected row; numbers and gaps become column names too", async () => {
    const rows = `<row r="1">${text("A1", "a title")}</row><row r="3"><c r="A3"><v>2024</v></c>${text("C3", "c")}</row><row r="4"><c r="A4"><v>1</v></c></row>`;
    const { columns } = await inspect({ rows }, { headerRow: 3 });
    expect(columns.map(({ name }) => name)).toEqual(["2024", "column_2", "c"]);
  });

  it("warns about formulas, errors and merged cells, and calculates nothing", async () => {
    const rows = `${header("a")}<row r="2"><c r="A2"><f>WEBSERVICE("http://example.com")</f><v>5</v></c></row><row r="3"><c r="A3"><f>1+1</f></c></row><row r="4"><c r="A4" t="e"><v>#REF!</v></c></row>`;
    const profile = await inspect({
      rows,
      after: '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>',
    });
    expect(profile.row_count).toBe(1);
    expect(profile.warnings.map(({ code }) => code)).toEqual([
      "XLSX_FORMULA_CACHED_VALUE",
      "XLSX_ERROR_VALUE",
      "XLSX_MERGED_CELLS",
    ]);
    expect(profile.warnings[0]!.message).toMatch(/^2 cells .* 1 without a stored value/);
    expect(await refusalOf(inspect({ rows }, { formulaPolicy: "reject" }))).toMatch(
      /^invalid_data: Cell A2 contains a formula/,
    );
  });

  it.each([
    [['name="A"'], null, /^accepted/],
    [['name="A"', 'name="B" state="hidden"'], null, /^accepted/],
    [['name="A"', 'name="B"'], null, /^ambiguous_table: .*"A", "B"/],
    [['name="A"', 'name="B"'], "B", /^accepted/],
    [['name="A"', 'name="Bücher" state="veryHidden"'], "bücher", /^accepted/],
    [['name="A"'], "C", /^invalid_data: .*no worksheet "C".*"A"/],
    [['name="A" state="hidden"'], null, /^invalid_data: Every worksheet/],
    [[], null, /^invalid_data: The workbook has no worksheet/],
  ])("of %j chosen by %j: %s", async (sheets, table, expected) => {
    expect(await refusalOf(inspect({ sheets, rows: header("a") }, { table }))).toMatch(expected);
  });

  it.each([
    [header("a", "A"), /^duplicate_column/],
    [
      `${header("a")}<row r="2">${text("C2", "x")}</row>`,
      /^invalid_data: Row 2 has a value in column C/,
    ],
    [
      `${header("a")}<row r="1">${text("A1", "x")}</row>`,
      /^invalid_data: .*row "1" is out of order/,
    ],
    [`${header("a")}<row r="1000000000"/>`, /^invalid_data: .*past row 1048576/],
    [`${header("a")}<row r="2"><c r="XFE2"><v>1</v></c></row>`, /^invalid_data: .*past column XFD/],
    [`${header("a")}<row r="2"><c r="B2"/><c r="A2"/></row>`, /^invalid_data: .*out of order/],
    [
      `${header("a")}<row r="2"><c r="A2"><v>one</v></c></row>`,
      /^invalid_data: .*instead of a number/,
    ],
    [
      `${header("a")}<row r="2"><c r="A2" t="s"><v>99</v></c></row>`,
      /^invalid_data: .*missing string/,
    ],
    [`${header("a")}<row r="2"><c r="A2"><v>1</v></row>`, /^invalid_data: .*not well-formed/],
    ["", /^invalid_data: The worksheet is empty/],
  ])("of %.80s: %s", async (rows, expected) => {
    expect(await refusalOf(inspect({ rows }))).toMatch(expected);
  });

  it("created by another library returns the original values", async () => {
    const value = fc.oneof(
      // Without digits: a column of texts that are numbers is read as numbers, which is tested
      // below.
      fc
        .string({ maxLength: 8 })
        .filter((given) => /^[\P{C}]*$/u.test(given) && given.trim() !== "" && !/\d/.test(given)),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
      fc.boolean(),
      fc
        .date({ min: new Date("1901-01-01"), max: new Date("2200-01-01"), noInvalidDate: true })
        .map((date) => new Date(Math.floor(date.getTime() / 86_400_000) * 86_400_000)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 5 }),
        async (rows) => {
          const xlsx = await writeXlsx({
            sheets: [{ name: "S", rows: [["a", "b"], ...rows] }],
          } as never);
          const { sample } = await inspectBytes(xlsx, "d.xlsx", {}, 7);
          const expected = rows.map(([a, b]) => ({ a: shown(a), b: shown(b) }));
          expect(JSON.stringify(sample)).toBe(JSON.stringify(expected));
        },
      ),
      { numRuns: 60 },
    );
  });
});

const shown = (value: unknown): unknown =>
  value instanceof Date ? value.toISOString().slice(0, 10) : value === 0 ? 0 : value;

describe("text cells that are numbers", () => {
  const rows = (...cells: readonly string[]) =>
    header("v", "x") +
    cells
      .map((value, i) => {
        const row = i + 2;
        const isNumber = value.startsWith("#");
        const xml = isNumber
          ? `<c r="A${row}"><v>${value.slice(1)}</v></c>`
          : text(`A${row}`, value);
        return `<row r="${row}">${xml}${text(`B${row}`, "-")}</row>`;
      })
      .join("");

  it("are read in the locale, like cells of CSV, next to number cells", async () => {
    const german = await inspect({ rows: rows("1.234,50", "#7.5", "12") }, { locale: "de-DE" });
    expect(german.columns[0]).toMatchObject({ type: "number", warnings: [] });
    expect(german.sample.map((row) => stringifyJson(row["v"]!))).toEqual(["1234.50", "7.5", "12"]);
  });

  it("cause a warning if another locale would read them, and stay text", async () => {
    const plain = await inspect({ rows: rows("1.234,50", "#7.5") });
    expect(plain.columns[0]).toMatchObject({ type: "text" });
    expect(plain.warnings).toMatchObject([
      { code: "CSV_AMBIGUOUS_NUMBER", column: "v" },
      { code: "COLUMN_MIXED", column: "v", type: "number", others: 1, first_row: 1 },
    ]);
    expect(plain.sample.map((row) => row["v"])).toEqual(["1.234,50", 7.5]);
  });

  it("are text if they are not numbers: leading zeros, words, dates", async () => {
    for (const value of ["007", "12 Main St", "a"]) {
      const { columns } = await inspect({ rows: rows(value) });
      expect(columns[0], value).toMatchObject({ type: "text", warnings: [] });
    }
  });
});
