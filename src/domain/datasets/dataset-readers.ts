import { DATASET_ROWS_MAX, DatasetManifest } from "../../contracts/dataset.ts";
import { type CsvPage, csvRowsOfFile, csvRowsOfText } from "../../datasets/csv/csv-rows.ts";
import type { CsvOptions } from "../../datasets/csv/read-csv.ts";
import { numberFormat } from "../../datasets/infer/locale-format.ts";
import { ndjsonItems } from "../../datasets/json/ndjson-items.ts";
import { findTable, jsonItems } from "../../datasets/json/read-json.ts";
import { readRows } from "../../datasets/rows/read-rows.ts";
import { Table } from "../../datasets/rows/table.ts";
import { cellForm } from "../../datasets/rows/cell-form.ts";
import { ITERATIONS_MAX } from "../../engine/step/step.ts";
import type { JsonValue } from "../../lib/json/exact-json.ts";
import { type ByteSource, SourceUnavailableError } from "../../lib/files/byte-source.ts";
import type { FileRef } from "../../lib/files/file-ref.ts";
import { NodeError } from "../../lib/errors/node-error.ts";
import type { DatasetReaders, DatasetRow, TableRow } from "../../nodes/define-dataset-tools.ts";
import { openFileSource } from "../../storage/r2/open-file-source.ts";
import { asNodeError } from "./as-node-error.ts";

/** One row more than any node may have shows that there are too many; the rest is not read. */
const ROWS_READ_MAX = ITERATIONS_MAX + 1;

/**
 * Readers of the tables of one workspace; files of other workspaces cannot be read through them.
 * `countsAll`: for an estimate, which counts every row, even beyond the limit of a run.
 */
export function datasetReaders(
  bucket: R2Bucket,
  workspaceId: string,
  countsAll = false,
): DatasetReaders {
  return {
    csvRows: (source, { delimiter, isWhole }) =>
      guarded(
        csvRows(
          bucket,
          workspaceId,
          source,
          { delimiter, headerRow: 1 },
          countsAll || isWhole === true,
        ),
      ),
    jsonItems: (file, table) => guarded(items(bucket, workspaceId, file, table)),
    rows: (manifest) => guarded(datasetRows(bucket, workspaceId, manifest)),
  };
}

async function* csvRows(
  bucket: R2Bucket,
  workspaceId: string,
  source: string | FileRef,
  options: CsvOptions,
  isWhole: boolean,
): AsyncGenerator<TableRow> {
  const pages: AsyncIterable<CsvPage> | Iterable<CsvPage> =
    typeof source === "string"
      ? csvRowsOfText(source, options)
      : csvRowsOfFile(
          await openFileSource(bucket, workspaceId, source),
          options.delimiter === undefined && /\.tsv$/i.test(source.name)
            ? { ...options, delimiter: "\t" }
            : options,
          isWhole ? Number.POSITIVE_INFINITY : ROWS_READ_MAX,
        );
  let table: Table | undefined;
  let index = 0;
  for await (const { columns, rows } of pages) {
    for (const cells of rows) {
      if (index === DATASET_ROWS_MAX) {
        throw new NodeError(
          "ROW_LIMIT_EXCEEDED",
          `The table has more than ${DATASET_ROWS_MAX} rows, the maximum. Split the file.`,
        );
      }
      table ??= new Table(
        columns.map((name) => ({ name, type: "text" })),
        { isText: true, numbers: numberFormat("invariant") },
        false,
      );
      yield table.row(index, cells);
      index++;
    }
  }
}

async function* items(
  bucket: R2Bucket,
  workspaceId: string,
  file: FileRef,
  table: string | undefined,
): AsyncGenerator<JsonValue> {
  const source = await openFileSource(bucket, workspaceId, file);
  const isLines = /\.(?:ndjson|jsonl)$/i.test(file.name);
  const pages = isLines
    ? ndjsonItems(source)
    : jsonItems(source, table ?? ((await isList(source)) ? "$" : await findTable(source)));
  for await (const page of pages) {
    yield* page;
  }
}

/** Whether a JSON document is a list, determined by its first character. */
async function isList(source: ByteSource): Promise<boolean> {
  const start = new TextDecoder().decode(await source.read(0, PEEKED_BYTES));
  return start.trimStart().startsWith("[");
}

/** After this much leading white space, the document is searched for its table instead. */
const PEEKED_BYTES = 4_096;

async function* datasetRows(
  bucket: R2Bucket,
  workspaceId: string,
  given: JsonValue,
): AsyncGenerator<DatasetRow> {
  const parsed = DatasetManifest.safeParse(given);
  // A manifest is a value like any other and may be forged: it can only refer to files of the
  // workspace itself.
  if (!parsed.success || !isRowStoreKey(parsed.data.row_store.key, workspaceId)) {
    throw new NodeError(
      "INVALID_DATASET",
      "The value is not a dataset. Connect the dataset port of an input/data node.",
    );
  }
  const manifest = parsed.data;
  const table = new Table(manifest.columns, cellForm(manifest.format, manifest.locale), true);
  const get = async (key: string): Promise<Uint8Array | undefined> => {
    if (!isRowStoreKey(key, workspaceId)) {
      return undefined;
    }
    try {
      const object = await bucket.get(key);
      return object === null ? undefined : new Uint8Array(await object.arrayBuffer());
    } catch (cause) {
      throw new SourceUnavailableError(cause);
    }
  };
  const id = manifest.dataset_id.slice("ds_".length, "ds_".length + ROW_ID_DIGITS);
  for await (const { index, row } of readRows(manifest, get)) {
    yield Object.assign(table.row(index, row), { id: `row_${id}_${index}` });
  }
}

/** Enough characters of a dataset's id to distinguish its rows from others. */
const ROW_ID_DIGITS = 16;

function isRowStoreKey(key: string, workspaceId: string): boolean {
  return key.startsWith(`${workspaceId}/runs/`) && /\/rows-[a-z0-9-]+\.(?:nd)?json$/.test(key);
}

async function* guarded<T>(rows: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* rows;
  } catch (error) {
    throw asNodeError(error);
  }
}
