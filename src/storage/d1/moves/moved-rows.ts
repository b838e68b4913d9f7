/** SQL that reads, writes and deletes the rows of an organization on one shard, for its move. */
import { MOVED_TABLES, type MovedTable } from "../../../contracts/workspaces/moved-tables.ts";

export type Row = Readonly<Record<string, string | number | null>>;
export type RowKey = readonly (string | number)[];

/** Rows of a table, and names of rows that are gone. */
export interface TableRows {
  readonly table: MovedTable;
  readonly rows: readonly Row[];
  readonly gone?: readonly RowKey[];
}

/** Names of rows of a table. */
export interface TableKeys {
  readonly table: MovedTable;
  readonly keys: readonly RowKey[];
}

const PAGE = 500;
const DELETED_AT_ONCE = 500;
/** JSON of this many characters is one value of a statement. */
const JSON_CHARS_MAX = 400_000;

/** SQL condition: the rows of organization ?1. */
function isOurs({ name, organization, workspace = "workspace_id", hasMore }: MovedTable): string {
  if (organization !== undefined) {
    return `t.${organization} = ?1`;
  }
  // "!" is the character after the space: an index finds the values that begin with an id.
  const ours =
    hasMore === true
      ? `SELECT o.${workspace} FROM workspaces w JOIN ${name} o
           ON o.${workspace} >= w.id AND o.${workspace} < w.id || '!' WHERE w.organization_id = ?1`
      : "SELECT id FROM workspaces WHERE organization_id = ?1";
  return `t.${workspace} IN (${ours})`;
}

const quoted = (columns: readonly string[], prefix = "") =>
  columns.map((column) => `${prefix}"${column}"`).join(", ");

/** The columns that order a table: its `seq`, or its key. */
function orderOf({ hasSeq, key }: MovedTable): readonly string[] {
  return hasSeq === true ? ["seq"] : key;
}

/** The number of rows of one read. */
export function pageOf({ page = PAGE }: MovedTable): number {
  return page;
}

/** Where a row is in its table. */
export function positionOf(table: MovedTable, row: Row): RowKey {
  return orderOf(table).map((column) => row[column] ?? "");
}

/** The statement that reads the rows after a position, in order. With `isCopy`, without rows that the replay must bring. */
export function readStatement(
  db: D1Database,
  organizationId: string,
  table: MovedTable,
  { after, limit, isCopy }: { after: RowKey | null; limit: number; isCopy: boolean },
): D1PreparedStatement {
  const order = orderOf(table);
  const position = order.map((_column, index) => `?${String(index + 3)}`).join(", ");
  const isAfter = after === null ? "" : `AND (${quoted(order, "t.")}) > (${position})`;
  const key = `json_array(${quoted(table.key, "t.")})`;
  const isUnlogged =
    isCopy && table.refers === true
      ? `AND NOT EXISTS (SELECT 1 FROM organization_move_log WHERE organization_id = ?1
           AND table_name = '${table.name}' AND row_key = ${key})`
      : "";
  return db
    .prepare(
      `SELECT t.* FROM ${table.name} t WHERE ${isOurs(table)} ${isAfter} ${isUnlogged}
       ORDER BY ${quoted(order, "t.")} LIMIT ?2`,
    )
    .bind(organizationId, limit, ...(after ?? []));
}

/** The numbers of an organization's rows, by table. */
export async function countRows(db: D1Database, organizationId: string): Promise<number[]> {
  const results = await db.batch<{ n: number }>(
    MOVED_TABLES.map((table) =>
      db
        .prepare(`SELECT count(*) AS n FROM ${table.name} t WHERE ${isOurs(table)}`)
        .bind(organizationId),
    ),
  );
  return results.map(({ results: [row] }) => row?.n ?? 0);
}

/** The statement that reads rows by their keys, a JSON list of lists. */
export function readKeysStatement(
  db: D1Database,
  table: MovedTable,
  keys: readonly RowKey[],
): D1PreparedStatement {
  const isKey = table.key
    .map((column, index) => `t."${column}" = json_extract(k.value, '$[${String(index)}]')`)
    .join(" AND ");
  return db
    .prepare(
      `SELECT t.* FROM json_each(?1) k CROSS JOIN ${table.name} t ON ${isKey} ORDER BY ${quoted(orderOf(table), "t.")}`,
    )
    .bind(JSON.stringify(keys));
}

/** The statements that write rows over those of the same key, and delete others. They can be repeated. */
export function writeStatements(
  db: D1Database,
  changes: readonly TableRows[],
): D1PreparedStatement[] {
  const deletes = changes.toReversed().flatMap(({ table, gone = [] }) => {
    const key = table.key.map((_column, index) => `json_extract(value, '$[${String(index)}]')`);
    return gone.length === 0
      ? []
      : [
          db
            .prepare(
              `DELETE FROM ${table.name} WHERE (${quoted(table.key)}) IN (SELECT ${key.join(", ")} FROM json_each(?1))`,
            )
            .bind(JSON.stringify(gone)),
        ];
  });
  return [...deletes, ...changes.flatMap(({ table, rows }) => upserts(db, table, rows))];
}

function upserts(db: D1Database, table: MovedTable, rows: readonly Row[]): D1PreparedStatement[] {
  const [first] = rows;
  if (first === undefined) {
    return [];
  }
  const columns = Object.keys(first).filter((column) => table.hasSeq !== true || column !== "seq");
  const others = columns.filter((column) => !table.key.includes(column));
  const into = `INTO ${table.name} (${quoted(columns)})`;
  // With a `seq`, the row must keep its own. Without, REPLACE also removes a row that has lost a unique value since: that
  // row was logged and is written again.
  const [insert, orUpdate] =
    table.hasSeq === true
      ? [
          `INSERT ${into}`,
          `ON CONFLICT (${quoted(table.key)}) DO UPDATE SET ${others.map((column) => `"${column}" = excluded."${column}"`).join(", ")}`,
        ]
      : [`INSERT OR REPLACE ${into}`, ""];
  const values = columns.map((column) => `json_extract(value, '$."${column}"')`).join(", ");
  return chunksOf(rows).map((chunk) => {
    const [only] = chunk;
    return chunk.length === 1 && only !== undefined
      ? db
          .prepare(
            `${insert} VALUES (${columns.map((_column, index) => `?${String(index + 1)}`).join(", ")}) ${orUpdate}`,
          )
          .bind(...columns.map((column) => only[column] ?? null))
      : db
          .prepare(`${insert} SELECT ${values} FROM json_each(?1) WHERE true ${orUpdate}`)
          .bind(JSON.stringify(chunk));
  });
}

/** Rows whose JSON is short enough for one value; a longer row is alone. */
function chunksOf(rows: readonly Row[]): Row[][] {
  const chunks: Row[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const length = JSON.stringify(row).length;
    if (chars + length > JSON_CHARS_MAX) {
      chunks.push([]);
      chars = 0;
    }
    chunks.at(-1)?.push(row);
    chars += length;
  }
  return chunks;
}

/** The statement that deletes some rows of a table. */
export function deleteStatement(
  db: D1Database,
  organizationId: string,
  table: MovedTable,
): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM ${table.name} WHERE (${quoted(table.key)}) IN
         (SELECT ${quoted(table.key, "t.")} FROM ${table.name} t WHERE ${isOurs(table)} LIMIT ${String(DELETED_AT_ONCE)})`,
    )
    .bind(organizationId);
}
