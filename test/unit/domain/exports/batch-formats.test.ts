/** docs/contract/batches.md#exports: rows read back by PapaParse, Python's csv, SheetJS and unzip. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { read, utils, type WorkSheet } from "@e965/xlsx";
import Papa from "papaparse";
import { describe, expect, it } from "vitest";
import { HOSTILE_TEXTS } from "../../../support/batch-exports/hostile-texts.ts";
import {
  exportOf,
  type MemoryItem,
  MemorySink,
} from "../../../support/batch-exports/memory-export.ts";
import { readZip } from "../../../support/read-zip.ts";
import { sizeOf } from "../../../support/sizes.ts";

const CELL_MAX = 32_767;

function programs(name: string, args: readonly string[]): string {
  try {
    return execFileSync(name, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}

// Before 3.11 its csv refuses NUL.
const HAS_PYTHON = programs("python3", [
  "-c",
  "import sys; print(sys.version_info >= (3, 11))",
]).startsWith("True");
const HAS_UNZIP = programs("unzip", ["-v"]) !== "";

/** The program of LibreOffice that has its spreadsheet. */
function calc(): string | undefined {
  const path = programs("sh", ["-c", "command -v soffice"]).trim();
  return path !== "" && existsSync(join(dirname(realpathSync(path)), "libsclo.so"))
    ? path
    : undefined;
}

const CALC = calc();

const utf8 = (bytes: Uint8Array | undefined) =>
  // A mark at the beginning would be a character.
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);

/** A text as UTF-8 carries it. */
const carried = (text: string) => text.toWellFormed();

const guarded = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** Hostile texts in every column that has a text. */
const HOSTILE: readonly MemoryItem[] = HOSTILE_TEXTS.map((text) => ({
  client_reference: text,
  error_message: text,
  outputs: {
    said: { text },
    'a "key", =1': { json: JSON.stringify(text) },
    list: [{ text }, null],
  },
}));

function parsedCsv(bytes: Uint8Array | undefined): string[][] {
  const { data, errors } = Papa.parse<string[]>(utf8(bytes), { delimiter: ",", newline: "\r\n" });
  expect(errors).toEqual([]);
  // The line break after the last row.
  expect(data.pop()).toEqual([""]);
  return data;
}

function pythonCsv(bytes: Uint8Array | undefined): string[][] {
  const folder = mkdtempSync(join(tmpdir(), "edgeloom-csv-"));
  try {
    const path = join(folder, "results.csv");
    writeFileSync(path, bytes ?? "");
    const script =
      "import sys,csv,json;csv.field_size_limit(1<<30);print(json.dumps(list(csv.reader(open(sys.argv[1],newline='',encoding='utf-8'),strict=True))))";
    return JSON.parse(
      execFileSync("python3", ["-c", script, path], { encoding: "utf8", maxBuffer: 1 << 28 }),
    ) as string[][];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sheetOf(bytes: Uint8Array | undefined): WorkSheet {
  const book = read(bytes, { type: "array", cellFormula: true, WTF: true });
  expect(book.SheetNames).toEqual(["Results"]);
  return book.Sheets["Results"] as WorkSheet;
}

/** The rows of a sheet, with numbers as numbers. No cell may have a formula. */
function sheetRows(sheet: WorkSheet): unknown[][] {
  for (const [place, cell] of Object.entries(sheet)) {
    if (!place.startsWith("!") && "f" in (cell as object)) {
      throw new Error(`${place} has a formula`);
    }
  }
  return utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: true, defval: null });
}

/** Comma, quotes, UTF-8, from the first line; each text in quotes; numbers as they are shown, without quotes, or all of them. */
const csvFilter = (isShown: boolean) =>
  `csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,${String(isShown)},false,false,false,-1`;

