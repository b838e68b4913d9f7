import { MOVED_TABLES, type MovedTable } from "../../contracts/workspaces/moved-tables.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { pageOf, positionOf, type Row } from "../../storage/d1/moves/moved-rows.ts";
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

/** Says how the rows of two shards differ; undefined if all are equal. Reads each of them once. */
export async function differenceOf(
  organizationId: string,
  from: D1Database,
  to: D1Database,
): Promise<string | undefined> {
  const [ours, theirs] = await Promise.all([
    digestsOf(from, organizationId),
    digestsOf(to, organizationId),
  ]);
  for (const [index, { name }] of MOVED_TABLES.entries()) {
    const [own, other] = [ours[index], theirs[index]];
    if (own?.rows !== other?.rows) {
      return `${name} has ${String(own?.rows)} rows on one shard and ${String(other?.rows)} on the other.`;
    }
    if (own?.digest !== other?.digest) {
      return `A row of ${name} differs between the shards.`;
    }
  }
  return undefined;
}

/** The digests of all tables, in their order. */
async function digestsOf(db: D1Database, organizationId: string): Promise<TableDigest[]> {
  const first = await readFirstRows(db, organizationId, limitOf);
  const digests: TableDigest[] = [];
  for (const [index, table] of MOVED_TABLES.entries()) {
    let rows = first[index] ?? [];
    let digest = await digestRows({ rows: 0, digest: table.name }, rows);
    while (rows.length === limitOf(table)) {
      const last = rows.at(-1);
      const after = last === undefined ? null : positionOf(table, last);
      const page = { after, limit: limitOf(table), isCopy: false };
      rows = await readRows(db, organizationId, table, page);
      digest = await digestRows(digest, rows);
    }
    digests.push(digest);
  }
  return digests;
}
