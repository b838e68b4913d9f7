import type { DatasetFormat } from "../../../contracts/dataset.ts";
import type { BatchDataset } from "../../../contracts/batches/batch.ts";
import type { CustomInterface } from "../../../contracts/workflows/definition.ts";
import { isMediaKind } from "../../../contracts/media/media-kinds.ts";
import type { ValueType } from "../../../contracts/workflows/node-parameters.ts";
import { DatasetError, shown } from "../../../datasets/dataset-error.ts";
import { profileDataset } from "../../../datasets/profile/profile-dataset.ts";
import { cellForm } from "../../../datasets/rows/cell-form.ts";
import type { StoredRow } from "../../../datasets/rows/read-rows.ts";
import { Table } from "../../../datasets/rows/table.ts";
import type { Plan } from "../../../engine/plan/plan.ts";
import { AppError, type FieldError } from "../../../lib/errors/errors.ts";
import { NodeError } from "../../../lib/errors/node-error.ts";
import { SourceChangedError } from "../../../lib/files/byte-source.ts";
import { type JsonValue, stringifyJson } from "../../../lib/json/exact-json.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import type { TableRow } from "../../../nodes/define-dataset-tools.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { openFileSource } from "../../../storage/r2/open-file-source.ts";
import { clientReferenceField } from "../../../contracts/runs/run-origin.ts";
import { openAsset } from "../../assets/open-asset.ts";
import { tableReadingBytes } from "../../datasets/reading-memory.ts";
import { inputOf } from "../../executions/retry/rebind-inputs.ts";
import { partsOfPlan } from "../../workflows/contract/interface-parts.ts";
import { assetPathsOf, type PathsAhead } from "./assets-ahead.ts";
import type { GivenItem } from "./prepare-items.ts";

const ROWS_MAX = LIMITS.batch_items.value;
/** Rows of which the assets are looked up together. */
const ROWS_AHEAD = 100;

export interface DatasetSubject {
  readonly plan: Plan;
  readonly entry: CustomInterface | undefined;
}

/** Receives the items in their order. The reading starts over with another one if the file's encoding was mistaken. */
export type OpenItems = () => { add(item: GivenItem, ahead: PathsAhead): Promise<void> };

/** How the cells of a column become an input. */
interface MappedColumn {
  readonly key: string;
  readonly column: string;
  readonly kind: string;
  readonly isFileOnly: boolean;
}

/**
 * Reads the rows of a dataset as items, one piece of the file at a time (docs/contract/batches.md#rows). The file is read
 * twice, because cells have the types of their whole column. Throws the codes of an inspection and `validation_error`.
 */
export async function readDatasetItems(
  ctx: CallerContext,
  dataset: BatchDataset,
  mapping: { readonly [key: string]: JsonValue },
  subject: DatasetSubject,
  open: OpenItems,
): Promise<void> {
  const { locale } = dataset;
  const asset = await openAsset(ctx, dataset.asset_path, "dataset.asset_path");
  const options = {
    format: dataset.format,
    headerRow: dataset.header_row,
    locale,
    sampleRows: 0,
    maxRows: ROWS_MAX,
    delimiter: dataset.delimiter ?? null,
    table: dataset.table ?? null,
    formulaPolicy: dataset.formula_policy,
  };
  const read = async () => {
    const source = await openFileSource(ctx.env.FILES, ctx.principal.workspaceId, asset.file);
    const { profile } = await profileDataset(source, asset.name, options);
    if (profile.row_count === 0) {
      throw invalid([{ field: "dataset", message: "The dataset has no rows." }]);
    }
    const mapped = mappedColumns(dataset, mapping, subject, profile.columns);
    const table = new Table(profile.columns, cellForm(profile.format, locale), true);
    const itemOf = (row: TableRow) => datasetItem(row, mapped, dataset, profile.format);
    let rows: ItemRows | undefined;
    await profileDataset(source, asset.name, options, () => {
      rows = new ItemRows(table, itemOf, open());
      return rows;
    });
    await rows?.drained();
  };
  try {
    await ctx.memory.use(tableReadingBytes(asset.name, asset.size_bytes), read);
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof DatasetError) {
    return error.code === "row_limit_exceeded"
      ? new AppError(
          error.code,
          `The dataset has more than ${String(ROWS_MAX)} rows, the most items of a batch. Split the file.`,
        )
      : new AppError(error.code, `dataset: ${error.message}`);
  }
  if (error instanceof NodeError) {
    return new AppError("not_found", `dataset.asset_path: ${error.message}`);
  }
  return error instanceof SourceChangedError
    ? new AppError("source_changed", `dataset.asset_path: ${error.message}`)
    : error;
}

class ItemRows {
  readonly #table: Table;
  readonly #itemOf: (row: TableRow) => GivenItem;
  readonly #items: ReturnType<OpenItems>;
  #rows: StoredRow[] = [];
  #index = 0;

  constructor(table: Table, itemOf: (row: TableRow) => GivenItem, items: ReturnType<OpenItems>) {
    this.#table = table;
    this.#itemOf = itemOf;
    this.#items = items;
  }

