import { fail, ok, type Result } from "../../lib/result.ts";
import { PieceBuffer } from "./piece-buffer.ts";
import { countRawEntries, type RawEntry, rawEntries } from "./raw-entries.ts";
import { ValueBudget, VALUES_MAX_BYTES } from "./value-budget.ts";
import { type ViewGroup, viewGroups } from "./view-groups.ts";
import type { ViewInput } from "./view-input.ts";

/** Contains the group and the first `element` of the page; opaque to callers. */
const CURSOR = /^o(\d{1,6})_(\d{1,9})$/;

/**
 * The list envelope of `/outputs` as JSON text in pieces: every output, or a page of `limit`. An invalid cursor is
 * `invalid_request`.
 */
export function renderOutputs(
  input: ViewInput,
  page: { readonly limit: number | null; readonly startingAfter: string | null },
): Result<AsyncIterable<string>> {
  const groups = viewGroups(input);
  let from = { position: 0, element: 0 };
  if (page.startingAfter !== null) {
    const match = CURSOR.exec(page.startingAfter);
    from = {
      position: Number(match?.[1] ?? Number.NaN),
      element: Number(match?.[2] ?? Number.NaN),
    };
    if (match === null || from.position >= groups.length) {
      return fail(
        "invalid_request",
        `starting_after "${page.startingAfter.slice(0, 40)}" is not a cursor of this list. Send next_cursor of the previous page, as it was returned.`,
      );
    }
  }
  return ok(pieces(input, groups, from, page.limit ?? Number.POSITIVE_INFINITY));
}

async function* pieces(
  input: ViewInput,
  groups: readonly ViewGroup[],
  from: { readonly position: number; readonly element: number },
  limit: number,
): AsyncGenerator<string> {
  const buffer = new PieceBuffer();
  buffer.push(`{"data":[`);
  let count = 0;
  let last: RawEntry | undefined;
  let hasMore = false;
  for (const entry of rawEntries(input, groups, from, new ValueBudget(VALUES_MAX_BYTES))) {
    if (entry instanceof Promise) {
      await entry;
      continue;
    }
    if (count === limit) {
      hasMore = true;
      break;
    }
    buffer.push(`${count === 0 ? "" : ","}${JSON.stringify(entry.raw)}`);
    count += 1;
    last = entry;
    if (buffer.isFull) {
      yield buffer.take();
    }
  }
  const cursor = hasMore && last ? `o${String(last.position)}_${String(last.nextIndex)}` : null;
  buffer.push(
    `],"has_more":${String(hasMore)},"next_cursor":${JSON.stringify(cursor)},` +
      `"total_count":${String(countRawEntries(input, groups))}}`,
  );
  yield buffer.take();
}
