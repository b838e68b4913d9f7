/** The pages of lists (docs/contract/conventions.md#lists). */
import { AppError } from "../lib/errors/errors.ts";

interface Found<R> {
  /** The rows of the page, and one more if there is another page. */
  readonly rows: readonly R[];
  /** The number of all matches. */
  readonly total: number;
}

/** Returns the envelope of a page. `cursorOf` returns the cursor behind a row. */
export function pageOf<R, T>(
  { rows, total }: Found<R>,
  limit: number,
  viewOf: (row: R) => T,
  cursorOf: (row: R) => string,
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: page.map((row) => viewOf(row)),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? cursorOf(last) : null,
    total_count: total,
  };
}

/**
 * The failure of a list whose `starting_after` is not a cursor of it. `expected` completes the sentence: "a workflow of
 * this workspace". At most `maxChars` of the cursor are quoted.
 */
export function badCursor(given: string, expected: string, maxChars = 80): AppError {
  return new AppError(
    "invalid_request",
    `starting_after "${given.slice(0, maxChars).toWellFormed()}" is not ${expected}. Send next_cursor of the previous page, as it was returned.`,
  );
}