  add(row: JsonValue): void {
    // Readers pass the cells of a row, or the object that it is.
    this.#rows.push(row as StoredRow);
  }

  async drained(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    for (const [at, row] of rows.entries()) {
      const item = this.#itemOf(this.#table.row(this.#index, row));
      await this.#items.add(item, () => this.#pathsOf(rows.slice(at, at + ROWS_AHEAD)));
      this.#index++;
    }
  }

  /** Paths of assets that rows name; the present row is the first. */
  *#pathsOf(rows: readonly StoredRow[]): Iterable<string> {
    for (const [at, row] of rows.entries()) {
      const item = this.#itemOf(this.#table.row(this.#index + at, row));
      yield* "inputs" in item ? assetPathsOf(item.inputs) : [];
    }
  }
}

/** Throws `validation_error` for keys that are not inputs, and columns that are not there. */
function mappedColumns(
  { client_reference_column: reference }: BatchDataset,
  mapping: { readonly [key: string]: JsonValue },
  { plan, entry }: DatasetSubject,
  columns: readonly { readonly name: string }[],
): readonly MappedColumn[] {
  const names = new Set(columns.map(({ name }) => name));
  const parts = partsOfPlan(plan).inputs;
  const errors: FieldError[] = [];
  const lacks = (field: string, column: string) => {
    const listed = [...names].slice(0, NAMES_SHOWN_MAX).map((name) => JSON.stringify(name));
    const more = names.size > listed.length ? ", …" : "";
    errors.push({
      field,
      message: `The dataset has no column ${shown(column)}. Its columns: ${listed.join(", ")}${more}.`,
    });
  };
  const mapped: MappedColumn[] = [];
  for (const [key, column] of Object.entries(mapping)) {
    const field = `dataset.mapping.${key.slice(0, KEY_CHARS_MAX).toWellFormed()}`;
    const input = inputOf(key, parts, entry);
    const kind = entry?.fields.find((each) => each.key === key)?.type ?? input?.type.inputKind;
    if (kind === undefined) {
      errors.push({ field, message: `${shown(key)} is not an input of this workflow.` });
    } else if (typeof column !== "string") {
      errors.push({ field, message: "Must be the name of a column." });
    } else if (!names.has(column)) {
      lacks(field, column);
    } else {
      mapped.push({ key, column, kind, isFileOnly: input?.type.files?.isOnly === true });
    }
  }
  if (reference !== undefined && !names.has(reference)) {
    lacks("dataset.client_reference_column", reference);
  }
  if (errors.length > 0) {
    throw invalid(errors.slice(0, LIMITS.problems_reported.value));
  }
  return mapped;
}

function datasetItem(
  row: TableRow,
  mapped: readonly MappedColumn[],
  { client_reference_column: reference, locale }: BatchDataset,
  format: DatasetFormat,
): GivenItem {
  const isText = format === "csv" || format === "tsv";
  const errors: FieldError[] = [];
  const inputs: [string, JsonValue][] = [];
  const read = (key: string, column: string, type: ValueType): JsonValue | undefined => {
    const cell = row.cell(column) ?? null;
    if (cell === null || (isText && cell === "")) {
      return undefined;
    }
    try {
      return row.convert(column, type);
    } catch (error) {
      if (!(error instanceof NodeError)) {
        throw error;
      }
      const what = typeof cell === "string" ? shown(cell) : "the value";
      const form = type === "json" ? "JSON" : `a ${type} in the locale ${locale}`;
      errors.push({ field: key, message: `Column ${shown(column)}: ${what} is not ${form}.` });
      return undefined;
    }
  };
  for (const { key, column, kind, isFileOnly } of mapped) {
    const isMedia = isMediaKind(kind);
    const value = read(`inputs.${key}`, column, isFileOnly || isMedia ? "text" : typeOf(kind));
    if (value !== undefined) {
      const isPath =
        isFileOnly || (isMedia && !(typeof value === "string" && /^https:\/\//i.test(value)));
      inputs.push([key, isPath ? { asset_path: value } : { value: stringifyJson(value) }]);
    }
  }
  const named = reference === undefined ? undefined : read("client_reference", reference, "text");
  const isReference = clientReferenceField.safeParse(named).success;
  if (named !== undefined && !isReference) {
    const chars = LIMITS.client_reference.value;
    errors.push({
      field: "client_reference",
      message: `Column ${shown(reference ?? "")}: a reference has at most ${String(chars)} characters, without control characters.`,
    });
  }
  const client_reference = typeof named === "string" && isReference ? named : null;
  return errors.length > 0
    ? { errors, client_reference }
    : { inputs: Object.fromEntries(inputs), client_reference, row: () => row.values };
}

function typeOf(kind: string): ValueType {
  return kind === "number" || kind === "boolean" || kind === "json" || kind === "any"
    ? kind
    : "text";
}

function invalid(errors: readonly FieldError[]): AppError {
  const detail = errors.map(({ field, message }) => `${field}: ${message}`).join(" ");
  return new AppError("validation_error", detail.slice(0, 2_000).toWellFormed(), { errors });
}

const NAMES_SHOWN_MAX = 30;
const KEY_CHARS_MAX = 80;
