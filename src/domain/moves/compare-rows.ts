/**
 * Whether two shards have the same rows of an organization that works (docs/decisions/moves.md). Every row is compared once,
 * however long that takes. A row that was written meanwhile is in the home's log, and is compared again: behind the fence only
 * the last of those are left.
 */
import { MOVED_TABLES, type MovedTable } from "../../contracts/workspaces/moved-tables.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import {
  countRows,
  pageOf,
  positionOf,
  type Row,
  type RowKey,
} from "../../storage/d1/moves/moved-rows.ts";
import * as store from "../../storage/d1/moves/move-store.ts";
import type { Comparison } from "./move-record.ts";

/** Two databases with the rows of an organization: its home, and the one that it goes to. */
export interface Pair {
  readonly organization: string;
  readonly from: D1Database;
  readonly to: D1Database;
}

/** A comparison that went on, with the number of entries of the log whose rows were compared, or how rows differ. */
export type Compared =
  | { readonly comparison: Comparison; readonly entries: number }
  | { readonly difference: string };

/** Pages of a table that are compared by one step. */
const PAGES_AT_ONCE = 4;

/** Rows of a table on both shards, each in the order of its own. */
interface TwoSides {
  readonly table: MovedTable;
  readonly keys: readonly RowKey[];
  readonly ours: readonly Row[];
  readonly theirs: readonly Row[];
}

/** A comparison of all rows. What the log has up to an entry must be on both shards. */
export function beginComparison(replayedTo: number): Comparison {
  return { changedSince: replayedTo, table: 0, after: null, places: {} };
}

/** Whether every row was compared once. */
export function hasComparedAll({ table }: Comparison): boolean {
  return table >= MOVED_TABLES.length;
}

/** Compares the next rows: a few pages of a long table, or all of several short ones. */
export async function compareNext(pair: Pair, comparison: Comparison): Promise<Compared> {
  const pages = await nextPages(pair, comparison);
  const ours = pages.filter(({ rows }) => rows.length > 0);
  const named = ours.map(({ table, rows }) => ({ table, keys: rows.map(keyIn(table)) }));
  const theirs = await store.readKeys(pair.to, named);
  const sides = ours.map(({ table, rows }, index) => ({
    table,
    keys: named[index]?.keys ?? [],
    ours: rows,
    theirs: theirs[index] ?? [],
  }));
  const { difference, places } = await compareSides(
    pair,
    sides,
    comparison,
    comparison.changedSince,
  );
  if (difference !== undefined) {
    return { difference };
  }
  const last = pages.at(-1);
  const lastRow = last?.rows.at(-1);
  const hasMore = last !== undefined && last.rows.length === last.limit;
  return {
    entries: 0,
    comparison: {
      ...comparison,
      table: comparison.table + pages.length - (hasMore ? 1 : 0),
      after: hasMore && lastRow !== undefined ? positionOf(last.table, lastRow) : null,
      places,
    },
  };
}

/** Compares rows that were written since they were compared, as far as the log has been replayed. */
export async function compareChanged(
  pair: Pair,
  comparison: Comparison,
  replayedTo: number,
): Promise<Compared> {
  const logged = await store.readLoggedKeys(pair.from, pair.organization, {
    after: comparison.changedSince,
    upTo: replayedTo,
    limit: store.LOGGED_AT_ONCE,
  });
  const { entries, last, keys } = logged;
  if (last === null) {
    return { comparison, entries };
  }
  const [ours, theirs] = await Promise.all([
    store.readKeys(pair.from, keys),
    store.readKeys(pair.to, keys),
  ]);
  const sides = keys.map(({ table, keys: own }, index) => ({
    table,
    keys: own,
    ours: ours[index] ?? [],
    theirs: theirs[index] ?? [],
  }));
  const { difference, places } = await compareSides(pair, sides, comparison, last);
  return difference === undefined
    ? { comparison: { ...comparison, changedSince: last, places }, entries }
    : { difference };
}

/** Says how the numbers of rows differ; undefined if they are equal. With equal rows above, no shard has a row of its own. */
export async function differenceOfCounts({
  organization,
  from,
  to,
}: Pair): Promise<string | undefined> {
  const [ours, theirs] = await Promise.all([
    countRows(from, organization),
    countRows(to, organization),
  ]);
  const index = ours.findIndex((count, at) => count !== theirs[at]);
  const table = MOVED_TABLES[index];
  return table === undefined
    ? undefined
    : `${table.name} has ${String(ours[index])} rows on one shard and ${String(theirs[index])} on the other.`;
}

interface Page {
  readonly table: MovedTable;
  readonly rows: readonly Row[];
  readonly limit: number;
}

