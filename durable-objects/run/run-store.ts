import { mergeNotes, type ReadingNotes } from "../../src/contracts/reading-notes.ts";
import type {
  AxisRow,
  CellRow,
  Commit,
  ReportedTask,
  RunRows,
  SkippedItems,
} from "../../src/engine/drive/run-rows.ts";
import type { LoggedDelta } from "../../src/engine/events/delta-text.ts";
import type { RunDelta } from "../../src/engine/events/run-delta.ts";
import { isTerminal } from "../../src/contracts/run.ts";
import type { RunState } from "../../src/engine/step/run-state.ts";
import { mayHoldFile } from "../../src/engine/values/cell-outputs.ts";
import { effectMade } from "../../src/platform/effect-log.ts";
import { newId } from "../../src/platform/ids.ts";
import { openDatabase } from "../shared/migrations.ts";
import { AxisPages } from "./axis-pages.ts";
import { ElementBlocks, type SettledRow } from "./element-blocks.ts";
import { OrphanRows } from "./orphan-rows.ts";
import { PartRows } from "./part-rows.ts";
import { RunLog } from "./run-log.ts";
import { OUTBOX_KEY, RUN_SCHEMA } from "./run-schema.ts";
import { encodeRunRow, type MetaValue, FILES_KEY, readRunRow, type RunRow } from "./state-text.ts";
import { newTask, type TaskEntry } from "./task-entry.ts";

/** Most characters of one part; SQLite in an object accepts 2 MB. */
const PART_CHARS_MAX = 500_000;

const STATE_KEY = "state";
/** Metadata of the start, which later commits do not write again. */
const START_METADATA_KEY = "facts";

/** Receives the tasks that a commit creates or processes. */
export interface TaskListener {
  made(tasks: readonly TaskEntry[]): void;
  /** Ids of tasks whose outcome is in the state, and about to be on disk. */
  taken(ids: readonly number[]): void;
  reported(limit: number): readonly ReportedTask[];
  find(id: number): TaskEntry | undefined;
  /** The state in memory may be ahead of the rows. */
  forget(): void;
}

/**
 * Rows of one run. Synchronous, like the storage, so callers cannot interleave.
 *
 * A new run is in memory only until `keep`, which writes all of it as one row; from then on each transaction writes its
 * changes. See docs/decisions/run-rows.md.
 */
export class RunStore implements RunRows {
  readonly #storage: DurableObjectStorage;
  readonly #parts: PartRows;
  readonly #blocks: ElementBlocks;
  readonly #axes: AxisPages;
  readonly #orphans: OrphanRows;
  readonly log: RunLog;
  #tasks: TaskListener | undefined;
  #row: RunRow | undefined;
  #startMetadata: Map<string, MetaValue> | undefined;
  #isRowDirty = false;
  #isNew = false;
  /** Created, and not written yet. */
  #isUnsaved = false;
  #depth = 0;
  /** Counts drivers (`driverRows`) and rollbacks. */
  epoch = 0;
  /** Called at each rollback: state built from the rows may be ahead of them. */
  onForgotten: () => void = () => {};

