import { schemaMark } from "../shared/migrations.ts";

/** Everything of a run, by key: a table costs a new object as much as two rows. */
export const PART_TABLE = `CREATE TABLE part (k TEXT PRIMARY KEY, v TEXT NOT NULL ${schemaMark(3)}) WITHOUT ROWID`;
