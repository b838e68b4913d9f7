import type { DatabaseSchema } from "../shared/migrations.ts";
import { NAMED_VALUES_TABLE } from "../shared/named-values.ts";

/** `shared/migrations.ts` describes how to change these tables. */
export const ZIP_SCHEMA: DatabaseSchema = {
  object: "zip-export",
  firstTable: "archive",
  migrations: [],
};

/** Tables of the object that owns a run's export. */
export const ZIP_TABLES = `
  ${NAMED_VALUES_TABLE}
  CREATE TABLE IF NOT EXISTS archive (
    zip_id INTEGER PRIMARY KEY, key TEXT NOT NULL, size INTEGER NOT NULL, files INTEGER NOT NULL,
    upload_id TEXT, sent INTEGER NOT NULL, is_done INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS entry (
    seq INTEGER PRIMARY KEY, zip_id INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,
    key TEXT, node INTEGER NOT NULL, ord INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS part (
    zip_id INTEGER NOT NULL, number INTEGER NOT NULL, etag TEXT NOT NULL, PRIMARY KEY (zip_id, number)
  ) WITHOUT ROWID;`;