  constructor(storage: DurableObjectStorage, nowMs: () => number) {
    this.#storage = storage;
    const { tables } = openDatabase(storage, RUN_SCHEMA);
    this.#parts = new PartRows(storage.sql, tables.has("part"));
    this.#blocks = new ElementBlocks(this.#parts, (node) => this.#groupOf(node));
    this.#blocks.liveTask = (id) => this.#tasks?.find(id);
    this.#axes = new AxisPages(this.#parts);
    this.#orphans = new OrphanRows(this.#parts);
    this.log = new RunLog(this.#parts, nowMs, () => this.#current().log);
  }

  /** False for an id without a run. */
  get exists(): boolean {
    return this.#isUnsaved || this.#parts.isStored;
  }

  get isInTransaction(): boolean {
    return this.#depth > 0;
  }

  /** Whether some of its texts cannot be read. */
  get isDamaged(): boolean {
    return this.#parts.isDamaged;
  }

  /** Deletes the run, as if it had never been started. */
  async erase(): Promise<void> {
    await this.#storage.deleteAll();
    this.#parts.erased();
    this.#forget();
  }

  /** Whether this instance created the run. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Whether any task was ever created. */
  get hasTasks(): boolean {
    return this.exists && this.#current().hasTasks;
  }

  get blocks(): ElementBlocks {
    return this.#blocks;
  }

  listen(tasks: TaskListener): void {
    this.#tasks = tasks;
  }

  /** Writes all changes of `work` at its end, or none; with `isBundled` as one row if the run is one. */
  transaction<T>(work: () => T, { isBundled = false } = {}): T {
    if (this.#depth > 0) {
      return work();
    }
    this.#depth++;
    try {
      const value = work();
      if (!this.#isUnsaved) {
        this.#encode(isBundled);
        this.#storage.transactionSync(() => {
          if (isBundled) {
            this.#parts.flushBundled();
          } else {
            this.#parts.flush();
          }
        });
      }
      this.#blocks.evict(this.#row?.state != null && isTerminal(this.#row.state.status));
      return value;
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.#depth--;
    }
  }

  /**
   * Creates the run, in memory. `groups`: a number for each node; nodes with the same number are read and written
   * together (the scope of their outputs). Other nodes, including those below zero, are in group 0.
   */
  create(groups: readonly number[]): void {
    this.#isUnsaved = true;
    this.#isNew = true;
    this.#blocks.begin();
    this.#startMetadata = new Map();
    this.#row = {
      state: null,
      metadata: new Map(),
      log: { from: 1, entries: [] },
      skipped: new Map(),
      firstFailed: new Map(),
      hasTasks: false,
      groups,
    };
    this.#isRowDirty = true;
  }

  /** Writes a run that exists in memory only; must precede any call that leaves the object. */
  keep(): void {
    if (!this.#isUnsaved) {
      return;
    }
    try {
      if (this.#startMetadata !== undefined && this.#startMetadata.size > 0) {
        this.#parts.put(START_METADATA_KEY, JSON.stringify([...this.#startMetadata]));
      }
      this.#encode(true);
      this.#storage.transactionSync(() => {
        this.#parts.flush();
      });
      this.#isUnsaved = false;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** A named text of any length, split into parts below the row limit. */
  putText(name: string, text: string): void {
    this.transaction(() => {
      for (let piece = 0; piece * PART_CHARS_MAX < text.length; piece++) {
        this.#parts.put(
          `text.${name}.${piece}`,
          text.slice(piece * PART_CHARS_MAX, (piece + 1) * PART_CHARS_MAX),
        );
      }
    });
  }

  /** Empty if there is none. */
  getText(name: string): string {
    let text = "";
    for (let piece = 0; ; piece++) {
      const next = this.#parts.get(`text.${name}.${piece}`);
      if (next === undefined) {
        return text;
      }
      text += next;
      if (next.length < PART_CHARS_MAX) {
        return text;
      }
    }
  }

  /** Metadata of a run that is not written yet costs no row; later metadata is written with the state. */
  putMetadata(name: string, value: MetaValue): void {
    if (this.#isUnsaved && this.#startMetadata !== undefined) {
      this.#startMetadata.set(name, value);
      return;
    }
    this.transaction(() => {
      this.#changed().metadata.set(name, value);
    });
  }

  /** Metadata that is written with the next change of the state, and may be lost until then. */
  noteMetadata(name: string, value: MetaValue): void {
    this.#current().metadata.set(name, value);
  }

  getMetadata(name: string): MetaValue | undefined {
    return this.exists
      ? (this.#current().metadata.get(name) ?? this.#loadStartMetadata().get(name))
      : undefined;
  }

  state(): RunState {
    const { state } = this.#current();
    if (state === null) {
      throw new Error("the run has no state");
    }
    return state;
  }

  commit(commit: Commit): void {
    const taken = commit.removeTasks ?? [];
    const entry = this.transaction(() => {
      const row = this.#changed();
      if (commit.dropCells !== undefined) {
        this.#dropCells(commit.dropCells);
      }
      this.#putCells(commit.cells ?? []);
      this.#axes.add(commit.axisRows ?? []);
      this.#keepNotes(commit.notes ?? []);
      this.#makeTasks(commit.tasks ?? []);
      this.#countSkipped(commit.skipped ?? []);
      for (const { node, element } of taken) {
        this.#blocks.removeTask(node, element);
      }
      row.state = commit.state;
      return commit.delta == null ? null : this.#record(commit.delta);
    });
    this.#tasks?.taken(taken.map(({ id }) => id));
    effectMade("slice commit");
    if (entry !== null) {
      this.log.committed(entry);
    }
  }

  cellsBetween(node: number, from: number, to: number): CellRow[] {
    return this.#blocks.between(node, from, to);
  }

  /** Cells of a file output, whose content may be left out of their bodies. */
  fileCellsBetween(node: number, from: number, to: number): CellRow[] {
    return this.#blocks.filesBetween(node, from, to);
  }

  cellsAt(node: number, elementIndexes: readonly number[]): CellRow[] {
    return this.#blocks.at(node, elementIndexes);
  }

  /** End states of one node's elements, without their contents. `failure` is JSON if one failed. */
  settledBetween(node: number, from: number, to: number): SettledRow[] {
    return this.#blocks.settledBetween(node, from, to);
  }

  /** Retries so far, by node. */
  retryCounts(): Map<number, number> {
    const counts = new Map<number, number>();
    for (const [name, value] of [...this.#loadStartMetadata(), ...this.#current().metadata]) {
      if (name.startsWith("retries.")) {
        counts.set(Number(name.slice("retries.".length)), Number(value));
      }
    }
    return counts;
  }

  /** The failed element of a node with the lowest indices. */
  firstFailed(node: number): CellRow | undefined {
    const element = this.#current().firstFailed.get(node);
    return element === undefined ? undefined : this.cellsAt(node, [element])[0];
  }

  axisRows(axis: number): AxisRow[] {
    return this.#axes.of(axis);
  }

  skipped(): SkippedItems[] {
    return [...this.#current().skipped.values()]
      .filter(({ skipped }) => skipped > 0)
      .toSorted((a, b) => a.node - b.node);
  }

  reportedTasks(limit: number): readonly ReportedTask[] {
    return this.#tasks?.reported(limit) ?? [];
  }

  /** Data of the run may be in R2. */
  noteFiles(): void {
    // Before the run is created, a stored value is a submitted one, and its cell records that.
    if (this.exists && !this.mayHaveFiles) {
      this.putMetadata(FILES_KEY, 1);
    }
  }

  get mayHaveFiles(): boolean {
    return this.getMetadata(FILES_KEY) !== undefined || this.hasTasks;
  }

  /** Attempts of a task up to this one have left orphaned files. */
  noteOrphans(task: number, attempt: number): void {
    this.transaction(() => {
      this.#orphans.note(task, attempt);
    });
  }

  /** The last record of `noteOrphans`, by task. */
  orphans(): Map<number, number> {
    return this.#orphans.all();
  }

  forgetOrphans(tasks: readonly number[]): void {
    if (tasks.length > 0) {
      this.transaction(() => {
        this.#orphans.forget(tasks);
      });
    }
  }

  /**
   * Deletes values whose retention has ended, and the text of the run's event, which quotes them: a bounded part;
   * returns whether there is more.
   */
  dropValues(limit: number): boolean {
    const after = this.getMetadata(DROPPED_KEY) ?? "";
    if (after === ALL_DROPPED) {
      return false;
    }
    return this.transaction(() => {
      const next = this.#blocks.dropValues(String(after), limit);
      for (const [key] of this.#parts.between("text.event.", "text.event/")) {
        this.#parts.delete(key);
      }
      this.#changed().metadata.set(DROPPED_KEY, next ?? ALL_DROPPED);
      return next !== null;
    });
  }

  /** Logs the change; the times of the run's start and end are stored in the transaction that makes them. */
  #record(delta: RunDelta): LoggedDelta {
    const entry = this.log.append(delta);
    if (delta.status !== null && delta.status !== "pending") {
      this.#putOnce("started_at", entry.atMs);
      if (isTerminal(delta.status)) {
        this.#putOnce("completed_at", entry.atMs);
        // The end and its event are stored together (docs/contract/webhooks.md#events).
        this.#putOnce(OUTBOX_KEY, newId("event", entry.atMs));
      }
    }
    return entry;
  }

  #putOnce(name: string, value: MetaValue): void {
    if (this.getMetadata(name) === undefined) {
      this.#changed().metadata.set(name, value);
    }
  }

  #putCells(cells: readonly CellRow[]): void {
    const { firstFailed } = this.#changed();
    for (const { node, element, status } of cells) {
      if (status === "failed") {
        firstFailed.set(node, Math.min(element, firstFailed.get(node) ?? element));
      }
    }
    this.#blocks.putCells(cells);
    if (cells.some(({ body }) => mayHoldFile(body))) {
      this.noteFiles();
    }
  }

  #countSkipped(rows: readonly SkippedItems[]): void {
    const counted = this.#changed().skipped;
    for (const { node, skipped, of } of rows) {
      const known = counted.get(node) ?? { skipped: 0, of: 0 };
      counted.set(node, { node, skipped: skipped + known.skipped, of: of + known.of });
    }
  }

  #dropCells({ node, fromIndex }: NonNullable<Commit["dropCells"]>): void {
    const row = this.#changed();
    if ((row.firstFailed.get(node) ?? -1) >= fromIndex) {
      row.firstFailed.delete(node);
    }
    this.#blocks.dropCells(node, fromIndex);
  }

  #makeTasks(tasks: NonNullable<Commit["tasks"]>): void {
    if (tasks.length === 0) {
      return;
    }
    this.#changed().hasTasks = true;
    const made = tasks.map(({ node, element }) => newTask(node, element));
    for (const task of made) {
      this.#blocks.putTask(task);
    }
    this.#tasks?.made(made);
  }

  /** Notes of an enumerator about the rows that it read; undefined if none needs a warning. */
  readingNotes(node: number): ReadingNotes | undefined {
    const kept = this.getMetadata(`notes.${node}`);
    return kept === undefined ? undefined : (JSON.parse(String(kept)) as ReadingNotes);
  }

  #keepNotes(entries: NonNullable<Commit["notes"]>): void {
    for (const { node, notes } of entries) {
      this.putMetadata(`notes.${node}`, JSON.stringify(mergeNotes(this.readingNotes(node), notes)));
    }
  }

  #groupOf(node: number): number {
    return this.#current().groups[node] ?? 0;
  }

  #current(): RunRow {
    this.#row ??= readRunRow(this.#parts.get(STATE_KEY));
    return this.#row;
  }

  /** The same; the current transaction then writes them. */
  #changed(): RunRow {
    const row = this.#current();
    this.#isRowDirty = true;
    return row;
  }

  #loadStartMetadata(): Map<string, MetaValue> {
    if (this.#startMetadata === undefined) {
      const text = this.#parts.get(START_METADATA_KEY);
      this.#startMetadata = new Map(
        text === undefined ? [] : (JSON.parse(text) as [string, MetaValue][]),
      );
    }
    return this.#startMetadata;
  }

  #encode(isWhole: boolean): void {
    if (this.#isRowDirty) {
      this.#parts.put(STATE_KEY, encodeRunRow({ ...this.#current(), log: this.log.tail }));
      this.#isRowDirty = false;
    }
    this.#blocks.encode(isWhole);
    this.#orphans.encode();
  }

  /** A transaction was rolled back: the state in memory may be ahead of the rows. */
  #forget(): void {
    this.#isUnsaved = false;
    this.#isNew = false;
    this.#row = undefined;
    this.#startMetadata = undefined;
    this.#isRowDirty = false;
    this.#parts.forget();
    this.#blocks.forget();
    this.#orphans.reset();
    this.log.forget();
    this.#tasks?.forget();
    this.epoch++;
    this.onForgotten();
  }
}

/** The block up to which values have been deleted. */
const DROPPED_KEY = "values_dropped";
/** Beyond every block. */
const ALL_DROPPED = "b/";
