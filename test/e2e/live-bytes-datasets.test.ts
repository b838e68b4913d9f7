/** Tables of every format, larger than the budget: no reader, row store or enumerator holds more than 64 MB. */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeWorkbook } from "../support/datasets/make-workbook.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { PROFILE, ROW_CHUNK, SHARED_STRINGS } from "../support/node/live-bytes/watch-points.ts";
import { testInProof } from "../support/in-proof.ts";

const MB = 1024 * 1024;
/** The proof tries every format with every reader; otherwise each reader and each format is tried once. */
/** Fewer rows than the 10,000 elements of a node, with more bytes than the budget. */
const ROWS = 9_000;
const NOTE = "a note that makes the row long enough ".repeat(200);

interface Table {
  readonly name: string;
  readonly head: string;
  readonly row: string;
  readonly tail: string;
}

const CSV: Table = {
  name: "rows.csv",
  head: "a,b,c\n",
  row: `1,"two, quoted",${NOTE}\n`,
  tail: "",
};
const JSON_LIST: Table = {
  name: "rows.json",
  head: "[",
  row: `{"a":1,"b":[1,{"d":null}],"c":"${NOTE}"},`,
  tail: '{"a":2}]',
};
const NDJSON: Table = {
  name: "rows.ndjson",
  head: "",
  row: `{"a":1,"b":[1,{"d":null}],"c":"${NOTE}"}\n`,
  tail: "",
};

let watched: WatchedService;
let store: string;

beforeAll(async () => {
  watched = await WatchedService.start({
    points: { api: [PROFILE, SHARED_STRINGS], runner: [PROFILE, ROW_CHUNK, SHARED_STRINGS] },
  });
  store = await watched.publish(
    "store",
    [
      { id: "file", type: "input/data" },
      { id: "count", type: "output/json", parameters: { key: "count" } },
    ],
    ["file.row_count > count.json"],
  );
});

afterAll(() => watched?.stop());

/** Repeated rows between a head and a tail. */
function* bytesOf({ head, row, tail }: Table, rows: number) {
  yield Buffer.from(head);
  const many = Math.ceil(MB / row.length);
  const piece = Buffer.from(row.repeat(many));
  for (let left = rows; left > 0; left -= many) {
    yield piece.subarray(0, left * row.length);
  }
  yield Buffer.from(tail);
}

const upload = (table: Table) => watched.upload(table.name, bytesOf(table, ROWS));

async function inspect(asset_path: string): Promise<number> {
  const { row_count: count } = await watched.call<{ row_count: number }>(
    "POST",
    "/api/v1/structured-data/inspect",
    { asset_path },
  );
  return count;
}

const inspected = (path: () => string) => async () => {
  await watched.expectFlat(async () => {
    expect(await inspect(path())).toBeGreaterThanOrEqual(ROWS);
  }, [PROFILE]);
};

testInProof(
  "a workbook of 500,000 strings in rich text and 100,000 rows, inspected and stored",
  async () => {
    const run = '<r><rPr><b/><sz val="11"/><color rgb="FF000000"/><rFont val="Calibri"/></rPr>';
    const strings = Array.from({ length: 500_000 }, (_, i) => {
      // Digits that do not compress, so that the file is not refused as a ZIP bomb.
      const id = ((i * 2_654_435_761) % 4_294_967_296).toString(36);
      return `<si>${run}<t>item ${i} ${id}</t></r></si>`;
    });
    const cells = (i: number) =>
      `<row r="${i + 1}"><c r="A${i + 1}" t="s"><v>${i}</v></c><c r="B${i + 1}" t="s"><v>${400_000 + i}</v></c></row>`;
    const path = await watched.upload("rows.xlsx", [
      makeWorkbook({
        sharedStrings: strings.join(""),
        rows: Array.from({ length: 100_000 }, (_, i) => cells(i)).join(""),
      }),
    ]);
    await watched.expectFlat(async () => {
      expect(await inspect(path)).toBe(99_999);
      await watched.run(store, { file: { asset_path: path } });
    }, [SHARED_STRINGS, PROFILE, ROW_CHUNK]);
    await watched.remove(path);
  },
);

interface TypedNode {
  readonly type: string;
  readonly parameters?: object;
}

/** Runs a file through a node that accepts it, and through an enumerator of its rows if that node is not one. */
async function takeApart(asset_path: string, port: string, file: TypedNode, rows?: TypedNode) {
  const nodes = [{ ...file, id: "file" }, ...(rows === undefined ? [] : [{ ...rows, id: "rows" }])];
  const workflow = await watched.publish(
    `${file.type} ${rows?.type ?? ""}`,
    [
      ...nodes,
      {
        id: "all",
        type: "aggregate/json",
        parameters: { jsonAggregateConfig: { columns: [{ inputPort: "a" }] } },
      },
      { id: "count", type: "output/json", parameters: { key: "count" } },
    ],
    [
      ...(rows === undefined ? [] : [`file.${port} > rows.${port}`]),
      `${rows === undefined ? "file" : "rows"}.a > all.a`,
      "all.count > count.json",
    ],
  );
  await watched.expectFlat(
    () => watched.run(workflow, { file: { asset_path } }),
    port === "dataset" ? [PROFILE, ROW_CHUNK] : [],
  );
}

const to = { outputPort: "a", outputType: "text" };
const csvConfig = { columns: [{ header: "a", ...to }] };

describe("a CSV file of 68 MB", () => {
  let path: string;
  beforeAll(async () => {
    path = await upload(CSV);
  });

  test(
    "is inspected",
    inspected(() => path),
  );

  testInProof("becomes elements by input/csv", () =>
    takeApart(path, "", { type: "input/csv", parameters: { csvConfig } }),
  );

  testInProof("becomes elements by enumerate/csv", () =>
    takeApart(
      path,
      "document",
      { type: "input/document" },
      { type: "enumerate/csv", parameters: { csvConfig } },
    ),
  );

  test("is stored as rows, and becomes elements by enumerate/data_rows", () =>
    takeApart(
      path,
      "dataset",
      { type: "input/data" },
      {
        type: "enumerate/data_rows",
        parameters: { rowMapping: { columns: [{ sourceColumn: "a", ...to }] } },
      },
    ));
});

describe("a JSON file of 68 MB", () => {
  let path: string;
  beforeAll(async () => {
    path = await upload(JSON_LIST);
  });

  test(
    "is inspected",
    inspected(() => path),
  );

  testInProof("is stored as rows", () =>
    watched.expectFlat(
      () => watched.run(store, { file: { asset_path: path } }),
      [PROFILE, ROW_CHUNK],
    ),
  );

  testInProof("becomes elements by input/json", () =>
    takeApart(path, "", {
      type: "input/json",
      parameters: { jsonConfig: { properties: [{ path: "$.a", ...to }] } },
    }),
  );
});

testInProof("an NDJSON file of 68 MB is inspected", async () => {
  const path = await upload(NDJSON);
  await inspected(() => path)();
});
