import { mergeNotes, type ReadingNotes } from "../../src/contracts/reading-notes.ts";
import { isTerminal } from "../../src/contracts/run.ts";
import type {
  AxisRow,
  CellRow,
  Commit,
  NewTask,
  ReportedTask,
  RunRows,
  SkippedItems,
} from "../../src/engine/drive/run-rows.ts";
import type { ElementDigests } from "../../src/contracts/task.ts";
import type { Charge } from "../../src/engine/step/charge.ts";
import { CELL_STATUSES, type CellStatus, type RunState } from "../../src/engine/step/run-state.ts";
import type { LoggedDelta } from "../../src/engine/events/delta-text.ts";
import type { RunDelta } from "../../src/engine/events/run-delta.ts";
import { effectMade } from "../../src/platform/effect-log.ts";
import { newId } from "../../src/platform/ids.ts";
import { openDatabase } from "../shared/migrations.ts";
import { FactRows } from "./fact-rows.ts";
import { CORE_TABLES, OUTBOX_FACT, RUN_SCHEMA, WIDE_TABLES } from "./run-schema.ts";
import { RunLog } from "./run-log.ts";
import { decodeState, encodeState } from "./state-text.ts";

/** Text bound to one statement at most; SQLite in an object takes 2 MB. */
const INSERT_CHARS_MAX = 500_000;

/** SQL of one run. Synchronous, like the storage under it, so callers cannot interleave. */
export class RunStore implements RunRows {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #facts: FactRows;
  readonly log: RunLog;
  #hasCore: boolean;
  #hasWide: boolean;

