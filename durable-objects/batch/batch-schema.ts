import { type DatabaseSchema, schemaMark } from "../shared/migrations.ts";
import { NAMED_VALUES_TABLE } from "../shared/named-values.ts";

/** `shared/migrations.ts` describes how to change these tables. */
export const BATCH_SCHEMA: DatabaseSchema = {
  object: "batch",
  firstTable: "item",
  migrations: [
    (sql) => {
      sql.exec("ALTER TABLE item ADD COLUMN outputs TEXT");
    },
  ],
};

/**
 * Tables of a batch's object. `state` is an `ITEM` of the ledger, `end_seq` the number of the event of the item's end,
 * `runs` the ids of its runs, oldest first, `outputs` the short ones of the last of them, while that has them: a
 * `RunExportPage` as JSON. `input` is the last column of a new database, so that other reads skip its pages.
 */
export const BATCH_TABLES = `
  ${NAMED_VALUES_TABLE}
  CREATE TABLE IF NOT EXISTS item (${schemaMark(2)}
    idx INTEGER PRIMARY KEY, state INTEGER NOT NULL, worst INTEGER NOT NULL,
    liability INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0,
    used INTEGER NOT NULL DEFAULT 0, end_seq INTEGER, started_at_ms INTEGER,
    completed_at_ms INTEGER, client_reference TEXT, error_code TEXT, error_message TEXT,
    runs TEXT NOT NULL DEFAULT '', outputs TEXT, input TEXT
  ) STRICT;
  CREATE TABLE IF NOT EXISTS item_piece (
    idx INTEGER NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (idx, n)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS call (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`;
