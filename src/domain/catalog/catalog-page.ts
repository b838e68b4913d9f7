import { AppError } from "../../lib/errors/errors.ts";
import { pageOf } from "../list-page.ts";

/** The page that a caller asks for of a list of the catalog: the whole list if `limit` is omitted. */
export interface CatalogPage {
  readonly limit?: number | undefined;
  /** The cursor of the previous page: the key of its last item. */
  readonly startingAfter?: string | undefined;
}

interface Page<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
  total_count: number;
}

/**
 * Returns a page of an ordered list (docs/contract/catalog.md#node-types). `noun` names the items in the message.
 * Throws `invalid_request` for a cursor that is not in the list.
 */
export function catalogPage<T>(
  found: readonly T[],
  keyOf: (item: T) => string,
  { limit, startingAfter }: CatalogPage,
  noun: string,
): Page<T> {
  let start = 0;
  if (startingAfter !== undefined) {
    start = found.findIndex((item) => keyOf(item) === startingAfter) + 1;
    if (start === 0) {
      throw new AppError(
        "invalid_request",
        `No ${noun} "${startingAfter.slice(0, 200).toWellFormed()}" is in this list. Send the next_cursor of the page before, with the same filters.`,
      );
    }
  }
  const rest = { rows: found.slice(start), total: found.length };
  return pageOf(rest, limit ?? Infinity, (item) => item, keyOf);
}
