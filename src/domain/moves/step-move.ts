/**
 * The steps of a move (docs/decisions/moves.md). Each can be repeated from its start: what it finds in the databases, and
 * not what its caller remembers, says what is left to do.
 */
import { MOVED_TABLES } from "../../contracts/workspaces/moved-tables.ts";
import { databaseAt, type Databases, directoryOf } from "../../storage/d1/databases.ts";
import { countRows, pageOf, positionOf } from "../../storage/d1/moves/moved-rows.ts";
import * as store from "../../storage/d1/moves/move-store.ts";
import {
  beginComparison,
  compareChanged,
  compareNext,
  differenceOfCounts,
  hasComparedAll,
} from "./compare-rows.ts";
import {
  afterFence,
  afterPage,
  canFail,
  type Comparison,
  failing,
  type MoveRecord,
  namesOf,
} from "./move-record.ts";

/** The home refuses writes for this long at most; a write waits for no longer than this and the hand-over. */
const FENCE_MS = 900;
/** Entries of the log that may be left to replay, and to compare, when the fence is raised: one request each. */
const FENCED_ENTRIES_MAX = 200;
/** Between two fences: writes that waited for the first must not wait for the next. */
export const BETWEEN_FENCES_MS = 3_000;

interface Shards {
  readonly directory: D1Database;
  readonly from: D1Database;
  readonly to: D1Database;
}

/**
 * Takes the next step and returns the record to keep. `keep` keeps an earlier one: it is called before anything is done that
 * a later instance must know of.
 */
export async function stepMove(
  env: Databases,
  record: MoveRecord,
  keep: (record: MoveRecord) => void,
  nowMs: () => number,
): Promise<MoveRecord> {
  const shards = {
    directory: directoryOf(env),
    from: databaseAt(env, record.from),
    to: databaseAt(env, record.to),
  };
  if (record.tables !== namesOf(MOVED_TABLES) && canFail(record)) {
    return failing(record, "Another release was deployed while rows were copied. Move it again.");
  }
  switch (record.phase) {
    case "opening":
      return await open(shards, record);
    case "copying":
      return await copyPage(shards, record);
    case "catching_up":
      return await catchUp(shards, record, keep, nowMs);
    case "fenced":
      return await findOut(shards, record);
    case "handing_over":
      return await handOver(shards, record, nowMs);
    case "failing":
      return await undo(shards, record, nowMs);
    default:
      return record;
  }
}

/** The target is emptied before the home begins its log: that may take long. */
async function open({ directory, from, to }: Shards, record: MoveRecord): Promise<MoveRecord> {
  const { organization } = record;
  await store.openAt(to, organization, "arriving");
  await store.clearRows(to, organization, "arriving");
  await store.copyPlans(directory, to);
  await store.enterInDirectory(directory, from, organization, record.from);
  await store.openAt(from, organization, "copying");
  const counts = await countRows(from, organization);
  const rowsTotal = counts.reduce((sum, count) => sum + count, 0);
  return { ...record, phase: "copying", rowsTotal };
}

async function copyPage({ from, to }: Shards, record: MoveRecord): Promise<MoveRecord> {
  const { organization } = record;
  const table = MOVED_TABLES[record.table];
  if (table === undefined) {
    throw new Error("there is no such table");
  }
  const limit = pageOf(table);
  const page = { after: record.after, limit, isCopy: true };
  const rows = await store.readRows(from, organization, table, page);
  if (rows.length > 0) {
    await store.loadRows(to, organization, [{ table, rows }]);
  }
  const last = rows.at(-1);
  return afterPage(
    record,
    {
      rows: rows.length,
      last: last === undefined ? null : positionOf(table, last),
      isLast: rows.length < limit,
    },
    MOVED_TABLES.length,
  );
}

/**
 * Replays what was logged, compares all rows, and then again those that were written meanwhile, until little is left: an
 * organization that works never leaves nothing. Then it raises the fence.
 */
