/** The check of the memory budget, with planted faults: it detects each kind of path that holds its whole file. */
import "../support/only-in-proof.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeWorkbook } from "../support/datasets/make-workbook.ts";
import { DIGEST, FAULTS, PROFILE } from "../support/node/live-bytes/watch-points.ts";
import { WatchedService } from "../support/node/live-bytes/watched-service.ts";
import { waitUntil } from "../support/wait-until.ts";

const MB = 1024 * 1024;
/** More than 1.4 of the budget. */
const FILE_BYTES = 104 * MB;
const PIECE = Buffer.from(
  `1,${"a note that makes the row long enough ".repeat(25)}\n`.repeat(1_000),
);

let watched: WatchedService;
let store: string;
let table: string;

beforeAll(async () => {
  const { parts, text, xml, digest, archive, rows, unnoted } = FAULTS;
  watched = await WatchedService.start({
    points: { api: [PROFILE, DIGEST] },
    faults: { api: [parts, text, xml, digest, unnoted], runner: [archive, rows] },
  });
  store = await watched.publish(
    "store",
    [
      { id: "file", type: "input/data" },
      { id: "count", type: "output/json", parameters: { key: "count" } },
    ],
    ["file.row_count > count.json"],
  );
  table = await watched.upload("rows.csv", pieces());
});

afterAll(() => watched?.stop());

function* pieces() {
  yield Buffer.from("a,b\n");
  for (let sent = 0; sent < FILE_BYTES; sent += PIECE.length) {
    yield PIECE;
  }
}

const inspect = (asset_path: string) =>
  watched.call("POST", "/api/v1/structured-data/inspect", { asset_path });

test("an incoming file", async () => {
  await watched.expectCaught("api", FAULTS.parts, () => watched.upload("held.csv", pieces()));
});

test("a table that is read", async () => {
  await watched.expectCaught("api", FAULTS.text, () => inspect(table));
});

test("a workbook that is read", async () => {
  const book = makeWorkbook({
    sharedStrings: Array.from(
      { length: 500_000 },
      // Digits that do not compress, so that the file is not refused as a ZIP bomb.
      (_, i) =>
        `<si><r><rPr><b/><sz val="11"/><color rgb="FF000000"/><rFont val="Calibri"/><family val="2"/><charset val="1"/><scheme val="minor"/></rPr><t>a text that goes on ${i} ${((i * 2_654_435_761) % 4_294_967_296).toString(36)}</t></r></si>`,
    ).join(""),
    rows: '<row r="1"><c r="A1" t="s"><v>0</v></c></row>',
  });
  const path = await watched.upload("rows.xlsx", [book]);
  await watched.expectCaught("api", FAULTS.xml, () => inspect(path));
});

test("a bundle's file that is checked", async () => {
  await watched.expectCaught("api", FAULTS.digest, () =>
    watched.call("POST", "/api/v1/bundle-manifests/compose", {
      bundle_id: "held",
      assets: [{ asset_path: table }],
    }),
  );
});

test("stored rows", async () => {
  await watched.expectCaught("runner", FAULTS.rows, () =>
    watched.run(store, { file: { asset_path: table } }),
  );
});

test("outputs that are packed", async () => {
  const workflow = await watched.publish(
    "copy",
    [
      { id: "file", type: "input/document" },
      { id: "out", type: "output/document", parameters: { key: "out" } },
    ],
    ["file.document > out.document"],
  );
  const { id } = await watched.run(workflow, { file: { asset_path: table } });
  await watched.expectCaught("runner", FAULTS.archive, async () => {
    await watched.call("POST", `/api/v1/executions/${id}/zip`);
    await waitUntil(
      "the export's end",
      async () => {
        const now = await watched.call<{ status: string }>(
          "GET",
          `/api/v1/executions/${id}/zip/status`,
        );
        return now.status === "completed";
      },
      300_000,
    );
  });
});

test("a wasm memory of which the watch does not know", async () => {
  const path = await watched.upload("few.csv", [Buffer.from("a,b\n1,2\n")]);
  const watch = watched.watch("api");
  await expect(watch.duringFault(FAULTS.unnoted, () => inspect(path))).rejects.toThrow(
    /There are wasm memories of \d+ bytes, and \d+ were noted/,
  );
  // And of all that are there otherwise it does.
  await watched.expectFlat(() => inspect(path), [PROFILE]);
});
