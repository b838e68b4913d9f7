import { type DatasetManifest, RowStoreIndex } from "../../contracts/dataset.ts";
import { isJsonObject, type JsonValue, parseJson } from "../../lib/json/exact-json.ts";
import { sha256HexOfBytes } from "../../lib/sha256.ts";

/** The row store does not match its manifest: none of its rows may be used. */
export class RowStoreError extends Error {
  override readonly name = "RowStoreError";
}

/** Bytes of one object of a row store; undefined if it is missing. */
export type GetObject = (key: string) => Promise<Uint8Array | undefined>;

/** A chunk and an index are each held whole. */
const OBJECT_BYTES_MAX = 16 * 1024 * 1024;

/** Cells of one row: by column if there is a header, else by key. */
export type StoredRow = readonly JsonValue[] | { readonly [column: string]: JsonValue };

/**
 * Rows of a row store in order. Everything in the manifest is verified before the last row is
 * returned: owner, byte lengths, SHA-256, row indices, presence of cells, row count
 * (docs/contract/datasets.md#rows). Callers that admit rows must wait for the end. Throws
 * RowStoreError.
 */
export async function* readRows(
  manifest: DatasetManifest,
  get: GetObject,
): AsyncGenerator<{ readonly index: number; readonly row: StoredRow }> {
  const index = await readIndex(manifest, get);
  const present = new Map<string, number>();
  let next = 0;
  for (const chunk of index.chunks) {
    if (chunk.first_row !== next) {
      throw new RowStoreError("A chunk does not begin where the one before it ends.");
    }
    const lines = (await readObject(chunk, get)).split("\n");
    if (lines.pop() !== "" || lines.length !== chunk.rows) {
      throw new RowStoreError("A chunk does not contain the rows stated in its index.");
    }
    for (const line of lines) {
      const row = rowOf(line, next, manifest);
      countPresent(row, manifest, present);
      yield { index: next, row };
      next++;
    }
  }
  if (next !== manifest.row_count) {
    throw new RowStoreError(
      `There are ${next} rows instead of the ${manifest.row_count} in the manifest.`,
    );
  }
  for (const column of manifest.columns) {
    if ((present.get(column.name) ?? 0) !== column.present) {
      throw new RowStoreError("A column does not have as many values as stated in the manifest.");
    }
  }
}

async function readIndex(manifest: DatasetManifest, get: GetObject): Promise<RowStoreIndex> {
  const text = await readObject(manifest.row_store, get);
  const parsed = RowStoreIndex.safeParse(JSON.parse(text));
  if (!parsed.success) {
    throw new RowStoreError("The index of the rows cannot be read.");
  }
  if (
    parsed.data.dataset_id !== manifest.dataset_id ||
    parsed.data.row_count !== manifest.row_count
  ) {
    throw new RowStoreError("The index of the rows belongs to another dataset.");
  }
  return parsed.data;
}

async function readObject(
  object: { readonly key: string; readonly size_bytes: number; readonly sha256: string },
  get: GetObject,
): Promise<string> {
  if (object.size_bytes > OBJECT_BYTES_MAX) {
    throw new RowStoreError("An object of the row store is larger than the maximum.");
  }
  const bytes = await get(object.key);
  if (bytes === undefined) {
    throw new RowStoreError("An object of the row store is missing.");
  }
  if (bytes.length !== object.size_bytes || (await sha256HexOfBytes(bytes)) !== object.sha256) {
    throw new RowStoreError("An object of the row store is not the one that was written.");
  }
  return new TextDecoder().decode(bytes);
}

function rowOf(line: string, index: number, manifest: DatasetManifest): StoredRow {
  let parsed: JsonValue;
  try {
    parsed = parseJson(line);
  } catch {
    throw new RowStoreError("A row cannot be read.");
  }
  const [at, row] = Array.isArray(parsed) ? (parsed as readonly JsonValue[]) : [];
  if (at !== index) {
    throw new RowStoreError("A row is not at its index.");
  }
  const isList = Array.isArray(row) && row.length <= manifest.columns.length;
  if (!isList && !isJsonObject(row)) {
    throw new RowStoreError("A row has more cells than there are columns.");
  }
  return row as StoredRow;
}

function countPresent(
  row: StoredRow,
  { columns, format }: DatasetManifest,
  present: Map<string, number>,
): void {
  const isCsv = format === "csv" || format === "tsv";
  columns.forEach(({ name }, index) => {
    const cell = cellOf(row, name, index);
    if (cell !== undefined && cell !== null && !(isCsv && cell === "")) {
      present.set(name, (present.get(name) ?? 0) + 1);
    }
  });
}

/** A cell of a stored row; undefined if the row does not have it. */
export function cellOf(row: StoredRow, name: string, index: number): JsonValue | undefined {
  if (Array.isArray(row)) {
    return (row as readonly JsonValue[])[index];
  }
  return Object.hasOwn(row, name)
    ? (row as { readonly [key: string]: JsonValue })[name]
    : undefined;
}
