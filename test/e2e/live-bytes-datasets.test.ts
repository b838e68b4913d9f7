/** Tables of every format, larger than the budget: no reader, row store or enumerator holds more than 64 MB. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeWorkbook } from "../support/datasets/make-workbook.ts";
import { WatchedService } from "../support/live-bytes/watched-service.ts";
import { PROFILE, ROW_CHUNK, SHARED_STRINGS } from "../support/live-bytes/watch-points.ts";

const MB = 1024 * 1024;
const FILE_BYTES = 68 * MB;
/** No node may have more elements than 10,000. */
const ELEMENTS = 9_000;
const NOTE = "a note that makes the row long enough ".repeat(25);
const WIDE = NOTE.repeat(8);

interface Table {
  readonly name: string;
  readonly head: string;
  readonly row: string;
  readonly tail: string;
}

const csv = (text: string): Table => ({
  name: "rows.csv",
  head: "a,b,c\n",
  row: `1,"two, quoted",${text}\n`,
  tail: "",
});
const json = (text: string): Table => ({
  name: "rows.json",
  head: "[",
  row: `{"a":1,"b":[1,{"d":null}],"c":"${text}"},`,
  tail: '{"a":2}]',
});
const ndjson = (text: string): Table => ({
  name: "rows.ndjson",
  head: "",
  row: `{"a":1,"b":[1,{"d":null}],"c":"${text}"}\n`,
  tail: "",
});

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

/** Rows over and over, between a head and a tail. */
function* bytesOf({ head, row, tail }: Table, rows: number) {
  yield Buffer.from(head);
  const many = Math.ceil(MB / row.length);
  const piece = Buffer.from(row.repeat(many));
  for (let left = rows; left > 0; left -= many) {
    yield piece.subarray(0, left * row.length);
  }
  yield Buffer.from(tail);
}

const upload = (table: Table, rows = Math.ceil(FILE_BYTES / table.row.length)) =>
  watched.upload(table.name, bytesOf(table, rows));

async function inspect(asset_path: string): Promise<number> {
  const { row_count: count } = await watched.call<{ row_count: number }>(
    "POST",
    "/api/v1/structured-data/inspect",
    { asset_path },
  );
  return count;
}

test.each([csv(NOTE), ndjson(NOTE), json(NOTE)])(
  "$name of 68 MB is inspected",
  { timeout: 120_000 },
  async (table) => {
    const path = await upload(table);
    await watched.expectFlat(async () => {
      expect(await inspect(path)).toBeGreaterThanOrEqual(FILE_BYTES / table.row.length);
    }, [PROFILE]);
    await watched.remove(path);
  },
);

test("rows.json of 68 MB is stored as rows", { timeout: 120_000 }, async () => {
  const path = await upload(json(NOTE));
  await watched.expectFlat(
    () => watched.run(store, { file: { asset_path: path } }),
    [PROFILE, ROW_CHUNK],
  );
  await watched.remove(path);
});

test(
  "a workbook of 500,000 strings in rich text and 100,000 rows, inspected and stored",
  { timeout: 120_000 },
  async () => {
    const run = '<r><rPr><b/><sz val="11"/><color rgb="FF000000"/><rFont val="Calibri"/></rPr>';
    const strings = Array.from({ length: 500_000 }, (_, i) => {
      // Digits that do not compress, so that it is no bomb.
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

describe("9,000 rows of 8 KB each become elements", () => {
  const column = { header: "a", outputPort: "a", outputType: "text" };
  const selected = { sourceColumn: "a", outputPort: "a", outputType: "text" };
  const property = { path: "$.a", outputPort: "a", outputType: "text" };
  /** A node that takes the file, and one that takes its rows apart where the first does not. */
  const paths = {
    "input/csv": [
      csv(WIDE),
      [{ type: "input/csv", parameters: { csvConfig: { columns: [column] } } }],
    ],
    "input/json": [
      json(WIDE),
      [{ type: "input/json", parameters: { jsonConfig: { properties: [property] } } }],
    ],
    "enumerate/csv": [
      csv(WIDE),
      [
        { type: "input/document", port: "document" },
        { type: "enumerate/csv", parameters: { csvConfig: { columns: [column] } } },
      ],
    ],
    "enumerate/data_rows": [
      csv(WIDE),
      [
        { type: "input/data", port: "dataset" },
        { type: "enumerate/data_rows", parameters: { rowMapping: { columns: [selected] } } },
      ],
    ],
  } as const;

  test.each(Object.entries(paths))("by %s", { timeout: 180_000 }, async (name, [table, nodes]) => {
    const path = await upload(table, ELEMENTS);
    const workflow = await watched.publish(
      name,
      [
        ...nodes.map(({ port: _port, ...node }: { type: string; port?: string }, i) => ({
          ...node,
          id: i === 0 ? "file" : "rows",
        })),
        {
          id: "all",
          type: "aggregate/json",
          parameters: { jsonAggregateConfig: { columns: [{ inputPort: "a" }] } },
        },
        { id: "count", type: "output/json", parameters: { key: "count" } },
      ],
      nodes.length === 1
        ? ["file.a > all.a", "all.count > count.json"]
        : [
            `file.${nodes[0].port} > rows.${nodes[0].port}`,
            "rows.a > all.a",
            "all.count > count.json",
          ],
    );
    await watched.expectFlat(() => watched.run(workflow, { file: { asset_path: path } }));
    await watched.remove(path);
  });
});
