import { type DatabaseSchema, schemaMark } from "../shared/migrations.ts";

/** `shared/migrations.ts` describes how to change these tables. */
export const CACHE_SCHEMA: DatabaseSchema = {
  object: "cache",
  firstTable: "entry",
  migrations: [],
};

/**
 * Tables of an object of the result cache. A use of an entry changes its row alone, so the outputs have a table of their
 * own. `taker`: runs that have files of an `execution`, until its files are about to be deleted. `part`: in the object
 * that counts for all of a workspace, what each of them last reported.
 */
export const CACHE_TABLES = `
  CREATE TABLE IF NOT EXISTS entry (
    key TEXT PRIMARY KEY, node_type TEXT NOT NULL, workflow TEXT NOT NULL, execution TEXT NOT NULL,
    unread TEXT NOT NULL, objects TEXT NOT NULL, digest TEXT NOT NULL, milli INTEGER NOT NULL,
    bytes INTEGER NOT NULL, stored_bytes INTEGER NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,
    used_ms INTEGER NOT NULL ${schemaMark(1)}
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entry_by_use ON entry (used_ms);
  CREATE INDEX IF NOT EXISTS entry_by_expiry ON entry (expires_ms);
  CREATE INDEX IF NOT EXISTS entry_by_execution ON entry (execution);
  CREATE TABLE IF NOT EXISTS content (key TEXT PRIMARY KEY, outputs TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS taker (
    execution TEXT NOT NULL, run TEXT NOT NULL, released_ms INTEGER, PRIMARY KEY (execution, run)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS month (
    month TEXT PRIMARY KEY, hits INTEGER NOT NULL, misses INTEGER NOT NULL, saved INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS part (
    digit TEXT PRIMARY KEY, bytes INTEGER NOT NULL, oldest_ms INTEGER
  ) STRICT, WITHOUT ROWID;`;
