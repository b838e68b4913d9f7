import type { DatasetFormat } from "../../contracts/dataset.ts";
import type { ByteSource } from "../../lib/files/byte-source.ts";
import { DatasetError, shown } from "../dataset-error.ts";

const HEAD_BYTES = 4_096;

const BY_EXTENSION: ReadonlyMap<string, DatasetFormat | "text"> = new Map([
  ["csv", "csv"],
  ["tsv", "tsv"],
  ["json", "json"],
  ["ndjson", "ndjson"],
  ["jsonl", "ndjson"],
  ["xlsx", "xlsx"],
  ["txt", "text"],
]);

/**
 * The format for reading a file: the requested one if the bytes allow it, else the one of its
 * extension. Throws DatasetError `unsupported_format`, `invalid_data`.
 */
export async function detectFormat(
  source: ByteSource,
  fileName: string,
  asked: DatasetFormat | "auto",
): Promise<DatasetFormat> {
  const head = await source.read(0, Math.min(HEAD_BYTES, source.sizeBytes));
  const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "";
  const usual = BY_EXTENSION.get(extension);
  if (usual === undefined) {
    throw unsupported(`${shown(fileName)} does not have the extension of a dataset`);
  }
  if (startsWith(head, [0xd0, 0xcf, 0x11, 0xe0])) {
    throw unsupported(`${shown(fileName)} is an old Excel workbook, or is protected by a password`);
  }
  const isZip = startsWith(head, [0x50, 0x4b]) && (head[2] === 3 || head[2] === 5);
  const format = asked === "auto" ? (usual === "text" ? textFormat(head) : usual) : asked;
  if (isZip !== (format === "xlsx")) {
    if (isZip) {
      throw unsupported(`${shown(fileName)} is a ZIP archive and cannot be read as ${format}`);
    }
    throw new DatasetError(
      "invalid_data",
      `${shown(fileName)} is not a workbook: an .xlsx file begins as a ZIP archive.`,
    );
  }
  return format;
}

function unsupported(what: string): DatasetError {
  return new DatasetError(
    "unsupported_format",
    `${what}. Datasets are csv, tsv, txt, json, ndjson, jsonl and xlsx files.`,
  );
}

function startsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte);
}

function textFormat(head: Uint8Array): DatasetFormat {
  const text = new TextDecoder().decode(head).trimStart();
  if (text.startsWith("[")) {
    return "json";
  }
  if (!text.startsWith("{")) {
    return "csv";
  }
  const [first = "", ...others] = text.split("\n");
  try {
    JSON.parse(first);
    return others.some((line) => line.trim() !== "") ? "ndjson" : "json";
  } catch {
    return "json";
  }
}