  constructor(storage: DurableObjectStorage, nowMs: () => number) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#facts = new FactRows(storage.sql);
    this.log = new RunLog(storage.sql, nowMs);
    const { tables } = openDatabase(storage, RUN_SCHEMA);
    this.#hasCore = tables.has("fact");
    this.#hasWide = tables.has("task");
  }

  /** False for an id that no run was ever started under. */
  get exists(): boolean {
    return this.#hasCore;
  }

  /** Whether this instance made the run. */
  get isNew(): boolean {
    return this.#facts.isNew;
  }

  get hasTasks(): boolean {
    return this.#hasWide;
  }

  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work);
    } catch (error) {
      this.#facts.forget();
      throw error;
    }
  }

  createCore(): void {
    this.#sql.exec(CORE_TABLES);
    this.#hasCore = true;
    this.#facts.startEmpty();
    this.log.startEmpty();
  }

  ensureWide(): void {
    if (!this.#hasWide) {
      this.#sql.exec(WIDE_TABLES);
      this.#hasWide = true;
    }
  }

  putText(name: string, text: string): void {
    this.#facts.putText(name, text);
  }

  getText(name: string): string {
    return this.#facts.getText(name);
  }

  putFact(name: string, value: string | number): void {
    this.#facts.put(name, value);
  }

  getFact(name: string): string | number | undefined {
    return this.#facts.get(name);
  }

  state(): RunState {
    return decodeState(String(this.#facts.read("state")));
  }

  commit(commit: Commit): void {
    const entry = this.transaction(() => {
      if (commit.dropCells !== undefined) {
        const { node, fromOrd } = commit.dropCells;
        this.#sql.exec("DELETE FROM cell WHERE node = ? AND ord >= ?", node, fromOrd);
      }
      this.#insertCells(commit.cells ?? []);
      this.#insertAxisRows(commit.axisRows ?? []);
      this.#insertTasks(commit.tasks ?? []);
      this.#countSkipped(commit.skipped ?? []);
      this.#keepNotes(commit.notes ?? []);
      if (commit.removeTasks !== undefined && commit.removeTasks.length > 0) {
        this.#sql.exec(
          "DELETE FROM task WHERE id IN (SELECT value FROM json_each(?))",
          JSON.stringify(commit.removeTasks),
        );
      }
      this.#facts.write("state", encodeState(commit.state));
      return commit.delta == null ? null : this.#record(commit.delta);
    });
    effectMade("slice commit");
    if (entry !== null) {
      this.log.committed(entry);
    }
  }

  cellsBetween(node: number, from: number, to: number): CellRow[] {
    return this.#sql
      .exec<SqlCell>(
        "SELECT node, ord, status, body FROM cell WHERE node = ? AND ord >= ? AND ord < ? ORDER BY ord",
        node,
        from,
        to,
      )
      .toArray()
      .map(toCellRow);
  }

  cellsAt(node: number, ords: readonly number[]): CellRow[] {
    return this.#sql
      .exec<SqlCell>(
        "SELECT node, ord, status, body FROM cell WHERE node = ? AND ord IN (SELECT value FROM json_each(?)) ORDER BY ord",
        node,
        JSON.stringify(ords),
      )
      .toArray()
      .map(toCellRow);
  }

  /** How elements of one node ended, without what they hold. `failure` is JSON where one failed. */
  settledBetween(node: number, from: number, to: number): SettledRow[] {
    return this.#sql
      .exec<
        Omit<SettledRow, "status" | "charge" | "digests"> & { status: number; extra: string | null }
      >(
        `SELECT ord, status, iif(status = ?, body, NULL) AS failure, attempts, ms, extra FROM cell
         WHERE node = ? AND ord >= ? AND ord < ? ORDER BY ord`,
        STATUS_NUMBER.failed,
        node,
        from,
        to,
      )
      .toArray()
      .map(({ extra, ...row }) => ({
        ...row,
        status: statusOf(row.status),
        ...(extra === null ? NOTHING_ELSE : extraIn(extra)),
      }));
  }

  /** Retries so far, by node. */
  retryCounts(): Map<number, number> {
    return new Map(
      this.#sql
        .exec<{ name: string; value: number }>(
          "SELECT name, value FROM fact WHERE name >= 'retries.' AND name < 'retries/'",
        )
        .toArray()
        .map(({ name, value }) => [Number(name.slice("retries.".length)), value]),
    );
  }

  /** The failed element of a node with the lowest indices. */
  firstFailed(node: number): CellRow | undefined {
    return this.#sql
      .exec<SqlCell>(
        "SELECT node, ord, status, body FROM cell WHERE node = ? AND status = ? ORDER BY ord LIMIT 1",
        node,
        STATUS_NUMBER.failed,
      )
      .toArray()
      .map(toCellRow)[0];
  }

  axisRows(axis: number): AxisRow[] {
    if (!this.#hasWide) {
      return [];
    }
    return this.#sql
      .exec<{
        axis: number;
        parent: number;
        status: number;
        count: number;
        failure: string | null;
      }>(
        "SELECT axis, parent, status, count, failure FROM axis_row WHERE axis = ? ORDER BY parent",
        axis,
      )
      .toArray()
      .map((row) => ({
        axis: row.axis,
        parent: row.parent,
        status: statusOf(row.status),
        count: row.count,
        failure: row.failure === null ? null : (JSON.parse(row.failure) as AxisRow["failure"]),
      }));
  }

  skipped(): SkippedItems[] {
    if (!this.#hasWide) {
      return [];
    }
    return this.#sql
      .exec<{ node: number; skipped: number; total: number }>(
        "SELECT node, skipped, total FROM skipped WHERE skipped > 0 ORDER BY node",
      )
      .toArray()
      .map((row) => ({ node: row.node, skipped: row.skipped, of: row.total }));
  }

  reportedTasks(limit: number): ReportedTask[] {
    if (!this.#hasWide) {
      return [];
    }
    return this.#sql
      .exec<{
        id: number;
        node: number;
        ord: number;
        outcome: string;
        fence: number;
        ms: number;
      }>(
        // Each lease took one fence, those of lost workers too; going on after a wait is no attempt.
        "SELECT id, node, ord, outcome, fence, ms FROM task WHERE status = 'reported' ORDER BY id LIMIT ?",
        limit,
      )
      .toArray()
      .map(({ id, node, ord, outcome: text, fence, ms }) => {
        const { waits = 0, ...outcome } = JSON.parse(text) as ReportedTask["outcome"] & {
          readonly waits?: number;
        };
        return { id, node, ord, outcome, work: { attempts: fence - waits, durationMs: ms } };
      });
  }

  /** Logs the change; when the run began and ended is kept in the transaction that makes it so. */
  #record(delta: RunDelta): LoggedDelta {
    const entry = this.log.append(delta);
    if (delta.status !== null && delta.status !== "pending") {
      this.#facts.putOnce("started_at", entry.atMs);
      if (isTerminal(delta.status)) {
        this.#facts.putOnce("completed_at", entry.atMs);
        // With the end its event: neither is there without the other (decisions §10).
        this.#facts.putOnce(OUTBOX_FACT, newId("event", entry.atMs));
      }
    }
    return entry;
  }

  #insertCells(cells: readonly CellRow[]): void {
    if (cells.length < 4) {
      for (const { node, ord, status, body, work, charge, digests } of cells) {
        this.#sql.exec(
          "INSERT INTO cell (node, ord, status, body, attempts, ms, extra) VALUES (?, ?, ?, ?, ?, ?, ?)",
          node,
          ord,
          STATUS_NUMBER[status],
          body,
          work?.attempts ?? null,
          work?.durationMs ?? null,
          extraOf({ charge, digests }),
        );
      }
      return;
    }
    let batch: unknown[] = [];
    let chars = 0;
    const flush = () => {
      this.#sql.exec(
        `INSERT INTO cell (node, ord, status, body, attempts, ms, extra)
         SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6
         FROM json_each(?)`,
        JSON.stringify(batch),
      );
      batch = [];
      chars = 0;
    };
    for (const { node, ord, status, body, work, charge, digests } of cells) {
      if (chars > 0 && chars + body.length > INSERT_CHARS_MAX) {
        flush();
      }
      batch.push(
        work === undefined && charge === undefined && digests === undefined
          ? [node, ord, STATUS_NUMBER[status], body]
          : [
              node,
              ord,
              STATUS_NUMBER[status],
              body,
              work?.attempts ?? null,
              work?.durationMs ?? null,
              extraOf({ charge, digests }),
            ],
      );
      chars += body.length + 20;
    }
    flush();
  }

  #insertAxisRows(rows: readonly AxisRow[]): void {
    if (rows.length === 0) {
      return;
    }
    this.ensureWide();
    const values = rows.map((row) => [
      row.axis,
      row.parent,
      STATUS_NUMBER[row.status],
      row.count,
      row.failure === null ? null : JSON.stringify(row.failure),
    ]);
    this.#sql.exec(
      "INSERT INTO axis_row SELECT value->>0, value->>1, value->>2, value->>3, value->>4 FROM json_each(?)",
      JSON.stringify(values),
    );
  }

  #insertTasks(tasks: readonly NewTask[]): void {
    if (tasks.length === 0) {
      return;
    }
    this.ensureWide();
    // No number twice, though rows go: a late report would be taken for one of another task.
    const made = Math.max(
      Number(this.getFact("tasks") ?? 0),
      ...this.#sql
        .exec<{ id: number }>("SELECT id FROM task ORDER BY id DESC LIMIT 1")
        .toArray()
        .map(({ id }) => id),
    );
    this.putFact("tasks", made + tasks.length);
    this.#sql.exec(
      "INSERT INTO task (id, node, ord, status) SELECT value->>0, value->>1, value->>2, 'ready' FROM json_each(?)",
      JSON.stringify(tasks.map((task, at) => [made + at + 1, task.node, task.ord])),
    );
  }

  /** What an enumerator noted about the rows that it read; undefined where nothing is worth a warning. */
  readingNotes(node: number): ReadingNotes | undefined {
    const kept = this.getFact(`notes.${node}`);
    return kept === undefined ? undefined : (JSON.parse(String(kept)) as ReadingNotes);
  }

  #keepNotes(entries: NonNullable<Commit["notes"]>): void {
    for (const { node, notes } of entries) {
      this.putFact(`notes.${node}`, JSON.stringify(mergeNotes(this.readingNotes(node), notes)));
    }
  }

  #countSkipped(rows: readonly SkippedItems[]): void {
    for (const { node, skipped, of } of rows) {
      this.ensureWide();
      this.#sql.exec(
        `INSERT INTO skipped VALUES (?, ?, ?) ON CONFLICT (node) DO UPDATE
         SET skipped = skipped + excluded.skipped, total = total + excluded.total`,
        node,
        skipped,
        of,
      );
    }
  }
}

