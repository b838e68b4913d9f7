/** The acid test of CSV readers: every case of csv-spectrum, through the reader of stored files. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { readCsv } from "../../../../src/datasets/csv/read-csv.ts";
import { MemorySource } from "../../../support/datasets/memory-source.ts";

const require = createRequire(import.meta.url);
const FOLDER = dirname(require.resolve("csv-spectrum"));
const CASES = readdirSync(join(FOLDER, "csvs")).map((file) => file.replace(/\.csv$/, ""));

async function objects(bytes: Uint8Array, chunkBytes: number): Promise<Record<string, string>[]> {
  const found: Record<string, string>[] = [];
  let names: readonly string[] = [];
  await readCsv(
    new MemorySource(bytes, chunkBytes),
    { delimiter: undefined, headerRow: 1 },
    () => ({
      header: (given: readonly string[]) => {
        names = given;
      },
      row: (row: { field(index: number): string }) => {
        found.push(Object.fromEntries(names.map((name, index) => [name, row.field(index)])));
      },
    }),
  );
  return found;
}

function expected(name: string): unknown {
  const json: unknown = JSON.parse(readFileSync(join(FOLDER, "json", `${name}.json`), "utf8"));
  // This case's JSON has an object instead of a list, and a different telephone number than its
  // CSV.
  return name === "location_coordinates"
    ? [{ ...(json as object), "Contact Phone Number": "2095257564" }]
    : json;
}

it("has twelve cases", () => {
  expect(CASES).toHaveLength(12);
});

it.each(CASES)("%s equals its JSON, in pieces of any size", async (name) => {
  const bytes = new Uint8Array(readFileSync(join(FOLDER, "csvs", `${name}.csv`)));
  for (const chunkBytes of [1, 2, 3, 7, 64, 65_536]) {
    expect(await objects(bytes, chunkBytes)).toEqual(expected(name));
  }
});
