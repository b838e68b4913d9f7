import type { Interpretation } from "./reference-result.ts";

/** An outcome as plain data, so that two of them can be compared and printed. */
export function plainOutcome(result: Interpretation) {
  return {
    status: result.status,
    error: result.error_code === null ? null : [result.error_code, result.error_node],
    outputs: Object.fromEntries(
      [...result.outputs].map(([id, { state, items }]) => [
        id,
        [
          state,
          items.map((item) => [item.indices, item.state, ...("value" in item ? [item.value] : [])]),
        ],
      ]),
    ),
    cells: Object.fromEntries(
      [...result.cells].map(([id, cells]) => [
        id,
        cells.map((cell) => [
          cell.indices,
          cell.state,
          ...(cell.code === undefined ? [] : [cell.code]),
          ...(cell.charge === undefined ? [] : [cell.charge]),
        ]),
      ]),
    ),
    warnings: result.warnings.map(({ code: _code, ...rest }) => rest),
  };
}
