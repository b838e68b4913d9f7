import * as z from "zod";
import {
  portNameField,
  type ValueType,
  valueTypeField,
} from "../contracts/workflows/node-parameters.ts";
import type { JsonValue } from "../lib/json/exact-json.ts";
import { NodeError } from "../lib/errors/node-error.ts";
import type { ReadingNotes } from "../contracts/reading-notes.ts";
import { type CellPolicy, cellPolicyFields, emptyCellTest, RowReading } from "./cell-policy.ts";
import { eachColumn } from "./each-column.ts";
import { FormulaSyntaxError } from "./formula-syntax-error.ts";
import { compileFormula } from "./row-columns.ts";
import { LIMITS } from "../lib/limits/limits-table.ts";

const COLUMNS_MAX = LIMITS.computed_columns.value;

/** A column of a table with an output port: read by its source name, or computed. */
export interface TableColumn extends CellPolicy {
  readonly source: string | undefined;
  readonly outputPort: string;
  readonly outputType: ValueType;
  readonly isComputed: boolean;
  readonly formula: string | undefined;
}

/** One row of a table, as the dataset readers return it. */
interface Row {
  readonly index: number;
  readonly values: { readonly [column: string]: JsonValue };
  cell(column: string): JsonValue | undefined;
  convert(column: string, type: ValueType): JsonValue;
}

/** The fields of every column of a table node, except the one that names its source. */
const columnFields = {
  outputPort: portNameField,
  outputType: valueTypeField.default("any"),
  isComputed: z.boolean().default(false),
  formula: z.string().optional(),
  ...cellPolicyFields,
};

/** `csvConfig.columns[]`. `reserved` contains the names of the node's own ports. */
export function csvColumnsField(reserved: readonly string[]) {
  return z
    .array(z.strictObject({ header: z.string().min(1).optional(), ...columnFields }))
    .max(COLUMNS_MAX)
    .superRefine((columns, context) => {
      checkColumns(columns.map(csvColumn), "header", reserved, context);
    });
}

export function csvColumn(
  column: Omit<TableColumn, "source" | "formula"> & {
    readonly header?: string | undefined;
    readonly formula?: string | undefined;
  },
): TableColumn {
  return { ...column, source: column.header, formula: column.formula };
}

/** `rowMapping.columns[]` (docs/contract/datasets.md#rows). */
export function mappedColumnsField(reserved: readonly string[]) {
  return z
    .array(
      z.strictObject({
        sourceColumn: z.string().min(1).optional(),
        selected: z.boolean().default(true),
        ...columnFields,
      }),
    )
    .max(COLUMNS_MAX)
    .superRefine((columns, context) => {
      checkColumns(columns.map(mappedColumn), "sourceColumn", reserved, context);
    });
}

export function mappedColumn(
  column: Omit<TableColumn, "source" | "formula"> & {
    readonly sourceColumn?: string | undefined;
    readonly formula?: string | undefined;
  },
): TableColumn {
  return { ...column, source: column.sourceColumn, formula: column.formula };
}

function checkColumns(
  columns: readonly TableColumn[],
  sourceField: string,
  reserved: readonly string[],
  context: z.RefinementCtx,
): void {
  eachColumn(columns, reserved, context, (column, problem) => {
    if (column.isComputed && column.nullValues.length > 0) {
      problem("nullValues", "A computed column does not read a cell. Omit `nullValues`.");
    }
    if (!column.isComputed) {
      if (column.formula !== undefined) {
        problem("formula", "A formula needs `isComputed: true`.");
      }
      if (column.source === undefined) {
        problem(sourceField, `A column that is not computed needs its \`${sourceField}\`.`);
      }
      return;
    }
    if (column.formula === undefined) {
      problem("formula", "A computed column needs a `formula`.");
      return;
    }
    try {
      compileFormula(column.formula, column.outputType);
    } catch (error) {
      if (!(error instanceof FormulaSyntaxError)) {
        throw error;
      }
      problem("formula", `${error.message}.`);
    }
  });
}

/** Output ports of the columns, in order. */
export function tableColumnPorts(columns: readonly TableColumn[]) {
  return columns.map(({ outputPort, outputType }) => ({ name: outputPort, type: outputType }));
}

/** Reads the rows of a table one after another. */
export interface TableReader {
  /**
   * Reads a row into `outputs` and returns it for formulas: by column name, with declared columns
   * in their declared types. Returns undefined if the row is skipped; `outputs` are then invalid.
   * Throws NodeError with the column and the 1-based row.
   */
  read(
    row: Row,
    outputs: Map<string, JsonValue>,
  ): { readonly [column: string]: JsonValue } | undefined;
  /** The notes of the rows read so far; undefined if there is nothing to warn about. */
  readonly notes: ReadingNotes | undefined;
}

/** Compiles the columns once. */
export function compileTableColumns(columns: readonly TableColumn[]): TableReader {
  const compiled = columns.map((column) => ({
    ...column,
    compute: column.isComputed
      ? compileFormula(column.formula ?? "", column.outputType)
      : undefined,
    isEmpty: emptyCellTest(column),
    /** The value of an empty cell: `null`, or empty text for a text column. */
    empty: column.outputType === "text" ? "" : null,
    name: column.source ?? column.outputPort,
  }));
  const reading = new RowReading();
  const readRow = (row: Row, outputs: Map<string, JsonValue>) => {
    const declared: [string, JsonValue][] = [];
    for (const column of compiled) {
      const { source, outputType, compute, isEmpty, empty } = column;
      // The header of a computed column is a display name; the table need not have it.
      if (source === undefined || compute !== undefined) {
        continue;
      }
      const value = reading.cell<JsonValue>(column.name, column, empty, () =>
        isEmpty(row.cell(source)) ? empty : row.convert(source, outputType),
      );
      declared.push([source, value]);
      outputs.set(column.outputPort, value);
    }
    const fields =
      declared.length === 0
        ? row.values
        : Object.fromEntries([...Object.entries(row.values), ...declared]);
    for (const column of compiled) {
      const { compute, outputPort, empty } = column;
      if (compute !== undefined) {
        const value = reading.cell<JsonValue>(column.name, column, empty, () =>
          computeCell(compute, fields, outputPort, row.index + 1),
        );
        outputs.set(outputPort, value);
      }
    }
    return fields;
  };
  return {
    read: (row, outputs) => reading.row(row.index + 1, () => readRow(row, outputs)),
    get notes() {
      return reading.notes;
    },
  };
}

/**
 * A computed column fails with one code for every failure of its formula
 * (docs/contract/formulas.md#columns).
 */
function computeCell(
  compute: (row: JsonValue) => JsonValue,
  fields: JsonValue,
  outputPort: string,
  rowNumber: number,
): JsonValue {
  try {
    return compute(fields);
  } catch (error) {
    if (!(error instanceof NodeError)) {
      throw error;
    }
    throw new NodeError(
      "FORMULA_ERROR",
      `Column "${outputPort}", row ${rowNumber}: ${error.message}`,
      { cause: error },
    );
  }
}