/** The cells of a workbook's sheet as LibreOffice has them, and whether each is a text: numbers have no quotes if shown. */
function calcCells(bytes: Uint8Array | undefined): { cells: string[][]; isText: boolean[][] } {
  const folder = mkdtempSync(join(tmpdir(), "edgeloom-calc-"));
  const converted = (isShown: boolean) => {
    const path = join(folder, "book.xlsx");
    writeFileSync(path, bytes ?? "");
    const to = ["--convert-to", csvFilter(isShown), "--outdir", folder, path];
    const options = [`-env:UserInstallation=file://${folder}/profile`, "--headless", ...to];
    execFileSync(CALC ?? "soffice", options, { stdio: "ignore", timeout: 120_000 });
    return quotedCells(readFileSync(join(folder, "book-Results.csv"), "utf8"));
  };
  try {
    const cells = converted(false).map((row) => row.map((cell) => unquoted(cell)));
    return { cells, isText: converted(true).map((row) => row.map((cell) => cell.startsWith('"'))) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The cells of a CSV with their quotes. */
function quotedCells(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, cell = "", end] of csv.matchAll(/("(?:[^"]|"")*"|[^",\n]*)(,|\n|$)/gu)) {
    rows.at(-1)?.push(cell);
    if (end === "\n") {
      rows.push([]);
    }
  }
  return rows.slice(0, -1);
}

function unquoted(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/** A number with all its digits and without an exponent. */
function plainNumber(json: string): string {
  return Number(json).toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 20 });
}

