import { rename, writeFile } from "node:fs/promises";
import type { KeptRow } from "./render-benchmarks.ts";

/** Writes a row as a whole: if the bench is stopped meanwhile, the file still has the row before it. */
export async function writeRow(file: string, row: KeptRow): Promise<void> {
  // The samples of a series on one line.
  const text = JSON.stringify(row, null, 2).replaceAll(/\[[-\d.e+,\s]*\]/g, (list) =>
    list.replaceAll(/\s+/g, ""),
  );
  await writeFile(`${file}.part`, `${text}\n`);
  await rename(`${file}.part`, file);
}
