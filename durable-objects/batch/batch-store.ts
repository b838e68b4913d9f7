import type {
  BatchItemRow,
  BatchMoment,
  BatchRecord,
  BatchVersion,
  ItemStatus,
  StagedItem,
} from "../../src/contracts/batches/batch-object-api.ts";
import type { BatchStatus } from "../../src/contracts/batches/batch-states.ts";
import { type BatchFacts, ITEM, type ItemState } from "../../src/domain/batches/batch-facts.ts";
import { IDEMPOTENCY_KEPT_MS } from "../../src/lib/idempotency-record.ts";
import { openDatabase } from "../shared/migrations.ts";
import { NamedValues } from "../shared/named-values.ts";
import { BATCH_SCHEMA, BATCH_TABLES } from "./batch-schema.ts";
import { ItemInputs, PIECE_CHARS } from "./item-inputs.ts";
import { ITEM_COLUMNS, type ItemColumns, itemOf, jsonLists, statesOf } from "./item-rows.ts";

/** A change of the batch's status, or the end of an attempt, as its events show it. */
export interface BatchMark {
  readonly seq: number;
  readonly event: "status" | "done";
  readonly status: BatchStatus;
  readonly at_ms: number;
}

/** The state of a batch that is one row. */
export interface StoredBatch {
  readonly facts: BatchFacts;
  /** Number of the last event. */
  readonly seq: number;
  readonly marks: readonly BatchMark[];
  /** The status in the workspace's list. */
  readonly listed: BatchStatus | null;
  /** Ends of attempts that webhook endpoints have not heard of. */
  readonly events?: readonly BatchEnd[];
}

/** The end of an attempt, as its event shows it. */
export interface BatchEnd {
  readonly event_id: string;
  readonly moment: BatchMoment;
}

/** What has become of items since the last commit. */
export interface ItemChanges {
  readonly accepted: readonly { readonly index: number; readonly run: string }[];
  readonly ended: readonly {
    readonly index: number;
    readonly state: ItemState;
    readonly used: number;
    readonly code: string | null;
    readonly message: string | null;
    /** Of the item's run, as `BatchItemRow.outputs`. */
    readonly outputs: string | null;
    readonly seq: number;
  }[];
  /** Items that wait again. */
  readonly again: readonly number[];
  /** The largest costs of items that are not those of their rows, in milli-credits. */
  readonly costs: readonly (readonly [index: number, milli: number])[];
}

