import { utils, write } from "@e965/xlsx";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SourceChangedError, type ByteSource } from "../../../../src/lib/files/byte-source.ts";
import { profileDataset } from "../../../../src/datasets/profile/profile-dataset.ts";
import { DEFAULT_OPTIONS, inspectBytes } from "../../../support/datasets/inspect-bytes.ts";
import {
  makeWorkbook,
  workbookParts,
  type WorkbookParts,
} from "../../../support/datasets/make-workbook.ts";
import { makeZip, type ZipPart } from "../../../support/datasets/make-zip.ts";
import { refusalOf } from "../../../support/datasets/refusal-of.ts";

const SHEET = "xl/worksheets/sheet.xml";
const ROWS =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row><row r="2"><c r="A2"><v>1</v></c></row>';

const inspect = (bytes: Uint8Array) => refusalOf(inspectBytes(bytes, "d.xlsx"));
const withSheet = (part: Partial<ZipPart>, given: WorkbookParts = {}) =>
  makeZip(
    workbookParts({ rows: ROWS, ...given }).map((each) =>
      each.name === SHEET ? { ...each, ...part } : each,
    ),
  );

describe("a hostile workbook is rejected before it uses resources:", () => {
  const bomb = Buffer.alloc(40_000_000, 32);
  const cases: [string, () => Uint8Array, RegExp][] = [
    ["a bomb that says so", () => withSheet({ data: bomb }), /expands more than 100 times/],
    [
      "a bomb that says it is small",
      () => withSheet({ data: bomb, claims: { expandedBytes: 1_000 } }),
      /is larger than its stated 1000 bytes/,
    ],
    [
      "a size of 4 GB in the header",
      () => withSheet({ claims: { expandedBytes: 0xfffffffe } }),
      /expands more than 100 times|expands to/,
    ],
    [
      "a size that only Zip64 can hold, without a Zip64 field",
      () => withSheet({ claims: { expandedBytes: 0xffffffff } }),
      /does not have the sizes that its Zip64 field must contain/,
    ],
    [
      "an entry past the end",
      () => withSheet({ claims: { offset: 0x7fffffff } }),
      /outside of the archive/,
    ],
    [
      "an entry that is longer than the file",
      () => withSheet({ claims: { compressedBytes: 0x7fffffff } }),
      /outside of the archive/,
    ],
    ["entries that share bytes", () => withSheet({ claims: { offset: 0 } }), /shares bytes/],
    [
      "entries that share bytes through a header that reaches into the next (quoted overlap)",
      () => {
        const whole = makeZip(workbookParts({ rows: ROWS }));
        whole[28] = 200;
        return whole;
      },
      /shares bytes/,
    ],
    ["an encrypted entry", () => withSheet({ claims: { flags: 1 } }), /is encrypted/],
    ["a strongly encrypted entry", () => withSheet({ claims: { flags: 0x40 } }), /is encrypted/],
    ["masked headers", () => withSheet({ claims: { flags: 0x2000 } }), /is encrypted/],
    ["a patch", () => withSheet({ claims: { flags: 0x20 } }), /is encrypted/],
    ["a checksum that is wrong", () => withSheet({ claims: { crc32: 1 } }), /checksum of "xl/],
    [
      "a checksum of 0 in a stream, which the directory repeats",
      () => withSheet({ isStreamed: true, claims: { crc32: 0 } }),
      /checksum of "xl/,
    ],
    [
      "a header that has another checksum than the directory",
      () => withSheet({ own: { crc32: 1 } }),
      /has other sizes in its own header/,
    ],
    [
      "a header that has another size than the directory",
      () => withSheet({ own: { expandedBytes: 7 } }),
      /has other sizes in its own header/,
    ],
    [
      "a header that leaves its sizes out without saying that they follow",
      () => withSheet({ own: { expandedBytes: 0, compressedBytes: 0, crc32: 0 } }),
      /has other sizes in its own header/,
    ],
    [
      "a header that says that sizes follow, and says others",
      () => withSheet({ isStreamed: true, own: { compressedBytes: 5 } }),
      /has other sizes in its own header/,
    ],
    [
      "a header with another name than the directory",
      () => withSheet({ own: { name: "xl/worksheets/sheet2.xml" } }),
      /has another name in its own header/,
    ],
    [
      "a header with another method than the directory",
      () => withSheet({ own: { method: 0 } }),
      /has another name in its own header/,
    ],
    [
      "Zip64 without a record",
      () => makeZip(workbookParts({ rows: ROWS }), { entries: 0xffff }),
      /Zip64 directory but has none/,
    ],
    [
      "a Zip64 record somewhere else",
      () => makeZip(workbookParts({ rows: ROWS }), { wide: { at: 5 } }),
      /Zip64 record is not at the offset/,
    ],
    [
      "a Zip64 record beyond any file",
      () => makeZip(workbookParts({ rows: ROWS }), { wide: { at: 2 ** 53 } }),
      /Zip64 record is not at the offset/,
    ],
    [
      "a Zip64 record with another directory",
      () => makeZip(workbookParts({ rows: ROWS }), { wide: { offset: 4 } }),
      /is not at the offset/,
    ],
    [
      "a billion entries by the Zip64 record",
      () => makeZip(workbookParts({ rows: ROWS }), { wide: { entries: 1e9 } }),
      /has 1000000000 entries/,
    ],
    [
      "an entry of 8 PB by its Zip64 field",
      () => withSheet({ isWide: true, claims: { expandedBytes: 2 ** 53 - 1 } }),
      /expands more than 100 times/,
    ],
    [
      "an archive in several parts",
      () => {
        const whole = makeZip(workbookParts({ rows: ROWS }));
        whole[whole.length - 18] = 1;
        return whole;
      },
      /in several parts/,
    ],
    ["a method that no workbook uses", () => withSheet({ claims: { method: 12 } }), /method 12/],
    [
      "a size smaller than the truth",
      () => withSheet({ claims: { expandedBytes: 10 } }),
      /larger than its stated 10 bytes/,
    ],
    [
      "a size larger than the truth",
      () => withSheet({ claims: { expandedBytes: 5_000 } }),
      /has \d+ bytes instead of the stated 5000/,
    ],
    [
      "20,000 entries",
      () =>
        makeZip(
          Array.from({ length: 20_000 }, (_, i) => ({ name: `${i}`, data: "", isStored: true })),
        ),
      /has 20000 entries/,
    ],
    [
      "an entry count that lies",
      () => makeZip(workbookParts({ rows: ROWS }), { entries: 3 }),
      /directory is longer/,
    ],
    [
      "an entry count past its directory",
      () => makeZip(workbookParts({ rows: ROWS }), { entries: 99 }),
      /directory ends early/,
    ],
    [
      "a directory somewhere else",
      () => makeZip(workbookParts({ rows: ROWS }), { offset: 10 }),
      /is not at the offset/,
    ],
    [
      "another file before it",
      () => makeZip(workbookParts({ rows: ROWS }), { prefix: "PK\u0003\u0004" }),
      /before its first entry/,
    ],
    [
      "the same part twice",
      () => makeZip([...workbookParts({ rows: ROWS }), { name: "XL/Workbook.xml", data: "" }]),
      /in it twice/,
    ],
    [
      "entity bombs",
      () =>
        makeWorkbook({
          rows: '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><worksheet>&lol2;</worksheet>',
        }),
      /has a DOCTYPE/,
    ],
    [
      "an entity that nobody declared",
      () => makeWorkbook({ rows: `<row r="1"><c r="A1" t="str"><v>&boom;</v></c></row>` }),
      /not well-formed/,
    ],
    ["endless depth", () => makeWorkbook({ rows: "<a>".repeat(100_000) }), /nests deeper than 64/],
    [
      "one endless tag",
      () =>
        makeWorkbook({
          rows: `<row ${Array.from({ length: 200_000 }, (_, i) => `a${i}="1"`).join(" ")}/>`,
        }),
      /longer than 1048576/,
    ],
    [
      "one endless text",
      () =>
        makeWorkbook({
          rows: `<row r="1"><c r="A1" t="str"><v>${randomLetters(3_000_000)}</v></c></row>`,
        }),
      /longer than 1048576/,
    ],
    [
      "one endless comment",
      () => makeWorkbook({ rows: `<!--${randomLetters(3_000_000)}-->` }),
      /longer than 1048576/,
    ],
    [
      "a worksheet that is missing",
      () => makeZip(workbookParts({ rows: ROWS }).filter(({ name }) => name !== SHEET)),
      /is missing/,
    ],
    [
      "bytes that do not inflate",
      () => withSheet({ data: randomLetters(100), isStored: true, claims: { method: 8 } }),
      /is damaged|stored with/,
    ],
    [
      "a sheet in a foreign encoding",
      () => withSheet({ data: new Uint8Array([60, 114, 0xff, 0xfe, 62]) }),
      /not UTF-8|not well-formed/,
    ],
    ["a file cut short", () => makeWorkbook({ rows: ROWS }).slice(0, -30), /no directory/],
  ];

  it.each(cases)("%s", async (_name, make, expected) => {
    const bytes = make();
    const started = performance.now();
    const refused = await inspect(bytes);
    expect(refused).toMatch(/^invalid_data: The workbook cannot be read/);
    expect(refused).toMatch(expected);
    // Generous for a busy machine; decompressing a bomb takes far longer, or all memory.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("larger than 64 MB, without reading it", async () => {
    const source: ByteSource = {
      sizeBytes: 64 * 1024 * 1024 + 1,
      etag: "e",
      read: (from) =>
        from === 0
          ? Promise.resolve(new Uint8Array([0x50, 0x4b, 3, 4]))
          : Promise.reject(new Error("read")),
      stream: () => Promise.reject(new Error("read")),
    };
    expect(await refusalOf(profileDataset(source, "d.xlsx", DEFAULT_OPTIONS))).toMatch(
      /^file_too_large/,
    );
  });

  it.each([
    ["application/vnd.ms-excel.sheet.macroEnabled.main+xml", []],
    ["application/vnd.ms-excel.template.macroEnabled.main+xml", []],
    ["application/vnd.ms-excel.sheet.binary.macroEnabled.main", []],
    [undefined, [{ name: "xl/vbaProject.bin", data: "x" }]],
  ])("with macros and another extension (%s)", async (contentType, extra) => {
    const bytes = makeWorkbook({
      rows: ROWS,
      extra,
      ...(contentType === undefined ? {} : { contentType }),
    });
    expect(await inspect(bytes)).toMatch(/^unsupported_format: .*macros/);
  });

  it.each([
    '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>',
    '<Override PartName="/xl/x.bin" ContentType="application/vnd.ms-office.vbaProject"/>',
  ])("with macros in a part with another name (%s)", async (declared) => {
    const types = `<Types>${declared}</Types>`;
    const bytes = makeWorkbook({
      rows: ROWS,
      extra: [
        { name: "[Content_Types].xml", data: types },
        { name: "xl/x.bin", data: "x" },
      ],
    });
    expect(await inspect(bytes)).toMatch(/^unsupported_format: .*macros/);
  });

  it("a binary workbook with another extension, by its content type", async () => {
    const types =
      '<Types><Default Extension="bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>';
    const relation = `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>`;
    const bytes = makeWorkbook({
      rows: ROWS,
      extra: [
        { name: "[Content_Types].xml", data: types },
        { name: "_rels/.rels", data: relation },
        { name: "xl/workbook.bin", data: "x" },
      ],
    });
    expect(await inspect(bytes)).toMatch(/^unsupported_format: .*binary/);
  });

  it("but not a plain one that only declares the type of a binary one, as SheetJS does", async () => {
    const book = utils.book_new(utils.aoa_to_sheet([["a"], [1]]));
    const bytes = new Uint8Array(write(book, { type: "array", bookType: "xlsx" }) as ArrayBuffer);
    expect(await inspectBytes(bytes, "d.xlsx")).toMatchObject({ sample: [{ a: 1 }] });
  });

  it.each<[string, () => Uint8Array]>([
    ["as a stream", () => withSheet({ isStreamed: true })],
    ["as a stream, stored", () => withSheet({ isStreamed: true, isStored: true })],
    ["with sizes in Zip64 fields", () => withSheet({ isWide: true })],
    ["as a stream with Zip64 fields", () => withSheet({ isWide: true, isStreamed: true })],
    ["with a Zip64 directory", () => makeZip(workbookParts({ rows: ROWS }), { wide: {} })],
    ["with a comment", () => makeZip(workbookParts({ rows: ROWS }), { comment: "a comment" })],
    ["with other fields before the data", () => withSheet({ own: { extra: new Uint8Array(40) } })],
    ["with one part of each kind stored", () => withSheet({ isStored: true })],
  ])("but a valid one is read: %s", async (_name, make) => {
    expect(await inspectBytes(make(), "d.xlsx")).toMatchObject({
      row_count: 1,
      sample: [{ a: 1 }],
    });
  });

  it("an archive of other files", async () => {
    expect(await inspect(makeZip([{ name: "a.txt", data: "a" }]))).toMatch(/^unsupported_format/);
    expect(await inspect(makeZip([]))).toMatch(/^unsupported_format/);
  });

  it("external links are not followed, unsigned files are read", async () => {
    const outside =
      '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="http://127.0.0.1:1/sheet.xml" TargetMode="External"/></Relationships>';
    const bytes = makeWorkbook({
      rows: ROWS,
      extra: [{ name: "xl/_rels/workbook.xml.rels", data: outside }],
    });
    expect(await inspect(bytes)).toMatch(/^invalid_data: The workbook has no worksheet/);
    expect(await inspect(makeWorkbook({ rows: ROWS }))).toBe("accepted");
  });

  it("reading stops if the store has other bytes", async () => {
    const bytes = makeWorkbook({ rows: ROWS });
    let reads = 0;
    const source: ByteSource = {
      sizeBytes: bytes.length,
      etag: "e",
      read: (from, to) =>
        ++reads > 3
          ? Promise.reject(new SourceChangedError())
          : Promise.resolve(bytes.slice(from, to)),
      stream: () => Promise.reject(new SourceChangedError()),
    };
    await expect(profileDataset(source, "d.xlsx", DEFAULT_OPTIONS)).rejects.toThrow(
      SourceChangedError,
    );
  });
});

describe("a damaged workbook", () => {
  it("is rejected or read as a table, without a crash", async () => {
    const whole = makeWorkbook({ rows: ROWS, sharedStrings: "<si><t>x</t></si>" });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.option(fc.nat(whole.length)),
        async (changes, cut) => {
          const bytes = whole.slice(0, cut ?? whole.length);
          for (const [at, byte] of changes) {
            if (at < bytes.length) {
              bytes[at] = byte;
            }
          }
          expect(await inspect(bytes)).toMatch(/^(?:accepted|[a-z_]+: )/);
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** Text that does not compress well, so that only its length is rejected. */
function randomLetters(length: number): string {
  let state = 1;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, length);
}
