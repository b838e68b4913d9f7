import { type DatabaseSchema, schemaMark } from "../shared/migrations.ts";
import { NAMED_VALUES_TABLE } from "../shared/named-values.ts";

/** `shared/migrations.ts` describes how to change these tables. */
export const EXPORT_SCHEMA: DatabaseSchema = {
  object: "batch-export",
  firstTable: "piece",
  migrations: [],
};

/**
 * Tables of the export of a batch in one format. `file` are its files, of which the last is being written until all are
 * complete; `piece` are the bytes of that file that are not in the store yet, of one size but for the last; `part` are
 * the parts that are; `entry` is the directory of its archive.
 */
export const EXPORT_TABLES = `
  ${NAMED_VALUES_TABLE}
  CREATE TABLE IF NOT EXISTS file (
    part_index INTEGER PRIMARY KEY, key TEXT NOT NULL, size INTEGER NOT NULL DEFAULT 0,
    upload_id TEXT, is_done INTEGER NOT NULL DEFAULT 0 ${schemaMark(1)}
  ) STRICT;
  CREATE TABLE IF NOT EXISTS piece (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS part (number INTEGER PRIMARY KEY, etag TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS entry (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;`;
