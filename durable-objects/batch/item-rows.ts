/** Items of a batch as their rows have them. */
import type { BatchItemRow, ItemStatus } from "../../src/contracts/batches/batch-object-api.ts";
import { ITEM, type ItemState } from "../../src/domain/batches/batch-facts.ts";

/** What is read of an item for lists. */
export interface ItemColumns extends Record<string, SqlStorageValue> {
  idx: number;
  state: ItemState;
  attempt: number;
  used: number;
  started_at_ms: number | null;
  completed_at_ms: number | null;
  client_reference: string | null;
  error_code: string | null;
  error_message: string | null;
  runs: string;
  outputs?: string | null;
}

export const ITEM_COLUMNS = `idx, state, attempt, used, started_at_ms, completed_at_ms, client_reference,
  error_code, error_message, runs`;

const STATUS_OF: Readonly<Record<ItemState, ItemStatus>> = {
  [ITEM.pending]: "pending",
  [ITEM.running]: "running",
  [ITEM.completed]: "completed",
  [ITEM.partial]: "completed",
  [ITEM.failed]: "failed",
  [ITEM.cancelled]: "cancelled",
  [ITEM.invalid]: "failed",
};

/** The states of items with this status. */
export function statesOf(status: ItemStatus): ItemState[] {
  return Object.values(ITEM).filter((state) => STATUS_OF[state] === status);
}

export function itemOf(row: ItemColumns): BatchItemRow {
  return {
    index: row.idx,
    status: STATUS_OF[row.state],
    client_reference: row.client_reference,
    attempt: row.attempt,
    executions: row.runs === "" ? [] : row.runs.split(" "),
    error_code: row.error_code,
    error_message: row.error_message,
    credits_used_milli: row.used,
    started_at_ms: row.started_at_ms,
    completed_at_ms: row.completed_at_ms,
    ...(row.outputs !== undefined && { outputs: row.outputs }),
  };
}

/** Lists of the elements, which are JSON, each of about `chars` characters at most, or of one element. */
export function* jsonLists(elements: readonly string[], chars: number): Iterable<string> {
  for (let from = 0; from < elements.length;) {
    let length = elements[from]?.length ?? 0;
    let to = from + 1;
    for (; to < elements.length && length <= chars - (elements[to]?.length ?? 0) - 1; to++) {
      length += (elements[to]?.length ?? 0) + 1;
    }
    yield `[${elements.slice(from, to).join(",")}]`;
    from = to;
  }
}
