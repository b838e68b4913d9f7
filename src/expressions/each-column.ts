import type * as z from "zod";

/** Reports a problem at a member of one column. */
export type ColumnProblem = (field: string, message: string) => void;

/**
 * Validates columns that become output ports: a name that the node itself uses (`reserved`), or
 * that an earlier column has, is a problem; `check` validates the rest of each column.
 */
export function eachColumn<C extends { readonly outputPort: string }>(
  columns: readonly C[],
  reserved: readonly string[],
  context: z.RefinementCtx,
  check: (column: C, problem: ColumnProblem) => void,
): void {
  const seen = new Set(reserved);
  columns.forEach((column, index) => {
    const problem: ColumnProblem = (field, message) => {
      context.addIssue({ code: "custom", path: [index, field], message });
    };
    const { outputPort } = column;
    if (seen.has(outputPort)) {
      problem(
        "outputPort",
        `The port name "${outputPort}" is ${reserved.includes(outputPort) ? "reserved" : "used twice"}; give the column another name.`,
      );
    }
    seen.add(outputPort);
    check(column, problem);
  });
}
