import type { DatasetOptions } from "../../contracts/dataset.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import { numberFormat } from "../infer/locale-format.ts";
import { detectFormat } from "./detect-format.ts";
import { profileCsv } from "./profile-csv.ts";
import { profileJson } from "./profile-json.ts";
import type { OpenSink, ReadTable } from "./profile-of.ts";
import { profileXlsx } from "./profile-xlsx.ts";

/**
 * Reads a whole file as a table in bounded memory: counts rows exactly, infers column types, keeps
 * a bounded sample, and passes every row to `rows` if given. Throws DatasetError.
 */
export async function profileDataset(
  source: ByteSource,
  fileName: string,
  options: DatasetOptions,
  rows?: OpenSink,
): Promise<ReadTable> {
  // Before any byte is read: an unknown locale is the caller's error, whatever the file contains.
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