function shortened(text: string): string {
  return text.length <= CELL_MAX
    ? text
    : `${text.slice(0, CELL_MAX - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** Compared as a whole, because a matcher visits each byte. */
function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
}

/** What unzip says of an archive. */
function unzipped(bytes: Uint8Array | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "edgeloom-zip-"));
  try {
    const path = join(folder, "results.zip");
    writeFileSync(path, bytes ?? "");
    return execFileSync("unzip", ["-t", path], { encoding: "utf8" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Compares cell by cell, because a difference of long texts takes minutes to print. */
function expectRows(actual: readonly unknown[][], expected: readonly unknown[][]): void {
  expect(actual.length).toBe(expected.length);
  for (const [at, row] of expected.entries()) {
    const differs = row.findIndex((cell, column) => cell !== actual[at]?.[column]);
    if (differs !== -1 || actual[at]?.length !== row.length) {
      const shown = (cell: unknown) => JSON.stringify(cell)?.slice(0, 80);
      throw new Error(
        `row ${at}, cell ${differs}: ${shown(actual[at]?.[differs])} for ${shown(row[differs])}`,
      );
    }
  }
}

describe("CSV", () => {
  const expected = [
    ...[["index", "client_reference", "status", "execution", "credits_used", "error_code"]].map(
      (fixed) => [...fixed, "error_message", "output.said", 'output.a "key", =1', "output.list"],
    ),
    ...HOSTILE_TEXTS.map((text, index) => [
      String(index),
      carried(guarded(text)),
      "completed",
      `run_${String(index)}`,
      String(index / 1000),
      "SOME_CODE",
      carried(guarded(text)),
      carried(guarded(text)),
      JSON.stringify(text),
      `[${JSON.stringify(text)},null]`,
    ]),
  ];

  it("of hostile texts is read back by PapaParse as it was written", async () => {
    const [bytes] = await exportOf(HOSTILE, { format: "csv" });
    expectRows(parsedCsv(bytes), expected);
    // The mark of UTF-8 is none of ours.
    expect(bytes?.[0]).toBe("i".charCodeAt(0));
  });

  it.skipIf(!HAS_PYTHON)("of hostile texts is read back by Python as it was written", async () => {
    const [bytes] = await exportOf(HOSTILE, { format: "csv" });
    expectRows(pythonCsv(bytes), expected);
  });

  it("keeps texts as they are if it is raw, and guards no number", async () => {
    const [bytes] = await exportOf(
      [{ outputs: { said: { text: "=1" }, number: { json: "-1.50" }, list: [{ json: "-1" }] } }],
      { format: "csv", raw: true },
    );
    expect(parsedCsv(bytes)[1]?.slice(7)).toEqual(["=1", "-1.50", "[-1]"]);
    const [guardedBytes] = await exportOf(
      [{ outputs: { said: { text: "=1" }, number: { json: "-1.50" }, list: [{ json: "-1" }] } }],
      { format: "csv" },
    );
    expect(parsedCsv(guardedBytes)[1]?.slice(7)).toEqual(["'=1", "-1.50", "[-1]"]);
  });

  it("leaves absent and missing outputs empty, and writes files as their addresses", async () => {
    const file = { file: Uint8Array.of(1), name: "a.png" };
    const [bytes] = await exportOf(
      [
        { outputs: { one: file, list: [file, null], none: null, empty: [], lost: [null] } },
        { error_message: "no run" },
      ],
      { format: "csv" },
    );
    const at = (key: string) => `http://svc.test/files/0/${key}/0/a.png`;
    expect(parsedCsv(bytes).slice(1)).toEqual([
      [
        "0",
        "",
        "completed",
        "run_0",
        "0",
        "",
        "",
        at("one"),
        `["${at("list")}",null]`,
        "",
        "[]",
        "",
      ],
      ["1", "", "failed", "", "0.001", "SOME_CODE", "no run", "", "", "", "", ""],
    ]);
  });

  it("has the inputs of items before their outputs", async () => {
    const columns = {
      inputs: [
        { key: "topic", node_id: "a", parameter: null, kind: "text" as const },
        { key: "data", node_id: "b", parameter: null, kind: "json" as const },
        { key: "row", node_id: "c", parameter: null, kind: "batch" as const },
      ],
      outputs: ["said"],
    };
    const inputs = [
      { node_id: "a", value_json: '"-x"' },
      { node_id: "b", value_json: '"-x"' },
      { node_id: "c", value_json: '{"index":0,"item":{"n":1.50}}' },
    ];
    const items = [
      { inputs, outputs: { said: { text: "" } } },
      { outputs: { said: { text: "b" } } },
    ];
    const [bytes] = await exportOf(items, { format: "csv", inputs: true, columns });
    expect(parsedCsv(bytes).map((row) => row.slice(7))).toEqual([
      ["input.topic", "input.data", "input.row", "output.said"],
      ["'-x", '"-x"', '{"n":1.50}', ""],
      ["", "", "", "b"],
    ]);
    const [lines] = await exportOf(items, { format: "ndjson", inputs: true, columns });
    expect(utf8(lines)).toContain('"inputs":{"topic":"-x","data":"-x","row":{"n":1.50}},');
    expect(utf8(lines)).toContain('"inputs":{},"outputs":{"said":"b"}');
  });
});

