/**
 * What the databases of both shards know of a move. Each function is one transaction on one of them, or several that can be
 * repeated from the start; none depends on the memory of its caller.
 */
import { MOVED_TABLES, type MovedTable } from "../../../contracts/workspaces/moved-tables.ts";
import {
  deleteStatement,
  readKeysStatement,
  readStatement,
  type Row,
  type RowKey,
  type TableKeys,
  type TableRows,
  writeStatements,
} from "./moved-rows.ts";
import { triggerStatements } from "./move-triggers.ts";

/** What a database is to an organization that moves; null if it does not move there. */
export type MoveState = "copying" | "fenced" | "moved" | "arriving" | null;

/** The clock of the database, in milliseconds. */
const NOW = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
/** Entries of the log that are replayed at once. */
export const LOGGED_AT_ONCE = 500;

export interface LoggedChanges {
  /** The number of entries, and the last of them; null if there is none. */
  readonly entries: number;
  readonly last: number | null;
  readonly changes: readonly TableRows[];
}

export interface LoggedKeys extends Omit<LoggedChanges, "changes"> {
  readonly keys: readonly TableKeys[];
}

export async function stateAt(db: D1Database, organizationId: string): Promise<MoveState> {
  return await db
    .prepare("SELECT state FROM organization_moves WHERE organization_id = ?")
    .bind(organizationId)
    .first<MoveState>("state");
}

/** Puts the triggers on a database and notes what it is to the organization. The log is emptied. */
export async function openAt(
  db: D1Database,
  organizationId: string,
  state: "copying" | "arriving",
): Promise<void> {
  await db.batch([
    ...triggerStatements().map((statement) => db.prepare(statement)),
    ...forgetLog(db, organizationId),
    setState(db, organizationId, state),
  ]);
}

/** Copies the plans of the directory that the shard does not have: rows refer to them. */
export async function copyPlans(directory: D1Database, db: D1Database): Promise<void> {
  const { results } = await directory.prepare("SELECT * FROM plans").all<Row>();
  await db.batch(
    results.map(({ code, name, limits, updated_at_ms }) =>
      db
        .prepare(
          `INSERT INTO plans (code, name, limits, updated_at_ms) VALUES (?, ?, ?, ?)
           ON CONFLICT (code) DO UPDATE SET name = excluded.name, limits = excluded.limits, updated_at_ms = excluded.updated_at_ms
           WHERE excluded.updated_at_ms > plans.updated_at_ms`,
        )
        .bind(code, name, limits, updated_at_ms),
    ),
  );
}

/**
 * Enters an organization and its keys in the directory, where they are missing: nobody finds them by it while they are on shard
 * 0, and then nobody would.
 */
export async function enterInDirectory(
  directory: D1Database,
  from: D1Database,
  organizationId: string,
  shard: number,
): Promise<void> {
  const { results } = await from
    .prepare("SELECT id FROM api_keys WHERE organization_id = ?")
    .bind(organizationId)
    .all<{ id: string }>();
  await directory.batch([
    directory
      .prepare(
        "INSERT INTO organization_homes (organization_id, shard) VALUES (?, ?) ON CONFLICT DO NOTHING",
      )
      .bind(organizationId, shard),
    directory
      .prepare(
        `INSERT INTO key_organizations (key_id, organization_id)
         SELECT value, ?1 FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING`,
      )
      .bind(organizationId, JSON.stringify(results.map(({ id }) => id))),
  ]);
}

/** Deletes all rows of an organization, which is not at home there, in several transactions. */
export async function clearRows(
  db: D1Database,
  organizationId: string,
  state: "moved" | "arriving",
): Promise<void> {
  for (const table of MOVED_TABLES.toReversed()) {
    for (let isDone = false; !isDone;) {
      const [, deleted] = await db.batch([
        setState(db, organizationId, "loading"),
        deleteStatement(db, organizationId, table),
        setState(db, organizationId, state),
      ]);
      isDone = (deleted?.meta.changes ?? 0) === 0;
    }
  }
}

/** Ends a move on a database: it is an organization's home without any doubt, or has nothing of it. */
export async function closeAt(db: D1Database, organizationId: string): Promise<void> {
  await db.batch([
    db.prepare("DELETE FROM organization_moves WHERE organization_id = ?").bind(organizationId),
    ...forgetLog(db, organizationId),
  ]);
}

/** The rows of a table after a position. With `isCopy`, without those that must wait for the replay. */
export async function readRows(
  db: D1Database,
  organizationId: string,
  table: MovedTable,
  page: { after: RowKey | null; limit: number; isCopy: boolean },
): Promise<readonly Row[]> {
  return (await readStatement(db, organizationId, table, page).all<Row>()).results;
}

/** The first rows of each of the tables, by one request. */
export async function readFirstRows(
  db: D1Database,
  organizationId: string,
  tables: readonly MovedTable[],
  limitOf: (table: MovedTable) => number,
): Promise<(readonly Row[])[]> {
  if (tables.length === 0) {
    return [];
  }
  const results = await db.batch<Row>(
    tables.map((table) =>
      readStatement(db, organizationId, table, {
        after: null,
        limit: limitOf(table),
        isCopy: false,
      }),
    ),
  );
  return results.map(({ results: rows }) => rows);
}

