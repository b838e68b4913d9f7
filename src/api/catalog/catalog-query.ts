import * as z from "zod";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { cursorField, integerField } from "../query-fields.ts";

/** Query of every list of the catalog: the whole list unless `limit` is sent. */
export const CATALOG_PAGE_QUERY = {
  limit: integerField({ min: 1, max: LIMITS.page_items.value }).optional(),
  starting_after: cursorField,
};

/** A word by which a list of the catalog is filtered; an unknown word selects nothing. */
export function filterField(description: string) {
  return z.string().max(LIMITS.filter_text.value).optional().describe(description);
}

export function pageOf(query: {
  readonly limit?: number | undefined;
  readonly starting_after?: string | undefined;
}) {
  return { limit: query.limit, startingAfter: query.starting_after };
}