/** The next pages of the home: the first of each table up to one that has more, or the next of that one. */
async function nextPages(
  { organization, from }: Pair,
  { table: index, after }: Comparison,
): Promise<readonly Page[]> {
  const tables = MOVED_TABLES.slice(index);
  const [table] = tables;
  if (after !== null && table !== undefined) {
    const limit = PAGES_AT_ONCE * pageOf(table);
    const rows = await store.readRows(from, organization, table, { after, limit, isCopy: false });
    return [{ table, rows, limit }];
  }
  const first = await store.readFirstRows(from, organization, tables, pageOf);
  const pages = tables.map((each, at) => ({
    table: each,
    rows: first[at] ?? [],
    limit: pageOf(each),
  }));
  const full = pages.findIndex(({ rows, limit }) => rows.length === limit);
  return full === -1 ? pages : pages.slice(0, full + 1);
}

/** Compares rows. A difference counts unless the home's log has an entry for the row beyond `since`: it is compared again. */
async function compareSides(
  pair: Pair,
  sides: readonly TwoSides[],
  { places: before }: Comparison,
  since: number,
): Promise<{ readonly difference?: string; readonly places: Comparison["places"] }> {
  const places = { ...before };
  for (const side of sides) {
    const { table } = side;
    const place = before[table.name] ?? [0, 0];
    const { differing, common } = (await areEqual(side, place))
      ? { differing: [], common: side }
      : compareEach(side, place);
    if (table.hasSeq === true) {
      places[table.name] = [lastPlace(common.ours, place[0]), lastPlace(common.theirs, place[1])];
    }
    const isExplained =
      differing.length === 0 ||
      (await store.countLogged(pair.from, pair.organization, { table, keys: differing }, since)) ===
        differing.length;
    if (!isExplained) {
      return { difference: `A row of ${table.name} differs between the shards.`, places };
    }
  }
  return { places };
}

/** By a digest over the rows of each shard in their order, and by which of them came since the last comparison. */
async function areEqual(
  { table, ours, theirs }: TwoSides,
  place: readonly [number, number],
): Promise<boolean> {
  return (
    ours.length === theirs.length &&
    ours.every((row, index) => isNew(row, place[0]) === isNew(theirs[index], place[1])) &&
    (await digestOf(table, ours)) === (await digestOf(table, theirs))
  );
}

/** Returns the rows that differ in a value, are on one shard only, or are at different places in lists. */
function compareEach(
  { table, keys, ours, theirs }: TwoSides,
  place: readonly [number, number],
): {
  readonly differing: readonly RowKey[];
  readonly common: Pick<TwoSides, "ours" | "theirs">;
} {
  const nameOf = (row: Row) => JSON.stringify(keyIn(table)(row));
  const own = new Map(ours.map((row) => [nameOf(row), row]));
  const other = new Map(theirs.map((row) => [nameOf(row), row]));
  const common = {
    ours: ours.filter((row) => other.has(nameOf(row))),
    theirs: theirs.filter((row) => own.has(nameOf(row))),
  };
  const elsewhere = new Set(
    common.ours.flatMap((row, index) => {
      const [name, counterpart] = [nameOf(row), common.theirs[index]];
      return counterpart !== undefined && nameOf(counterpart) === name ? [] : [name];
    }),
  );
  const differing = keys.filter((key) => {
    const name = JSON.stringify(key);
    const [one, two] = [own.get(name), other.get(name)];
    return one === undefined || two === undefined
      ? one !== two
      : textOf(one) !== textOf(two) ||
          isNew(one, place[0]) !== isNew(two, place[1]) ||
          elsewhere.has(name);
  });
  return { differing, common };
}

/**
 * The digest of rows in their order. Their places in lists (`seq`) count by that order alone: every shard has its own.
 */
async function digestOf({ name }: MovedTable, rows: readonly Row[]): Promise<string> {
  return await sha256Hex([name, ...rows.map(textOf)].join("\n"));
}

function textOf(row: Row): string {
  return JSON.stringify(
    Object.keys(row)
      .filter((column) => column !== "seq")
      .toSorted()
      .map((column) => [column, row[column]]),
  );
}

const keyIn = (table: MovedTable) => (row: Row) => table.key.map((column) => row[column] ?? "");

const placeOf = (row: Row | undefined) => Number(row?.["seq"] ?? 0);

/** Whether a row was added behind a place in lists. */
function isNew(row: Row | undefined, place: number): boolean {
  return placeOf(row) > place;
}

function lastPlace(rows: readonly Row[], place: number): number {
  return rows.reduce((last, row) => Math.max(last, placeOf(row)), place);
}
