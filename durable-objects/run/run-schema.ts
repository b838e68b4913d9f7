import { type DatabaseSchema, schemaMark } from "../shared/migrations.ts";

/** See `shared/migrations.ts` for how these tables are changed. */
export const RUN_SCHEMA: DatabaseSchema = {
  object: "run",
  firstTable: "fact",
  migrations: [
    // 2: what an element was charged.
    (sql) => {
      sql.exec("ALTER TABLE cell ADD COLUMN extra TEXT");
    },
  ],
};

/** Tables of a run object. `IF NOT EXISTS`, so a table is made when it is first needed. */

/** The fact that the transaction which ends a run writes: the id of its event (decisions §10). */
export const OUTBOX_FACT = "outbox";

/** When the retention of what the run has made was over. */
export const EXPIRED_FACT = "outputs_expired_at";

/**
 * Every run has these: single facts by name (the log among them, see RunLog), and the settled
 * elements of its nodes, with attempts and milliseconds where the runner ran them, and as `extra`
 * what they were charged.
 */
export const CORE_TABLES = `
  CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS cell (
    node INTEGER NOT NULL, ord INTEGER NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    attempts INTEGER, ms INTEGER, extra TEXT,
    PRIMARY KEY (node, ord) ${schemaMark(2)}
  ) WITHOUT ROWID;`;

/** Only runs that iterate or use the runner have these: a new table costs every new object time. */
export const WIDE_TABLES = `
  CREATE TABLE IF NOT EXISTS axis_row (
    axis INTEGER NOT NULL, parent INTEGER NOT NULL, status INTEGER NOT NULL, count INTEGER NOT NULL,
    failure TEXT, PRIMARY KEY (axis, parent)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS skipped (
    node INTEGER PRIMARY KEY, skipped INTEGER NOT NULL, total INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS task (
    id INTEGER PRIMARY KEY, node INTEGER NOT NULL, ord INTEGER NOT NULL,
    status TEXT NOT NULL, chunk INTEGER, attempt INTEGER NOT NULL DEFAULT 0,
    fence INTEGER NOT NULL DEFAULT 0, boot TEXT, due_at INTEGER, outcome TEXT,
    ms INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS task_by_status ON task (status, id);`;
