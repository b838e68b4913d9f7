import type { DatasetOptions } from "../../contracts/dataset.ts";
import type { ByteSource } from "../../lib/byte-source.ts";
import { numberFormat } from "../infer/locale-format.ts";
import { detectFormat } from "./detect-format.ts";
import { profileCsv } from "./profile-csv.ts";
import { profileJson } from "./profile-json.ts";
import type { OpenSink, ReadTable } from "./profile-of.ts";
import { profileXlsx } from "./profile-xlsx.ts";

/**
 * Reads a whole file as a table, in flat memory: counts exactly, infers column types, keeps a bounded
 * sample, and hands every row to `rows` where one is given. Throws DatasetError.
 */
export async function profileDataset(
  source: ByteSource,
  fileName: string,
  options: DatasetOptions,
  rows?: OpenSink,
): Promise<ReadTable> {
  // Before any byte: a locale that does not exist is the caller's mistake whatever the file holds.
  const numbers = numberFormat(options.locale);
  const format = await detectFormat(source, fileName, options.format);
  switch (format) {
    case "csv":
    case "tsv":
      return await profileCsv(source, format, options, numbers, rows);
    case "json":
    case "ndjson":
      return await profileJson(source, format, options, rows);
    case "xlsx":
      return await profileXlsx(source, options, numbers, rows);
  }
}