/** All SQL of a batch's object. */
export class BatchStore {
  readonly #storage: DurableObjectStorage;
  readonly #values: NamedValues;
  readonly inputs: ItemInputs;
  #hasTables: boolean;
  #record: BatchRecord | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#values = new NamedValues(storage.sql);
    this.inputs = new ItemInputs(storage.sql);
    this.#hasTables = openDatabase(storage, BATCH_SCHEMA).version > 0;
    if (this.#hasTables) {
      this.#record = this.#read<BatchRecord>("record");
    }
  }

  /** Undefined while items are staged. */
  get record(): BatchRecord | undefined {
    return this.#record;
  }

  /** What the creation asked for, until the workspace has the batch. */
  get creation(): Creation | undefined {
    return this.#hasTables ? this.#read<Creation>("creation") : undefined;
  }

  /** Items from an index on; from 0 they replace all that were staged before. */
  stage(from: number, items: readonly StagedItem[]): void {
    const { sql } = this.#storage;
    this.#storage.transactionSync(() => {
      if (!this.#hasTables) {
        sql.exec(BATCH_TABLES);
      } else if (from === 0) {
        // The items begin again: what is left of longer inputs, or of more items, must not stay.
        sql.exec("DELETE FROM item");
        sql.exec("DELETE FROM item_piece");
      }
      for (const [offset, item] of items.entries()) {
        const index = from + offset;
        const { input_json: input, error_message: message } = item;
        sql.exec(
          `INSERT OR REPLACE INTO item (idx, state, worst, liability, client_reference, error_code,
             error_message, input) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          index,
          input === null ? ITEM.invalid : ITEM.pending,
          item.worst_milli_credits,
          item.liability_milli_credits,
          item.client_reference,
          input === null ? "validation_error" : null,
          message,
          input === null || input.length > PIECE_CHARS ? null : input,
        );
        if (input !== null && input.length > PIECE_CHARS) {
          this.inputs.putPieces(index, input);
        }
      }
    });
    this.#hasTables = true;
  }

  get stagedCount(): number {
    return this.#hasTables
      ? this.#storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM item").one().n
      : 0;
  }

  create(record: BatchRecord, creation: Creation, stored: StoredBatch): void {
    this.#storage.transactionSync(() => {
      this.#values.put("record", JSON.stringify(record));
      this.#values.put("creation", JSON.stringify(creation));
      this.#values.put("batch", JSON.stringify(stored));
      this.#storage.sql.exec(
        "UPDATE item SET completed_at_ms = ? WHERE state = ?",
        record.created_at_ms,
        ITEM.invalid,
      );
    });
    this.#record = record;
  }

  /** An attempt begins with this version, or if null with that of the creation; must be called within a transaction. */
  attemptWith(version: BatchVersion | null): void {
    const record = this.#record;
    const moved = record === undefined ? undefined : inVersion(record, version);
    if (moved !== record) {
      this.#values.put("record", JSON.stringify(moved));
      this.#record = moved;
    }
  }

  /** The last run of an item; undefined if it has none. */
  lastRun(index: number): string | undefined {
    return this.item(index)?.executions.at(-1);
  }

  /** The workspace has listed the batch. */
  registered(): void {
    this.#values.delete("creation");
  }

  /** Throws if there is no batch. */
  stored(): StoredBatch {
    const stored = this.#read<StoredBatch>("batch");
    if (stored === undefined) {
      throw new Error("There is no batch in this object.");
    }
    return stored;
  }

  /** The state and the largest cost of each item, by index. */
  states(): { states: Uint8Array; worst: Float64Array } {
    // As two texts: thousands of row objects would keep other requests waiting for several times as long.
    const { states, worst } = this.#storage.sql
      .exec<{ states: string | null; worst: string }>(
        `SELECT group_concat(state, '') AS states, json_group_array(worst) AS worst
         FROM (SELECT state, worst FROM item ORDER BY idx)`,
      )
      .one();
    return {
      // Each state is one digit.
      states: Uint8Array.from(states ?? "", Number),
      worst: Float64Array.from(JSON.parse(worst) as number[]),
    };
  }

  /** Items by the number of the event of their end, ascending. */
  endsInOrder(): { seq: number; index: number }[] {
    return this.#storage.sql
      .exec<{ seq: number; index: number }>(
        'SELECT end_seq AS seq, idx AS "index" FROM item WHERE end_seq IS NOT NULL ORDER BY end_seq',
      )
      .toArray();
  }

  commit(stored: StoredBatch, changes: ItemChanges, nowMs: number): void {
    const { accepted, ended, again, costs } = changes;
    const { sql } = this.#storage;
    this.#storage.transactionSync(() => {
      this.#values.put("batch", JSON.stringify(stored));
      if (costs.length > 0) {
        sql.exec(
          `UPDATE item SET worst = one.value ->> 1 FROM json_each(?) AS one
           WHERE idx = one.value ->> 0`,
          JSON.stringify(costs),
        );
      }
      if (accepted.length > 0) {
        sql.exec(
          `UPDATE item SET state = ${String(ITEM.running)}, attempt = ?2, started_at_ms = ?3,
             outputs = NULL, runs = ltrim(runs || ' ' || (one.value ->> 1)) FROM json_each(?1) AS one
           WHERE idx = one.value ->> 0`,
          JSON.stringify(accepted.map(({ index, run }) => [index, run])),
          stored.facts.attempt,
          nowMs,
        );
      }
      const ends = ended.map(({ index, state, used, code, message, seq, outputs }) =>
        JSON.stringify([index, state, used, code, message, seq, outputs]),
      );
      for (const list of jsonLists(ends, PIECE_CHARS)) {
        sql.exec(
          `UPDATE item SET state = one.value ->> 1, used = used + (one.value ->> 2),
             error_code = one.value ->> 3, error_message = one.value ->> 4,
             end_seq = one.value ->> 5, outputs = one.value ->> 6, completed_at_ms = ?2 FROM json_each(?1) AS one
           WHERE idx = one.value ->> 0`,
          list,
          nowMs,
        );
      }
      if (again.length > 0) {
        sql.exec(
          `UPDATE item SET state = ${String(ITEM.pending)}, error_code = NULL, error_message = NULL,
             outputs = NULL, completed_at_ms = NULL, started_at_ms = NULL, end_seq = NULL
           WHERE idx IN (SELECT value FROM json_each(?))`,
          JSON.stringify(again),
        );
      }
    });
  }

  items(filter: {
    readonly limit: number;
    readonly after: number;
    readonly status: ItemStatus | null;
    readonly client_reference: string | null;
    readonly with_outputs?: boolean | undefined;
  }): { rows: BatchItemRow[]; total: number } {
    const { status } = filter;
    const columns = filter.with_outputs === true ? `${ITEM_COLUMNS}, outputs` : ITEM_COLUMNS;
    const states = status === null ? null : JSON.stringify(statesOf(status));
    const where = `(?1 IS NULL OR state IN (SELECT value FROM json_each(?1)))
      AND (?2 IS NULL OR client_reference = ?2)`;
    const { sql } = this.#storage;
    const isFiltered = states !== null || filter.client_reference !== null;
    const total = isFiltered
      ? sql
          .exec<{ n: number }>(
            `SELECT count(*) AS n FROM item WHERE ${where}`,
            states,
            filter.client_reference,
          )
          .one().n
      : (this.#record?.total_items ?? 0);
    const rows = sql
      .exec<ItemColumns>(
        `SELECT ${columns} FROM item WHERE ${where} AND idx > ?3 ORDER BY idx LIMIT ?4`,
        states,
        filter.client_reference,
        filter.after,
        filter.limit,
      )
      .toArray();
    return { rows: rows.map((row) => itemOf(row)), total };
  }

  item(index: number): BatchItemRow | undefined {
    return this.itemsAt([index])[0];
  }

  /** Those of the items that exist, in no order. */
  itemsAt(indices: readonly number[]): BatchItemRow[] {
    return this.#storage.sql
      .exec<ItemColumns>(
        `SELECT ${ITEM_COLUMNS} FROM item WHERE idx IN (SELECT value FROM json_each(?))`,
        JSON.stringify(indices),
      )
      .toArray()
      .map((row) => itemOf(row));
  }

  /** The outputs of the run are not kept any longer, of the item `index` or, if that is not known, of the item that has it. */
  forgetOutputs(run: string, index: number | null): void {
    this.#storage.sql.exec(
      `UPDATE item SET outputs = NULL WHERE outputs IS NOT NULL AND runs LIKE '%' || ?1
         AND idx = coalesce(?2, (SELECT idx FROM item WHERE runs LIKE '%' || ?1))`,
      run,
      index,
    );
  }

  /** The fingerprint of the call that was made with this key; undefined if the key is free. */
  callWith(key: string, nowMs: number): string | undefined {
    const { sql } = this.#storage;
    sql.exec("DELETE FROM call WHERE expires_at_ms <= ?", nowMs);
    return sql
      .exec<{ fingerprint: string }>("SELECT fingerprint FROM call WHERE key = ?", key)
      .toArray()[0]?.fingerprint;
  }

  noteCall(
    idempotency: { readonly key: string; readonly fingerprint: string },
    nowMs: number,
  ): void {
    this.#storage.sql.exec(
      "INSERT INTO call (key, fingerprint, expires_at_ms) VALUES (?, ?, ?)",
      idempotency.key,
      idempotency.fingerprint,
      nowMs + IDEMPOTENCY_KEPT_MS,
    );
  }

  transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  async forget(): Promise<void> {
    this.#record = undefined;
    this.#hasTables = false;
    await this.#storage.deleteAll();
  }

  #read<T>(name: string): T | undefined {
    const text = this.#values.get(name);
    // Written by this class under the same name.
    return typeof text === "string" ? (JSON.parse(text) as T) : undefined;
  }
}

/** The record of a batch whose attempt has this version, or if null that of the creation. */
function inVersion(record: BatchRecord, version: BatchVersion | null): BatchRecord {
  const { bound_version = record.workflow_version, fixed_common = record.common } = record;
  if (version !== null) {
    return { ...record, ...version, bound_version, fixed_common };
  }
  // A batch that an earlier release moved has kept only the common parts of the later version.
  return record.fixed_common === undefined
    ? record
    : { ...record, workflow_version: bound_version, common: fixed_common };
}

export interface Creation {
  readonly starts: boolean;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}
