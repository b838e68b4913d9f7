/**
 * `npm run bench:rows`: counts the rows and operations of whole lives of runs and writes
 * docs/row-counts.md. With `--check` it counts again and compares with the table there. `--statements`
 * prints what each statement does.
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
  assert.deepEqual(
    stray,
    [],
    "docs/row-counts.md says otherwise: npm run bench:rows writes it anew",
  );
  console.log(`${rows.length} counts are as docs/row-counts.md has them`);
} else {
  await writeFile(FILE, renderRowCounts(rows));
  console.log(renderRowCounts(rows));
}