describe("JSON", () => {
  it("has the values of outputs with their digits, and files with their sizes", async () => {
    const items = [
      {
        client_reference: "a",
        outputs: {
          number: { json: "1.50" },
          big: { json: "123456789012345678901234567890" },
          said: { text: "=x" },
          list: [{ json: '{"b":[1,2]}' }, null],
          file: { file: Uint8Array.of(1, 2), name: "a.png" },
          files: [{ file: Uint8Array.of(1), name: "b.png" }],
          none: null,
        },
      },
      {},
    ];
    const [bytes] = await exportOf(items, { format: "json" });
    const text = utf8(bytes);
    expect(text).toContain('"number":1.50,"big":123456789012345678901234567890,"said":"=x"');
    expect(JSON.parse(text)).toEqual([
      {
        index: 0,
        client_reference: "a",
        status: "completed",
        execution: "run_0",
        credits_used: 0,
        error_code: null,
        error_message: null,
        outputs: {
          number: 1.5,
          big: 1.2345678901234568e29,
          said: "=x",
          list: [{ b: [1, 2] }, null],
          file: {
            url: "http://svc.test/files/0/file/0/a.png",
            content_type: "image/png",
            size_bytes: 2,
          },
          files: [
            {
              url: "http://svc.test/files/0/files/0/b.png",
              content_type: "image/png",
              size_bytes: 1,
            },
          ],
          none: null,
        },
      },
      {
        index: 1,
        client_reference: null,
        status: "failed",
        execution: null,
        credits_used: 0.001,
        error_code: null,
        error_message: null,
        outputs: {
          number: null,
          big: null,
          said: null,
          list: null,
          file: null,
          files: null,
          none: null,
        },
      },
    ]);
  });

  it("and NDJSON have the same rows, also of hostile texts", async () => {
    const [whole] = await exportOf(HOSTILE, { format: "json" });
    const [lines] = await exportOf(HOSTILE, { format: "ndjson" });
    const rows = JSON.parse(utf8(whole)) as { outputs: { said: string } }[];
    expect(utf8(lines).endsWith("}\n")).toBe(true);
    expect(`[${utf8(lines).trimEnd().split("\n").join(",")}]` === JSON.stringify(rows)).toBe(true);
    expectRows(
      rows.map(({ outputs }) => [outputs.said]),
      HOSTILE_TEXTS.map((text) => [text]),
    );
  });
});

describe("XLSX", () => {
  it("of hostile texts is read back by SheetJS, without a formula, and with long texts cut", async () => {
    const [bytes] = await exportOf(HOSTILE, { format: "xlsx" });
    const rows = sheetRows(sheetOf(bytes)).slice(1);
    expect(rows).toHaveLength(HOSTILE_TEXTS.length);
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      // SheetJS gives line breaks as spreadsheets have them.
      const cell = shortened(carried(text)).replaceAll("\r\n", "\n");
      expectRows([[rows[index]?.[7], rows[index]?.[1]]], [[cell, cell]]);
    }
  });

  const numbers = ["1", "-1.5", "1.50", "1e5", "999999999999999", "0.00000123456789012345", "0"];
  const texts = [
    "1000000000000000",
    "1234567890123456789",
    "0.1234567890123456",
    "1e400",
    "1e-400",
    "true",
    "null",
    '"5"',
    "[1]",
  ];

  it.skipIf(CALC === undefined)(
    "of hostile texts and numbers is read back by LibreOffice, each cell with its kind",
    async () => {
      const given = [
        ...HOSTILE_TEXTS.map((text) => ({ text, json: "1.5" })),
        ...[...numbers, ...texts].map((json) => ({ text: json, json })),
      ];
      const [bytes] = await exportOf(
        given.map(({ text, json }) => ({
          client_reference: text,
          outputs: { said: { text }, out: { json }, none: null },
        })),
        { format: "xlsx" },
      );
      const { cells, isText } = calcCells(bytes);
      expectRows(
        cells.slice(1),
        given.map(({ text, json }, at) => {
          // It gives line breaks as spreadsheets have them.
          const said = shortened(carried(text)).replaceAll("\r\n", "\n");
          const out = texts.includes(json) ? json : plainNumber(json);
          const run = `run_${String(at)}`;
          const used = plainNumber(String(at / 1000));
          return [String(at), said, "completed", run, used, "", "", said, out, ""];
        }),
      );
      expectRows(
        isText.slice(1),
        given.map(({ text, json }) => {
          const hasText = text !== "";
          const kinds = [false, hasText, true, true, false, false, false, hasText];
          return [...kinds, texts.includes(json), false];
        }),
      );
    },
    180_000,
  );

  it("has numbers of up to 15 digits as numbers, and all else as texts", async () => {
    const [bytes] = await exportOf(
      [...numbers, ...texts].map((json) => ({ outputs: { out: { json }, said: { text: json } } })),
      { format: "xlsx" },
    );
    const rows = sheetRows(sheetOf(bytes)).slice(1);
    expect(rows.map((row) => row[7])).toEqual([...numbers.map(Number), ...texts]);
    expect(rows.map((row) => row[8])).toEqual([...numbers, ...texts]);
    expect(rows.map((row) => row[0])).toEqual([...numbers, ...texts].map((_json, at) => at));
  });

  it.skipIf(!HAS_UNZIP)("is a sound archive", async () => {
    const [bytes] = await exportOf(HOSTILE, { format: "xlsx" });
    expect(unzipped(bytes)).toContain("No errors detected");
  });
});

