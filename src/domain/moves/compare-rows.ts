import { MOVED_TABLES, type MovedTable } from "../../contracts/workspaces/moved-tables.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { countRows, pageOf, positionOf, type Row } from "../../storage/d1/moves/moved-rows.ts";
import { readFirstRows, readRows } from "../../storage/d1/moves/move-store.ts";

/** The rows of a table on one shard: their number, and a digest over all of them in order. */
export interface TableDigest {
  readonly rows: number;
  readonly digest: string;
}

/** Long reads are fewer, and these happen while writes wait. */
const PAGES_AT_ONCE = 4;

const limitOf = (table: MovedTable) => PAGES_AT_ONCE * pageOf(table);

/**
 * The digest of rows after those of an earlier one. Where a row is in lists (`seq`) counts by the order of the rows alone:
 * every shard has its own.
 */
export async function digestRows(before: TableDigest, rows: readonly Row[]): Promise<TableDigest> {
  const texts = rows.map((row) =>
    JSON.stringify(
      Object.keys(row)
        .filter((column) => column !== "seq")
        .toSorted()
        .map((column) => [column, row[column]]),
    ),
  );
  return {
    rows: before.rows + rows.length,
    digest:
      rows.length === 0 ? before.digest : await sha256Hex(`${before.digest}\n${texts.join("\n")}`),
  };
}

/** The names of the tables of which all rows are equal on two shards. Reads each row once, however long that takes. */
export async function equalTables(
  organizationId: string,
  from: D1Database,
  to: D1Database,
): Promise<ReadonlySet<string>> {
  const [ours, theirs] = await Promise.all([
    digestsOf(from, organizationId, MOVED_TABLES),
    digestsOf(to, organizationId, MOVED_TABLES),
  ]);
  const equal = MOVED_TABLES.filter(({ name }) => isSame(ours.get(name), theirs.get(name)));
  return new Set(equal.map(({ name }) => name));
}

/**
 * Says how the rows of two shards differ; undefined if all are equal. Of tables that were equal before, and of which no row
 * was written since, only the numbers of rows are compared again.
 */
export async function differenceOf(
  organizationId: string,
  from: D1Database,
  to: D1Database,
  settled: ReadonlySet<string>,
): Promise<string | undefined> {
  const counted = MOVED_TABLES.filter(({ name }) => settled.has(name));
  const others = MOVED_TABLES.filter(({ name }) => !settled.has(name));
  const [ours, theirs, own, other] = await Promise.all([
    digestsOf(from, organizationId, others),
    digestsOf(to, organizationId, others),
    countRows(from, organizationId, counted),
    countRows(to, organizationId, counted),
  ]);
  for (const [index, { name }] of counted.entries()) {
    if (own[index] !== other[index]) {
      return numbersDiffer(name, own[index], other[index]);
    }
  }
  for (const { name } of others) {
    const [one, two] = [ours.get(name), theirs.get(name)];
    if (one?.rows !== two?.rows) {
      return numbersDiffer(name, one?.rows, two?.rows);
    }
    if (!isSame(one, two)) {
      return `A row of ${name} differs between the shards.`;
    }
  }
  return undefined;
}

function numbersDiffer(name: string, own: number | undefined, other: number | undefined): string {
  return `${name} has ${String(own)} rows on one shard and ${String(other)} on the other.`;
}

function isSame(one: TableDigest | undefined, other: TableDigest | undefined): boolean {
  return one !== undefined && one.rows === other?.rows && one.digest === other.digest;
}

/** The digests of tables, by name. */
async function digestsOf(
  db: D1Database,
  organizationId: string,
  tables: readonly MovedTable[],
): Promise<Map<string, TableDigest>> {
  const first = await readFirstRows(db, organizationId, tables, limitOf);
  const digests = new Map<string, TableDigest>();
  for (const [index, table] of tables.entries()) {
    let rows = first[index] ?? [];
    let digest = await digestRows({ rows: 0, digest: table.name }, rows);
    while (rows.length === limitOf(table)) {
      const last = rows.at(-1);
      const after = last === undefined ? null : positionOf(table, last);
      const page = { after, limit: limitOf(table), isCopy: false };
      rows = await readRows(db, organizationId, table, page);
      digest = await digestRows(digest, rows);
    }
    digests.set(table.name, digest);
  }
  return digests;
}