type SettledRow = {
  readonly ord: number;
  readonly status: CellStatus;
  readonly failure: string | null;
  readonly attempts: number | null;
  readonly ms: number | null;
  /** Undefined where nothing is kept: it was charged nothing, or its node's cost before charges could vary. */
  readonly charge: Charge | undefined;
  /** Of an element that the runner ran [E28]. */
  readonly digests: ElementDigests | undefined;
};

interface SqlCell extends Record<string, SqlStorageValue> {
  node: number;
  ord: number;
  status: number;
  body: string;
}

const STATUS_NUMBER: Readonly<Record<CellStatus, number>> = {
  ok: 0,
  failed: 1,
  blocked: 2,
  absent: 3,
};

/** What is kept of an element besides what it holds, as one short text; null for nothing. */
function extraOf({ charge, digests }: Pick<CellRow, "charge" | "digests">): string | null {
  const { milliCredits = null, quantity = null } = charge ?? {};
  if (digests !== undefined) {
    return JSON.stringify([milliCredits, quantity, digests.inputs, digests.outputs]);
  }
  return charge === undefined
    ? null
    : JSON.stringify(quantity === null ? [milliCredits] : [milliCredits, quantity]);
}

const NOTHING_ELSE = { charge: undefined, digests: undefined };

function extraIn(extra: string): Pick<SettledRow, "charge" | "digests"> {
  const [milliCredits, quantity = null, inputs, outputs] = JSON.parse(extra) as [
    milliCredits: number | null,
    quantity?: number | null,
    inputs?: string,
    outputs?: string | null,
  ];
  return {
    charge: milliCredits === null ? undefined : { milliCredits, quantity },
    digests: inputs === undefined ? undefined : { inputs, ...(outputs == null ? {} : { outputs }) },
  };
}

function statusOf(number: number): CellStatus {
  return CELL_STATUSES[number] ?? "failed";
}

function toCellRow(row: SqlCell): CellRow {
  return { node: row.node, ord: row.ord, status: statusOf(row.status), body: row.body };
}