describe("ZIP", () => {
  const picture = (bytes: number) => ({
    file: Uint8Array.from({ length: bytes }, (_, at) => at * 7),
    name: "picture.png",
  });
  const items = [
    { outputs: { said: { text: "a" }, pictures: [picture(10), null, picture(3_000_000)] } },
    {},
    { outputs: { said: { text: "b" }, pictures: [picture(1_048_577)] } },
  ];

  it("has the rows, and each run's files in the folder of its item", async () => {
    const [bytes, more] = await exportOf(items, { format: "zip" });
    expect(more).toBeUndefined();
    const files = readZip(bytes ?? new Uint8Array());
    expect([...files.keys()]).toEqual([
      "results.csv",
      "results.json",
      "items/00000/said.txt",
      "items/00000/pictures/0.png",
      "items/00000/pictures/2.png",
      "items/00002/said.txt",
      "items/00002/pictures/0.png",
    ]);
    expect(sameBytes(files.get("items/00000/pictures/2.png"), picture(3_000_000).file)).toBe(true);
    expect(utf8(files.get("items/00002/said.txt"))).toBe("b");
    const [csv] = await exportOf(items, { format: "csv" });
    const [json] = await exportOf(items, { format: "json" });
    expect(sameBytes(files.get("results.csv"), csv)).toBe(true);
    expect(sameBytes(files.get("results.json"), json)).toBe(true);
  });

  it("is divided before an archive reaches its limit, and each part is sound", async () => {
    const parts = await exportOf(items, { format: "zip", archiveBytes: 2_000_000 });
    const names = parts.map((bytes) => [...readZip(bytes).keys()]);
    expect(names.map((of) => of.length)).toEqual([4, 1, 2]);
    // The file that is larger than the limit is alone.
    expect(names[1]).toEqual(["items/00000/pictures/2.png"]);
    expect(parts.map(({ byteLength }) => byteLength > 2_000_000)).toEqual([false, true, false]);
    if (HAS_UNZIP) {
      for (const bytes of parts) {
        expect(unzipped(bytes)).toContain("No errors detected");
      }
    }
  });

  it("with a byte changed is not sound for the judges", async () => {
    const [bytes = new Uint8Array()] = await exportOf(items, { format: "zip" });
    const at = Buffer.from(bytes).indexOf("items/00000/said.txt") + "items/00000/said.txt".length;
    bytes[at] = "z".charCodeAt(0);
    expect(() => readZip(bytes)).toThrow("does not match its checksum");
    if (HAS_UNZIP) {
      expect(() => unzipped(bytes)).toThrow("Command failed");
    }
  });
});

