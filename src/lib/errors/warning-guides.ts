/** Every warning in responses: its cause and, if needed, its fix. */
export const WARNINGS = {
  CELLS_NULLED: {
    cause:
      "Cells of a column could not be converted to its type and were read as empty, as set by `onInvalid`.",
    remedy:
      "Correct the cells, list the texts that stand for an empty cell in `nullValues`, or choose another type.",
  },
  ROWS_SKIPPED: {
    cause: "Rows with a cell that could not be converted were skipped, as set by `onInvalid`.",
    remedy: "Correct the rows from `first_row` on, or choose another `onInvalid`.",
  },
  ITEMS_SKIPPED: {
    cause: "An aggregator left out elements because a node upstream of it failed for them.",
    remedy:
      "The trace lists the failed elements with their errors. `on_failed_items: fail` fails the aggregator instead.",
  },
  INPUT_DROPPED: {
    cause:
      "The definition of a retry has no place for an input of the run that it retries: neither its node nor an input of that name.",
    remedy: "None needed if the input is not wanted any more; otherwise send it in `inputs`.",
  },
  OUTPUTS_EXPIRED: {
    cause: "The plan's `output_retention_days` are over and the outputs were deleted.",
    remedy: "Download outputs before they expire, or run the workflow again.",
  },
  ITERATION_LIMIT_EXCEEDED: {
    cause: "A node of this submit would have more iterations than are allowed.",
    remedy:
      "Send fewer items, raise `max_iterations_per_node` where it is lower than the ceiling, or split the run.",
  },
  ADMISSION_LIMIT_EXCEEDED: {
    cause: "The liability of this submit would exceed `max_admitted_milli_credits`.",
    remedy: "Send fewer items, or raise the bound.",
  },
  INSUFFICIENT_CREDITS: {
    cause: "This submit may cost more than the balance.",
    remedy: "Lower its iterations, or add credits.",
  },
  COLUMN_NOT_FOUND: {
    cause: "A mapped column is not in the file.",
    remedy: "Map a column that the file has; the message names the missing one.",
  },
  RESOLVED_AT_RUN_TIME: {
    cause: "How often the node runs is known only in the run, so the estimate counts one element.",
    remedy: "Bound the run with `admission_limits`.",
  },
  MAY_NOT_RUN: {
    cause: "The node depends on a branch or an absent value; the estimate counts it as if it ran.",
    remedy: "None needed: the estimate is the worst case.",
  },
  COST_IS_A_CEILING: {
    cause:
      "The node is charged what it uses, and nothing for results of the cache, which is known only afterwards; the estimate counts the most that it may be charged.",
    remedy: "None needed: the estimate is the worst case.",
  },
  COLUMN_MIXED: {
    cause: "At least half of the column's cells are of one type, and the rest keep it text.",
    remedy:
      "Correct the cell that `first_row` and `example` show, or set `onInvalid` and `nullValues` on the column.",
  },
  CSV_AMBIGUOUS_NUMBER: {
    cause:
      "Cells are numbers in another locale but not in the selected one, so the column is text.",
    remedy: "Send the `locale` that the file is written in.",
  },
  CSV_WINDOWS_1252: {
    cause: "The file is not UTF-8 and was read as Windows-1252.",
    remedy: "Save it as UTF-8 if letters look wrong.",
  },
  XLSX_FORMULA_CACHED_VALUE: {
    cause: "Cells contain formulas, and their stored values were read.",
    remedy: "Recalculate and save the workbook, or refuse formulas with `formula_policy: reject`.",
  },
  XLSX_ERROR_VALUE: {
    cause: "Cells contain an error such as `#N/A` and were read as empty.",
    remedy: "Correct the formulas of those cells.",
  },
  XLSX_MERGED_CELLS: {
    cause: "Cells are merged, and only the first of each range has the value.",
    remedy: "Unmerge them if every row needs the value.",
  },
} as const satisfies Readonly<Record<string, { readonly cause: string; readonly remedy: string }>>;

export type WarningCode = keyof typeof WARNINGS;
