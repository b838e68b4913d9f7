import type {
  AxisRow,
  CellRow,
  Commit,
  ReportedTask,
  RunRows,
  SkippedItems,
} from "../../../src/engine/drive/run-rows.ts";
import type { LoggedDelta } from "../../../src/engine/events/delta-text.ts";
import type { RunDelta } from "../../../src/engine/events/run-delta.ts";
import { isTerminal } from "../../../src/contracts/runs/run.ts";
import type { KeptRun } from "../../../src/contracts/runs/run-group-api.ts";
import type { ElementPlace } from "../../../src/engine/step/cells.ts";
import type { RunState } from "../../../src/engine/step/run-state.ts";
import { mayHoldFile } from "../../../src/engine/values/cell-outputs.ts";
import { effectMade } from "../../../src/platform/effect-log.ts";
import { newId } from "../../../src/platform/ids.ts";
import { FutureDatabaseError, openDatabase } from "../../shared/migrations.ts";
import { AxisPages } from "../blocks/axis-pages.ts";
import { ElementBlocks, type SettledRow } from "../blocks/element-blocks.ts";
import { getLongText, putLongText } from "../blocks/long-texts.ts";
import { OrphanRows } from "../blocks/orphan-rows.ts";
import { PART_VERSION, PartRows } from "../blocks/part-rows.ts";
import { RunLog } from "../views/run-log.ts";
import { OUTBOX_KEY, RUN_SCHEMA } from "./run-schema.ts";
import { StateRow } from "./state-row.ts";
import { type MetaValue, FILES_KEY } from "./state-text.ts";
import { newTask, type TaskEntry } from "../tasks/task-entry.ts";
import { keepNotes } from "../views/node-notes.ts";

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
  readonly #row: StateRow;
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
    this.#row = new StateRow(this.#parts);
    this.#blocks = new ElementBlocks(this.#parts, (node) => this.#row.current().groups[node] ?? 0);
    this.#blocks.liveTask = (id) => this.#tasks?.find(id);
    this.#axes = new AxisPages(this.#parts);
    this.#orphans = new OrphanRows(this.#parts);
    this.log = new RunLog(this.#parts, nowMs, () => this.#row.current().log);
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
    return this.exists && this.#row.current().hasTasks;
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
      this.#blocks.evict(this.#row.isEnded);
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
    this.#row.create(groups);
  }

  /** Writes a run that exists in memory only; must precede any call that leaves the object. */
  keep(): void {
    if (!this.#isUnsaved) {
      return;
    }
    try {
      this.#row.encodeStart();
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

  /** The parts of a run that has ended in memory, as `keep` would write them. Nothing is written. */
  unsavedParts(): KeptRun["parts"] {
    this.#row.encodeStart();
    this.#encode(true);
    return this.#parts.unsaved;
  }

  /** Writes a run that its group has carried out. Throws FutureDatabaseError for one of newer code. */
  takeOver({ version, parts }: KeptRun): void {
    if (version > PART_VERSION) {
      throw new FutureDatabaseError(
        `The run has version ${String(version)}; this code knows versions up to ${String(PART_VERSION)}. Deploy the newer code again.`,
      );
    }
    try {
      for (const [key, text] of parts) {
        this.#parts.put(key, text);
      }
      this.#storage.transactionSync(() => {
        this.#parts.flush(version);
      });
    } catch (error) {
      this.#forget();
      throw error;
    }
    openDatabase(this.#storage, RUN_SCHEMA);
    this.#parts.forget();
  }

  /** A named text of any length, split into parts below the row limit. */
  putText(name: string, text: string): void {
    this.transaction(() => {
      putLongText(this.#parts, name, text);
    });
  }

  /** Empty if there is none. */
  getText(name: string): string {
    return getLongText(this.#parts, name);
  }

  /** Metadata of a run that is not written yet costs no row; later metadata is written with the state. */
  putMetadata(name: string, value: MetaValue): void {
    if (this.#isUnsaved) {
      this.#row.putStart(name, value);
      return;
    }
    this.transaction(() => {
      this.#row.changed().metadata.set(name, value);
    });
  }

  /** Metadata that is written with the next change of the state, and may be lost until then. */
  noteMetadata(name: string, value: MetaValue): void {
    this.#row.current().metadata.set(name, value);
  }

  getMetadata(name: string): MetaValue | undefined {
    return this.exists ? this.#row.metadata(name) : undefined;
  }

  state(): RunState {
    const { state } = this.#row.current();
    if (state === null) {
      throw new Error("the run has no state");
    }
    return state;
  }

  commit(commit: Commit): void {
    const taken = commit.removeTasks ?? [];
    const entry = this.transaction(() => {
      const row = this.#row.changed();
      if (commit.dropCells !== undefined) {
        const { node, fromIndex } = commit.dropCells;
        this.#row.cellsDropped(node, fromIndex);
        this.#blocks.dropCells(node, fromIndex);
      }
      this.#putCells(commit.cells ?? []);
      this.#axes.add(commit.axisRows ?? []);
      keepNotes(this, commit.notes ?? []);
      this.#makeTasks(commit.tasks ?? []);
      this.#releaseTasks(commit.releaseTasks ?? []);
      this.#row.countSkipped(commit.skipped ?? []);
      for (const { node, element } of taken) {
        this.#blocks.removeTask(node, element);
      }
      row.state = commit.state;
      return commit.delta == null ? null : this.#record(commit.delta);
    });
    this.#tasks?.taken(taken.flatMap(({ id }) => id ?? []));
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

  /** The same, with what each element was charged, its digests, and where it was taken over from. */
  wholeCellsAt(node: number, elementIndexes: readonly number[]): CellRow[] {
    return this.#blocks.wholeAt(node, elementIndexes);
  }

  /** End states of one node's elements, without their contents. `failure` is JSON if one failed. */
  settledBetween(node: number, from: number, to: number): SettledRow[] {
    return this.#blocks.settledBetween(node, from, to);
  }

  /** Metadata whose names begin with this. */
  metadataWith(prefix: string): readonly (readonly [name: string, value: MetaValue])[] {
    return this.#row.metadataWith(prefix);
  }

  /** The failed element of a node with the lowest indices. */
  firstFailed(node: number): CellRow | undefined {
    const element = this.#row.current().firstFailed.get(node);
    return element === undefined ? undefined : this.cellsAt(node, [element])[0];
  }

  axisRows(axis: number): AxisRow[] {
    return this.#axes.of(axis);
  }

  skipped(): SkippedItems[] {
    return this.#row.skipped();
  }

  equalTasks(): ReturnType<RunRows["equalTasks"]> {
    return (this.hasTasks ? this.#blocks.storedTasks() : []).flatMap(({ node, element, equalTo }) =>
      equalTo === null ? [] : [{ node, element, equalTo }],
    );
  }

  askedTasks(): ElementPlace[] {
    return (this.hasTasks ? this.#blocks.storedTasks() : []).flatMap(({ node, element, status }) =>
      status === "asked" ? [{ node, element }] : [],
    );
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

  /** Whether the deletion of its values has begun. */
  get hasDroppedValues(): boolean {
    return this.getMetadata(DROPPED_KEY) !== undefined;
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
      this.#row.changed().metadata.set(DROPPED_KEY, next ?? ALL_DROPPED);
      return next !== null;
    });
  }

  /** Logs the change; the times of the run's start and end are stored in the transaction that makes them. */
  #record(delta: RunDelta): LoggedDelta {
    const entry = this.log.append(delta);
    if (delta.status !== null && delta.status !== "pending") {
      this.#row.putOnce("started_at", entry.atMs);
      if (isTerminal(delta.status)) {
        this.#row.putOnce("completed_at", entry.atMs);
        // The end and its event are stored together (docs/contract/webhooks.md#events).
        this.#row.putOnce(OUTBOX_KEY, newId("event", entry.atMs));
      }
    }
    return entry;
  }

  #putCells(cells: readonly CellRow[]): void {
    this.#row.settled(cells);
    this.#blocks.putCells(cells);
    if (cells.some(({ body }) => mayHoldFile(body))) {
      this.noteFiles();
    }
  }

  #makeTasks(tasks: NonNullable<Commit["tasks"]>): void {
    if (tasks.length === 0) {
      return;
    }
    this.#row.changed().hasTasks = true;
    const made = tasks.map(({ node, element, equalTo, received }): TaskEntry => {
      const task = newTask(node, element);
      if (received !== undefined) {
        task.status = "asked";
      }
      return equalTo === undefined ? task : { ...task, status: "equal", equalTo };
    });
    for (const task of made) {
      this.#blocks.putTask(task);
    }
    this.#tasks?.made(made.filter(({ status }) => status === "ready"));
  }

  #releaseTasks(places: readonly ElementPlace[]): void {
    const released = places.flatMap(({ node, element }) => this.#blocks.task(node, element) ?? []);
    for (const task of released) {
      if (task.status === "equal") {
        this.#blocks.touch(task.node, task.element);
      }
      // What the cache has answered is not worth a row: after a restart it is asked again.
      task.status = "ready";
      task.equalTo = null;
    }
    this.#tasks?.made(released);
  }

  #encode(isWhole: boolean): void {
    this.#row.encode(() => this.log.tail);
    this.#blocks.encode(isWhole);
    this.#orphans.encode();
  }

  /** A transaction was rolled back: the state in memory may be ahead of the rows. */
  #forget(): void {
    this.#isUnsaved = false;
    this.#isNew = false;
    this.#row.forget();
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
