/**
 * Numbered migrations of the database inside an object: one list an object, run once when it wakes.
 *
 * How to change an object's tables:
 * 1. Write the tables as they are from now on in the object's `*-schema.ts`. One of the new
 *    `CREATE TABLE` statements carries `${schemaMark(n)}` inside its parentheses, which is how a
 *    database that is made new says its version without writing a row more.
 *    A column that `ALTER TABLE` adds can carry it too: the highest mark counts.
 * 2. Append one entry to `migrations` of that schema: it turns a database of version n - 1 into one
 *    of version n. It is synchronous and runs in one transaction with all others that are due; what
 *    is cut off is rolled back and repeated at the next wake. The mark of a migrated database is
 *    written here, in the same transaction.
 * 3. Keep a dump of a database of the version before in `test/golden/databases/`, which tests open.
 * An entry is never changed once it has landed.
 *
 * The version lies in the schema's text, since `PRAGMA user_version` is not allowed in Durable
 * Objects, and a table or a row of its own would cost each new run more than the run itself. A
 * database with tables and without a mark has version 1.
 */
import { createLogger } from "../../src/platform/logger.ts";

export type ObjectDatabase = Pick<DurableObjectStorage, "sql" | "transactionSync">;

export interface DatabaseSchema {
  /** Names the object in logs and errors, `run`. */
  readonly object: string;
  /** Exists once the object has stored anything, in every version before the first mark. */
  readonly firstTable: string;
  /**
   * The version whose migration drops `firstTable`, before any other. If that table exists beside one that has this
   * version's mark, half a migration was stored: its tables are dropped, and it runs again. Omitted if the table stays.
   */
  readonly goneIn?: number;
  /** Entry 0 turns version 1 into version 2, entry 1 version 2 into version 3, and so on. */
  readonly migrations: readonly ((sql: SqlStorage) => void)[];
}

export interface OpenedDatabase {
  /** 0 for a database without tables; else the newest version. */
  readonly version: number;
  readonly tables: ReadonlySet<string>;
}

interface ReadDatabase extends OpenedDatabase {
  /** Tables of half a migration. */
  readonly halfMade: readonly { readonly type: string; readonly name: string }[];
}

/** The database was written by newer code. Nothing in it was changed. */
export class FutureDatabaseError extends Error {
  override readonly name = "FutureDatabaseError";
}

const MARKS = /\/\* schema (\d+) \*\//g;
const MARK_VIEW = "schema_version";

/** Interval at which an object that cannot open its database tries again. */
const FUTURE_RETRY_MS = 60_000;

/** Part of a CREATE TABLE statement that records the database's version. */
export function schemaMark(version: number): string {
  return `/* schema ${String(version)} */`;
}

/**
 * Migrates the database of an object that has just woken to the newest version. Throws FutureDatabaseError for an
 * unknown version, after rearming the object's alarm: the platform drops an alarm after six failures, and a deploy that
 * is rolled back must not lose it. A failing migration rethrows its error, and keeps the alarm too.
 */
export function openDatabase(
  storage: ObjectDatabase & Partial<Pick<DurableObjectStorage, "setAlarm">>,
  schema: DatabaseSchema,
): OpenedDatabase {
  const opened = readDatabase(storage.sql, schema);
  const newest = schema.migrations.length + 1;
  if (opened.version === 0 || opened.version === newest) {
    return opened;
  }
  const log = createLogger({ service: "edgeloom", object: schema.object });
  if (opened.halfMade.length > 0) {
    log.error("database.half_migrated", { made: opened.halfMade.map(({ name }) => name) });
  }
  const versions = { database_version: opened.version, code_version: newest };
  if (opened.version > newest) {
    log.error("database.future_version", versions);
    void storage.setAlarm?.(Date.now() + FUTURE_RETRY_MS);
    throw new FutureDatabaseError(
      `The database of this ${schema.object} object has version ${String(opened.version)}; this code knows versions up to ${String(newest)}. Deploy the newer code again.`,
    );
  }
  try {
    storage.transactionSync(() => {
      for (const { type, name } of opened.halfMade) {
        storage.sql.exec(`DROP ${type} "${name}"`);
      }
      for (const migrate of schema.migrations.slice(opened.version - 1)) {
        migrate(storage.sql);
      }
      storage.sql.exec(`DROP VIEW IF EXISTS ${MARK_VIEW}`);
      storage.sql.exec(
        `CREATE VIEW ${MARK_VIEW} AS SELECT ${schemaMark(newest)} ${String(newest)}`,
      );
    });
  } catch (error) {
    log.error("database.migration_failed", versions);
    void storage.setAlarm?.(Date.now() + FUTURE_RETRY_MS);
    throw error;
  }
  log.info("database.migrated", versions);
  return readDatabase(storage.sql, schema);
}

/** Returns the highest version that the text of a table or view names; 0 without a mark. */
function highestMark(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(MARKS), ([, version]) => Number(version)));
}

function readDatabase(sql: SqlStorage, schema: DatabaseSchema): ReadDatabase {
  const entries = sql
    .exec<{ type: string; name: string; sql: string | null }>(
      "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view')",
    )
    .toArray()
    .map((entry) => ({ ...entry, mark: highestMark(entry.sql ?? "") }));
  const tables = new Set(entries.filter(({ type }) => type === "table").map(({ name }) => name));
  const isHalf = (mark: number) =>
    schema.goneIn !== undefined &&
    mark >= schema.goneIn &&
    mark <= schema.migrations.length + 1 &&
    tables.has(schema.firstTable);
  const halfMade = entries.filter(({ mark }) => isHalf(mark));
  const marked = Math.max(0, ...entries.map(({ mark }) => (isHalf(mark) ? 0 : mark)));
  return {
    version: marked > 0 ? marked : tables.has(schema.firstTable) ? 1 : 0,
    tables,
    halfMade,
  };
}