async function catchUp(
  shards: Shards,
  record: MoveRecord,
  keep: (record: MoveRecord) => void,
  nowMs: () => number,
): Promise<MoveRecord> {
  const { record: replayed, entries } = await replay(shards, record);
  if (entries === store.LOGGED_AT_ONCE) {
    return replayed;
  }
  const pair = { ...shards, organization: record.organization };
  const begun = replayed.comparison ?? beginComparison(replayed.replayedTo);
  const isLast = hasComparedAll(begun);
  const compared = isLast
    ? await compareChanged(pair, begun, replayed.replayedTo)
    : await compareNext(pair, begun);
  if ("difference" in compared) {
    return failing(replayed, `${compared.difference} Nothing was moved.`);
  }
  const { comparison } = compared;
  const next: MoveRecord = { ...replayed, comparison };
  if (!isLast || Math.max(entries, compared.entries) > FENCED_ENTRIES_MAX) {
    return next;
  }
  const fenced: MoveRecord = { ...next, phase: "fenced", fencedAtMs: nowMs() };
  keep(fenced);
  return await tryFence(shards, { ...fenced, comparison });
}

/** Everything from the fence to the moment in which the home gives the organization away. */
async function tryFence(
  shards: Shards,
  record: MoveRecord & { readonly comparison: Comparison },
): Promise<MoveRecord> {
  const { from } = shards;
  const { organization } = record;
  const pair = { ...shards, organization };
  await store.fence(from, organization, FENCE_MS);
  let rest: MoveRecord = record;
  for (let entries = 1; entries > 0;) {
    ({ record: rest, entries } = await replay(shards, rest));
  }
  let { comparison } = record;
  let difference = await differenceOfCounts(pair);
  while (difference === undefined && comparison.changedSince < rest.replayedTo) {
    const compared = await compareChanged(pair, comparison, rest.replayedTo);
    if ("difference" in compared) {
      ({ difference } = compared);
    } else {
      ({ comparison } = compared);
    }
  }
  if (difference === undefined && (await store.giveAway(from, organization))) {
    return { ...rest, phase: "handing_over" };
  }
  await store.liftFence(from, organization);
  // A fence that ended early let writes through, which the target does not have yet.
  const isEarly = difference === undefined || (await replay(shards, rest)).entries > 0;
  return isEarly ? afterFence(rest) : failing(rest, `${difference} Nothing was moved.`);
}

/** Brings the next logged rows to the target. Returns the number of the log's entries. */
async function replay(
  { directory, from, to }: Shards,
  record: MoveRecord,
): Promise<{ readonly record: MoveRecord; readonly entries: number }> {
  const { organization } = record;
  const logged = await store.readLogged(from, organization, record.replayedTo);
  const { entries, last, changes } = logged;
  if (last === null) {
    return { record, entries };
  }
  if (changes.some(({ table }) => table.name === "workspaces" || table.name === "organizations")) {
    await store.copyPlans(directory, to);
  }
  await store.loadRows(to, organization, changes);
  return { record: { ...record, replayedTo: last }, entries };
}

/** An instance was lost while the fence was up: the home says whether it has given the organization away. */
async function findOut({ from }: Shards, record: MoveRecord): Promise<MoveRecord> {
  const { organization } = record;
  await store.liftFence(from, organization);
  return (await store.stateAt(from, organization)) === "moved"
    ? { ...record, phase: "handing_over" }
    : afterFence(record);
}

/** The home refuses for good, so nothing can be lost: the directory names the new home, and then that one takes writes. */
async function handOver(
  { directory, to }: Shards,
  record: MoveRecord,
  nowMs: () => number,
): Promise<MoveRecord> {
  const { organization } = record;
  await store.setHome(directory, organization, record.to);
  await store.closeAt(to, organization);
  const atMs = nowMs();
  return {
    ...record,
    phase: "moved",
    rowsCopied: Math.max(record.rowsCopied, record.rowsTotal),
    fencedMs: atMs - (record.fencedAtMs ?? atMs),
    completedAtMs: atMs,
  };
}

/** The home stays in charge. */
async function undo(
  { from, to }: Shards,
  record: MoveRecord,
  nowMs: () => number,
): Promise<MoveRecord> {
  const { organization } = record;
  await store.closeAt(from, organization);
  // Not closed yet: the target may have been its home some minutes ago, and isolates may still believe that it is.
  await store.clearRows(to, organization, "moved");
  return { ...record, phase: "failed", completedAtMs: nowMs() };
}