describe("an export that is interrupted", () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({
    client_reference: `row ${String(at)}`,
    outputs: {
      said: { text: `said ${String(at)}` },
      list: Array.from({ length: at % 13 }, (_each, n) => ({ json: String(n) })),
      file: {
        file: Uint8Array.from({ length: at === 30 ? 2_500_000 : 1 + at * 100 }, (_each, n) => n),
        name: "f.png",
      },
    },
  }));

  it.each(["csv", "json", "ndjson", "xlsx", "zip"] as const)(
    "after any item or file has the same content: %s",
    async (format) => {
      const once = await exportOf(rows, { format });
      const sink = new MemorySink();
      const again = await exportOf(rows, { format, reads: 7 }, sink);
      expect(sink.commits).toBeGreaterThan(8);
      if (format === "zip" || format === "xlsx") {
        // Deflated text is divided where the build was.
        const [first, second] = [once, again].map(([bytes]) => readZip(bytes ?? new Uint8Array()));
        expect([...(second?.keys() ?? [])]).toEqual([...(first?.keys() ?? [])]);
        for (const [name, bytes] of first ?? []) {
          expect(sameBytes(second?.get(name), bytes), name).toBe(true);
        }
      } else {
        expect(sameBytes(again[0], once[0])).toBe(true);
      }
    },
  );

  it("and that loses a commit is found out", async () => {
    class Forgetful extends MemorySink {
      override append(bytes: Uint8Array): void {
        if (this.commits !== 3) {
          super.append(bytes);
        }
      }
    }
    const once = await exportOf(rows, { format: "csv" });
    const [bytes] = await exportOf(rows, { format: "csv", reads: 7 }, new Forgetful());
    expect(sameBytes(bytes, once[0])).toBe(false);
  });
});

describe("long texts", () => {
  it("that are stored by themselves are written in pieces, in each format", async () => {
    const json = JSON.stringify({ a: 'quote " and comma', b: "😀".repeat(100_000) });
    const items = [{ outputs: { out: { stored: json }, list: [{ stored: json }, { text: "b" }] } }];
    const [csv] = await exportOf(items, { format: "csv" });
    expectRows([parsedCsv(csv)[1]?.slice(7) ?? []], [[json, `[${JSON.stringify(json)},"b"]`]]);
    const [whole] = await exportOf(items, { format: "json" });
    const [{ outputs }] = JSON.parse(utf8(whole)) as [{ outputs: { out: string; list: string[] } }];
    expectRows([[outputs.out, ...outputs.list]], [[json, json, "b"]]);
    const [xlsx] = await exportOf(items, { format: "xlsx" });
    expectRows([[sheetRows(sheetOf(xlsx))[1]?.[7]]], [[shortened(json)]]);
  });
});

describe("exports of many rows", () => {
  const count = sizeOf("exportRows");
  const items = Array.from({ length: count }, (_, at) => ({
    client_reference: `row ${String(at)}`,
    outputs: {
      said: { text: HOSTILE_TEXTS[at % 30] ?? "" },
      number: { json: String(at * 1.5) },
    },
  }));

  it("have all of them, in order, for every reader", async () => {
    const [csv] = await exportOf(items, { format: "csv" });
    const rows = parsedCsv(csv).slice(1);
    const numbers = Array.from({ length: count }, (_, at) => at * 1.5);
    expect(rows.map((row) => Number(row[8]))).toEqual(numbers);
    if (HAS_PYTHON) {
      expectRows(pythonCsv(csv).slice(1), rows);
    }
    const [xlsx] = await exportOf(items, { format: "xlsx" });
    expect(
      sheetRows(sheetOf(xlsx))
        .slice(1)
        .map((row) => row[8]),
    ).toEqual(numbers);
  });
});

describe("the judges", () => {
  it("find a formula and a missing guard", () => {
    expect(() => sheetRows({ "!ref": "A1", A1: { t: "n", v: 2, f: "1+1" } })).toThrow(
      "A1 has a formula",
    );
    const [calculated = []] = quotedCells('"a ""b"", c","=1+1",2,\n');
    expect(calculated.map((cell) => unquoted(cell))).toEqual(['a "b", c', "=1+1", "2", ""]);
    expect(() => expectRows([calculated], [['"a ""b"", c"', "2", "2", ""]])).toThrow(
      "row 0, cell 1",
    );
    const unguarded = parsedCsv(new TextEncoder().encode("=1+1\r\n"));
    expect(unguarded[0]?.[0]).not.toBe(guarded("=1+1"));
  });
});