/** Writes rows to the shard that an organization goes to. */
export async function loadRows(
  db: D1Database,
  organizationId: string,
  changes: readonly TableRows[],
): Promise<void> {
  await db.batch([
    setState(db, organizationId, "loading"),
    ...writeStatements(db, changes),
    setState(db, organizationId, "arriving"),
  ]);
}

/** The next rows that were written at the home, as they are now, in the order of their tables. */
export async function readLogged(
  db: D1Database,
  organizationId: string,
  after: number,
): Promise<LoggedChanges> {
  const page = { after, limit: LOGGED_AT_ONCE };
  const { entries, last, keys } = await readLoggedKeys(db, organizationId, page);
  const read = await readKeys(db, keys);
  return {
    entries,
    last,
    changes: keys.map(({ table, keys: own }, index) => {
      const rows = read[index] ?? [];
      const found = new Set(rows.map((row) => JSON.stringify(table.key.map((name) => row[name]))));
      return { table, rows, gone: own.filter((key) => !found.has(JSON.stringify(key))) };
    }),
  };
}

/** The names of the next rows that were written at the home, each once, in the order of their tables. */
export async function readLoggedKeys(
  db: D1Database,
  organizationId: string,
  {
    after,
    upTo,
    limit,
  }: { readonly after: number; readonly upTo?: number; readonly limit: number },
): Promise<LoggedKeys> {
  const { results } = await db
    .prepare(
      `SELECT id, table_name, row_key FROM organization_move_log WHERE organization_id = ? AND id > ? AND id <= ?
       ORDER BY id LIMIT ?`,
    )
    .bind(organizationId, after, upTo ?? Number.MAX_SAFE_INTEGER, limit)
    .all<{ id: number; table_name: string; row_key: string }>();
  return {
    entries: results.length,
    last: results.at(-1)?.id ?? null,
    keys: MOVED_TABLES.flatMap((table) => {
      const own = results.filter(({ table_name: name }) => name === table.name);
      const texts = [...new Set(own.map((row) => row.row_key))];
      return texts.length === 0 ? [] : [{ table, keys: texts.map(parseKey) }];
    }),
  };
}

/** The rows with these names, those of each table in its order. */
export async function readKeys(
  db: D1Database,
  named: readonly TableKeys[],
): Promise<(readonly Row[])[]> {
  if (named.length === 0) {
    return [];
  }
  const results = await db.batch<Row>(
    named.map(({ table, keys }) => readKeysStatement(db, table, keys)),
  );
  return results.map(({ results: rows }) => rows);
}

/** How many of these rows have an entry in the home's log beyond another entry. */
export async function countLogged(
  db: D1Database,
  organizationId: string,
  { table, keys }: TableKeys,
  after: number,
): Promise<number> {
  const key = table.key.map((_column, index) => `json_extract(value, '$[${String(index)}]')`);
  const count = await db
    .prepare(
      `SELECT count(DISTINCT row_key) AS n FROM organization_move_log
       WHERE organization_id = ?1 AND id > ?2 AND table_name = ?3
         AND row_key IN (SELECT json_array(${key.join(", ")}) FROM json_each(?4))`,
    )
    .bind(organizationId, after, table.name, JSON.stringify(keys))
    .first<number>("n");
  return count ?? 0;
}

const parseKey = (text: string) => JSON.parse(text) as RowKey;

/** From now on the home refuses writes, for as long as this at most. Writes end the fence by themselves when it is over. */
export async function fence(db: D1Database, organizationId: string, forMs: number): Promise<void> {
  await db
    .prepare(
      `UPDATE organization_moves SET state = 'fenced', fenced_until_ms = ${NOW} + ?2
       WHERE organization_id = ?1 AND state = 'copying'`,
    )
    .bind(organizationId, forMs)
    .run();
}

/** Ends a fence: the home takes writes again, and logs them. */
export async function liftFence(db: D1Database, organizationId: string): Promise<void> {
  await db
    .prepare(
      "UPDATE organization_moves SET state = 'copying' WHERE organization_id = ? AND state = 'fenced'",
    )
    .bind(organizationId)
    .run();
}

/**
 * Gives the organization away, if the fence has held until now: the home never takes a write of it again. Returns whether it
 * did.
 */
export async function giveAway(db: D1Database, organizationId: string): Promise<boolean> {
  const given = await db
    .prepare(
      `UPDATE organization_moves SET state = 'moved'
       WHERE organization_id = ? AND state = 'fenced' AND fenced_until_ms > ${NOW} RETURNING state`,
    )
    .bind(organizationId)
    .first();
  return given !== null;
}

/** Enters the new home in the directory. */
export async function setHome(
  directory: D1Database,
  organizationId: string,
  shard: number,
): Promise<void> {
  await directory
    .prepare(
      `INSERT INTO organization_homes (organization_id, shard) VALUES (?1, ?2)
       ON CONFLICT (organization_id) DO UPDATE SET shard = excluded.shard WHERE shard <> excluded.shard`,
    )
    .bind(organizationId, shard)
    .run();
}

function setState(db: D1Database, organizationId: string, state: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO organization_moves (organization_id, state) VALUES (?1, ?2)
       ON CONFLICT (organization_id) DO UPDATE SET state = excluded.state, fenced_until_ms = 0`,
    )
    .bind(organizationId, state);
}

function forgetLog(db: D1Database, organizationId: string): D1PreparedStatement[] {
  return [
    db.prepare("DELETE FROM organization_move_log WHERE organization_id = ?").bind(organizationId),
  ];
}
