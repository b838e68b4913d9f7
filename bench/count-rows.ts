/**
 * `npm run bench:rows`: counts the rows and operations of runs over their whole life and writes docs/row-counts.md.
 * `--check` counts again and compares the result with the table. `--statements` prints the rows of each statement.
 */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startCountingService } from "./counting-service.ts";
import { countRows } from "./scale/count-rows.ts";
import { readRowCounts, renderRowCounts, type RowCount, strayCounts } from "./scale/row-counts.ts";

const FILE = fileURLToPath(new URL("../docs/row-counts.md", import.meta.url));

const [check, statements] = ["--check", "--statements"].map((flag) => process.argv.includes(flag));
const service = await startCountingService();
let rows: readonly RowCount[];
try {
  rows = await countRows(
    service,
    undefined,
    statements
      ? (line) => {
          console.log(line);
        }
      : undefined,
  );
} finally {
  await service.stop();
}
if (check) {
  const stray = strayCounts(readRowCounts(await readFile(FILE, "utf8")), rows);
  assert.deepEqual(stray, [], "docs/row-counts.md differs: npm run bench:rows writes it again");
  console.log(`${rows.length} counts match docs/row-counts.md`);
} else {
  await writeFile(FILE, renderRowCounts(rows));
  console.log(renderRowCounts(rows));
}
