/** A move of an organization as its object keeps it, and what follows from each step (docs/decisions/moves.md). */
import type { OrganizationMove } from "../../contracts/workspaces/organization-move.ts";
import type { MovedTable } from "../../contracts/workspaces/moved-tables.ts";

/**
 * - `opening`: both databases are told, and the target is emptied of earlier attempts.
 * - `copying`: rows are copied table by table, while the home logs writes.
 * - `catching_up`: what was logged is replayed until little is left.
 * - `fenced`: the home may refuse writes, and may have given the organization away.
 * - `handing_over`: the home has given it away: the directory and the target follow. From here on the move cannot fail.
 * - `failing`: the home goes on as before, and the target is emptied.
 */
export type MovePhase =
  | "opening"
  | "copying"
  | "catching_up"
  | "fenced"
  | "handing_over"
  | "moved"
  | "failing"
  | "failed";

/** Values of the columns that name a row, or its `seq`. */
export type RowKey = readonly (string | number)[];

/** How far the comparison of all rows has come. */
export interface Comparison {
  /** Rows with an entry of the log beyond this one were written since they were compared. */
  readonly changedSince: number;
  /** Which table is being compared, and the last row that was. */
  readonly table: number;
  readonly after: RowKey | null;
  /** Of tables with a `seq`: the last place that was compared, at the home and where the organization goes. */
  readonly places: Readonly<Record<string, readonly [number, number]>>;
}

export interface MoveRecord {
  readonly format: 1;
  readonly organization: string;
  readonly from: number;
  readonly to: number;
  readonly phase: MovePhase;
  /** The tables as the release knew them that began the move. */
  readonly tables: string;
  /** Which table is being copied, and the last row that was. */
  readonly table: number;
  readonly after: RowKey | null;
  /** The last entry of the home's log that was replayed. */
  readonly replayedTo: number;
  /** Absent until it has begun; a release from before compared without it. */
  readonly comparison?: Comparison;
  readonly rowsCopied: number;
  readonly rowsTotal: number;
  /** Fences that ended before everything was compared. */
  readonly fences: number;
  /** Failures of the current step, one after another. */
  readonly failures: number;
  readonly fencedAtMs: number | null;
  readonly fencedMs: number | null;
  readonly startedAtMs: number;
  readonly completedAtMs: number | null;
  readonly errorMessage: string | null;
}

/** Times that a step is tried before the move fails; a step that cannot be undone is tried until it succeeds. */
const TRIES_MAX = 8;
/** Fences before the move fails. */
const FENCES_MAX = 5;
const RETRY_MIN_MS = 50;
const RETRY_MAX_MS = 30_000;
/** While writes wait. */
const RETRY_WAITED_FOR_MAX_MS = 500;

export function newMove(
  of: Pick<MoveRecord, "organization" | "from" | "to" | "startedAtMs" | "tables">,
): MoveRecord {
  return {
    format: 1,
    ...of,
    phase: "opening",
    table: 0,
    after: null,
    replayedTo: 0,
    rowsCopied: 0,
    rowsTotal: 0,
    fences: 0,
    failures: 0,
    fencedAtMs: null,
    fencedMs: null,
    completedAtMs: null,
    errorMessage: null,
  };
}

/** Whether a move has ended, so that another one may begin. */
export function hasEnded({ phase }: MoveRecord): boolean {
  return phase === "moved" || phase === "failed";
}

/** Names the tables and their keys: a move does not go on with other ones than it began with. */
export function namesOf(tables: readonly MovedTable[]): string {
  return tables.map(({ name, key }) => `${name}(${key.join()})`).join(" ");
}

/** The record after a page of the table was copied; `isLast` if the table has no further row. */
export function afterPage(
  record: MoveRecord,
  page: { readonly rows: number; readonly last: RowKey | null; readonly isLast: boolean },
  tables: number,
): MoveRecord {
  const rowsCopied = record.rowsCopied + page.rows;
  if (!page.isLast) {
    return { ...record, rowsCopied, after: page.last };
  }
  const table = record.table + 1;
  return {
    ...record,
    rowsCopied,
    table,
    after: null,
    phase: table === tables ? "catching_up" : "copying",
  };
}

/** The record after a step threw: the step is tried again, or the move fails. */
export function afterFailure(record: MoveRecord, message: string): MoveRecord {
  const failures = record.failures + 1;
  if (failures < TRIES_MAX || !canFail(record)) {
    return { ...record, failures };
  }
  return failing(record, message);
}

/** The record after a fence ended too early. */
export function afterFence(record: MoveRecord): MoveRecord {
  const fences = record.fences + 1;
  return fences < FENCES_MAX
    ? { ...record, fences, phase: "catching_up" }
    : failing(
        record,
        "The databases took too long to hand the organization over while writes waited. Nothing was moved.",
      );
}

export function failing(record: MoveRecord, errorMessage: string): MoveRecord {
  return { ...record, phase: "failing", failures: 0, errorMessage };
}

/** The delay before a step is tried again. */
export function retryMs(record: MoveRecord): number {
  const maxMs = isWaitedFor(record) ? RETRY_WAITED_FOR_MAX_MS : RETRY_MAX_MS;
  return Math.min(RETRY_MIN_MS * 2 ** Math.max(0, record.failures - 1), maxMs);
}

/** Whether writes may be waiting: the home may have given the organization away, and the target takes none yet. */
export function isWaitedFor({ phase }: MoveRecord): boolean {
  return phase === "fenced" || phase === "handing_over";
}

/** In `fenced`, the home may have given the organization away: the home is asked first. */
export function canFail({ phase }: MoveRecord): boolean {
  return phase === "opening" || phase === "copying" || phase === "catching_up";
}

const STATES: Readonly<Record<MovePhase, OrganizationMove["state"]>> = {
  opening: "copying",
  copying: "copying",
  catching_up: "catching_up",
  fenced: "fenced",
  handing_over: "fenced",
  moved: "moved",
  failing: "failed",
  failed: "failed",
};

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** The move as the operator reads it. */
export function viewOf(record: MoveRecord): OrganizationMove {
  return {
    organization: record.organization,
    from: record.from,
    to: record.to,
    state: STATES[record.phase],
    rows_copied: record.rowsCopied,
    rows_total: record.rowsTotal,
    fenced_ms: record.fencedMs,
    started_at: timeOf(record.startedAtMs),
    completed_at: timeOf(record.completedAtMs),
    error_message: record.errorMessage,
  };
}

/** What is read of an organization that never moved. */
export function noMove(organization: string, home: number): OrganizationMove {
  return {
    organization,
    from: home,
    to: null,
    state: "none",
    rows_copied: 0,
    rows_total: 0,
    fenced_ms: null,
    started_at: null,
    completed_at: null,
    error_message: null,
  };
}
