import type { RunLabels, RunListFilter } from "../../src/contracts/workspaces/admission.ts";
import type { RunStatus } from "../../src/contracts/runs/run.ts";
import { type Label, LABELS, LabelIndex, type LabelName } from "./label-index.ts";
import {
  CHUNK_RUNS,
  chunkOf,
  type ColumnFilter,
  countPacked,
  RunColumns,
  type RunCounts,
  type SeqRange,
  statusCode,
} from "./run-columns.ts";

/** A chunk is stored once this many more runs were admitted: by then most of its runs have ended. */
const SEAL_LAG = 256;
/** Counts of chunks read at once to find the next match. */
const CHUNKS_AT_ONCE = 64;

interface Loaded {
  readonly counts: RunCounts;
  /** The runs after the last stored chunk. */
  readonly tail: RunColumns;
}

/**
 * Finds and counts runs for lists. For all but the newest runs, status and workflow are in chunks (`run-columns.ts`),
 * one row per 1,024 runs with its counts. Those of the tail are read from the runs themselves on the first request;
 * both are then updated in the transaction of each change. So counts are exact, and their cost depends on the number of
 * chunks and the page, not on the filter.
 */
export class RunIndex {
  readonly #sql: SqlStorage;
  readonly #labels: LabelIndex;
  #loaded: Loaded | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#labels = new LabelIndex(sql);
  }

  /** The state in memory may be ahead of the rows: a transaction was rolled back. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** A run was inserted after all others. */
  added(seq: number, workflow: number, status: RunStatus): void {
    const code = statusCode(status);
    this.#loaded?.counts.add(workflow, code, 1);
    this.#loaded?.tail.set(seq, workflow, code);
    if (seq % CHUNK_RUNS === SEAL_LAG && seq > CHUNK_RUNS) {
      this.sealChunks();
    }
  }

  /** The status of a run was changed; `lastSeq` is the run admitted last. */
  changed(
    run: { readonly seq: number; readonly workflow: number; readonly status: RunStatus },
    to: RunStatus,
    lastSeq: number,
  ): void {
    const [before, after] = [statusCode(run.status), statusCode(to)];
    if (before === after) {
      return;
    }
    this.#loaded?.counts.add(run.workflow, before, -1);
    this.#loaded?.counts.add(run.workflow, after, 1);
    const n = chunkOf(run.seq);
    const isSealable = lastSeq >= (n + 1) * CHUNK_RUNS;
    const columns = isSealable ? this.#chunk(n) : undefined;
    if (columns === undefined) {
      this.#loaded?.tail.set(run.seq, run.workflow, after);
      return;
    }
    columns.set(run.seq, run.workflow, after);
    this.#sql.exec(
      "UPDATE run_chunks SET counts = ?, statuses = ? WHERE n = ?",
      columns.counts().pack(),
      columns.stored().statuses,
      n,
    );
  }

  /** Stores the chunks that are due. */
  sealChunks(): void {
    const first = this.#sealedThrough() / CHUNK_RUNS;
    const last = this.#sql
      .exec<{ seq: number | null }>("SELECT max(seq) AS seq FROM runs")
      .one().seq;
    for (let n = first; (n + 1) * CHUNK_RUNS + SEAL_LAG <= (last ?? 0); n++) {
      const columns = new RunColumns(n * CHUNK_RUNS + 1);
      const runs = this.#sql
        .exec<{ seq: number; workflow: number; status: RunStatus } & RunLabels & SqlRow>(
          `SELECT seq, workflow, status, ${LABELS.join(", ")} FROM runs WHERE seq BETWEEN ? AND ?`,
          columns.first,
          (n + 1) * CHUNK_RUNS,
        )
        .toArray();
      for (const { seq, workflow, status } of runs) {
        columns.set(seq, workflow, statusCode(status));
      }
      this.#labels.seal(n, runs);
      const { statuses, workflows } = columns.stored();
      this.#sql.exec(
        "INSERT INTO run_chunks (n, counts, statuses, workflows) VALUES (?, ?, ?, ?)",
        n,
        columns.counts().pack(),
        statuses,
        workflows,
      );
      if (this.#loaded !== undefined) {
        this.#loaded = { counts: this.#loaded.counts, tail: this.#tail() };
      }
    }
  }

  /** Counts for one workflow, or for all. */
  countWithStatus(workflowId: string, statuses: readonly RunStatus[]): number {
    const workflow = this.#workflowOf(workflowId);
    return workflow === undefined
      ? 0
      : statuses.reduce(
          (sum, status) =>
            sum + this.#load().counts.count({ workflow, status: statusCode(status) }),
          0,
        );
  }

  /** Returns the number of all matches, and the page, newest first, with one more if there is one. */
  find(filter: RunListFilter, before: number | null): { total: number; page: readonly number[] } {
    const workflow =
      filter.workflow_id === null ? null : (this.#workflowOf(filter.workflow_id) ?? 0);
    const status = filter.status === null ? null : statusCode(filter.status);
    const columns = { workflow, status };
    const range = this.#between(filter.created_after_ms, filter.created_before_ms);
    const pageRange = { low: range.low, high: Math.min(range.high, (before ?? Infinity) - 1) };
    const max = filter.limit + 1;
    if (workflow === 0) {
      return { total: 0, page: [] };
    }
    const labels = given(filter.labels);
    const [label] = labels;
    if (label === undefined) {
      return { total: this.#count(columns, range), page: this.#page(columns, pageRange, max) };
    }
    const isAlone = labels.length === 1 && workflow === null && status === null;
    return isAlone && range.low <= 1 && range.high === Infinity
      ? { total: this.#labels.count(label), page: this.#labels.page(label, pageRange, max) }
      : this.#findLabelled(labels, columns, range, { high: pageRange.high, max });
  }

  /** Visits all runs that carry the labels, as bits, and checks the columns of their chunks. */
  #findLabelled(
    labels: readonly Label[],
    columns: ColumnFilter,
    range: SeqRange,
    asked: { readonly high: number; readonly max: number },
  ): { total: number; page: readonly number[] } {
    const [first, ...others] = labels.map((label) => this.#labels.masks(label, range));
    const numbers = [...(first?.keys() ?? [])]
      .filter((n) => others.every((masks) => masks.has(n)))
      .sort((a, b) => b - a);
    const needsColumns = columns.workflow !== null || columns.status !== null;
    const stored = needsColumns ? this.#chunksWith(columns, numbers) : undefined;
    const { tail } = this.#load();
    let total = 0;
    const page: number[] = [];
    for (const n of numbers) {
      const chunk = n * CHUNK_RUNS + 1 >= tail.first ? tail : stored?.get(n);
      if (needsColumns && chunk === undefined) {
        continue;
      }
      const mask = first?.get(n);
      for (const masks of others) {
        const other = masks.get(n);
        if (other !== undefined) {
          mask?.intersect(other);
        }
      }
      mask?.eachDown(range, (seq) => {
        if (!needsColumns || chunk?.has(seq, columns) === true) {
          total++;
          if (seq <= asked.high && page.length < asked.max) {
            page.push(seq);
          }
        }
      });
    }
    return { total, page };
  }

  /** The stored chunks in which any run matches. */
  #chunksWith(filter: ColumnFilter, numbers: readonly number[]): Map<number, RunColumns> {
    const chunks = new Map<number, RunColumns>();
    for (const { n, counts, statuses, workflows } of this.#sql.exec<{
      n: number;
      counts: ArrayBuffer;
      statuses: ArrayBuffer;
      workflows: ArrayBuffer;
    }>(
      `SELECT n, counts, statuses, workflows FROM run_chunks
       WHERE n IN (SELECT value FROM json_each(?))`,
      JSON.stringify(numbers),
    )) {
      if (countPacked(counts, filter) > 0) {
        chunks.set(n, new RunColumns(n * CHUNK_RUNS + 1, { statuses, workflows }));
      }
    }
    return chunks;
  }

  #count(filter: ColumnFilter, { low, high }: SeqRange): number {
    const { counts, tail } = this.#load();
    if (low <= 1 && high === Infinity) {
      return counts.count(filter);
    }
    let count = tail.count(filter, low, high);
    const [first, last] = [chunkOf(low), chunkOf(Math.min(high, tail.first - 1))];
    for (const { n, counts: packed } of this.#sql.exec<{ n: number; counts: ArrayBuffer }>(
      "SELECT n, counts FROM run_chunks WHERE n BETWEEN ? AND ?",
      first,
      last,
    )) {
      const isWhole = n * CHUNK_RUNS + 1 >= low && (n + 1) * CHUNK_RUNS <= high;
      count += isWhole ? countPacked(packed, filter) : 0;
    }
    for (const n of new Set([first, last])) {
      const isWhole = n * CHUNK_RUNS + 1 >= low && (n + 1) * CHUNK_RUNS <= high;
      count += isWhole ? 0 : (this.#chunk(n)?.count(filter, low, high) ?? 0);
    }
    return count;
  }

  #page(filter: ColumnFilter, { low, high }: SeqRange, max: number): number[] {
    const { tail } = this.#load();
    const found: number[] = [];
    tail.collect(filter, low, high, found, max);
    let n = chunkOf(Math.min(high, tail.first - 1));
    while (found.length < max && n >= chunkOf(low)) {
      const chunks = this.#sql
        .exec<{ n: number; counts: ArrayBuffer }>(
          "SELECT n, counts FROM run_chunks WHERE n BETWEEN ? AND ? ORDER BY n DESC LIMIT ?",
          chunkOf(low),
          n,
          CHUNKS_AT_ONCE,
        )
        .toArray();
      for (const chunk of chunks) {
        if (found.length < max && countPacked(chunk.counts, filter) > 0) {
          this.#chunk(chunk.n)?.collect(filter, low, high, found, max);
        }
      }
      n = (chunks.at(-1)?.n ?? 0) - 1;
    }
    return found;
  }

  /** Creation times follow the order of admission, so dates bound `seq`. Both ends are excluded. */
  #between(afterMs: number | null, beforeMs: number | null): SeqRange {
    return {
      low: afterMs === null ? 1 : this.#firstFrom(afterMs + 1),
      high: beforeMs === null ? Infinity : this.#firstFrom(beforeMs) - 1,
    };
  }

  /** The first run created at `atMs` or later; one past the last run if there is none. */
  #firstFrom(atMs: number): number {
    let low = 1;
    let high =
      (this.#sql.exec<{ seq: number | null }>("SELECT max(seq) AS seq FROM runs").one().seq ?? 0) +
      1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [run] = this.#sql
        .exec<{ at: number }>("SELECT created_at_ms AS at FROM runs WHERE seq = ?", middle)
        .toArray();
      if (run === undefined || run.at >= atMs) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  #load(): Loaded {
    if (this.#loaded === undefined) {
      const tail = this.#tail();
      const counts = tail.counts();
      for (const { counts: packed } of this.#sql.exec<{ counts: ArrayBuffer }>(
        "SELECT counts FROM run_chunks WHERE n >= 0",
      )) {
        counts.addPacked(packed);
      }
      this.#loaded = { counts, tail };
    }
    return this.#loaded;
  }

  #tail(): RunColumns {
    const tail = new RunColumns(this.#sealedThrough() + 1);
    this.#read(tail, { low: tail.first, high: Number.MAX_SAFE_INTEGER });
    return tail;
  }

  #read(into: RunColumns, { low, high }: SeqRange): void {
    for (const { seq, workflow, status } of this.#sql.exec<{
      seq: number;
      workflow: number;
      status: RunStatus;
    }>("SELECT seq, workflow, status FROM runs WHERE seq BETWEEN ? AND ?", low, high)) {
      into.set(seq, workflow, statusCode(status));
    }
  }

  #chunk(n: number): RunColumns | undefined {
    const [stored] = this.#sql
      .exec<{ statuses: ArrayBuffer; workflows: ArrayBuffer }>(
        "SELECT statuses, workflows FROM run_chunks WHERE n = ?",
        n,
      )
      .toArray();
    return stored === undefined ? undefined : new RunColumns(n * CHUNK_RUNS + 1, stored);
  }

  #sealedThrough(): number {
    const { n } = this.#sql.exec<{ n: number | null }>("SELECT max(n) AS n FROM run_chunks").one();
    return n === null ? 0 : (n + 1) * CHUNK_RUNS;
  }

  #workflowOf(workflowId: string): number | undefined {
    return this.#sql
      .exec<{ workflow: number }>(
        "SELECT workflow FROM run_workflows WHERE workflow_id = ?",
        workflowId,
      )
      .toArray()[0]?.workflow;
  }
}

type SqlRow = Record<string, SqlStorageValue>;

/** The labels that a list filters by. */
function given(labels: Partial<RunLabels> | undefined): Label[] {
  return (Object.entries(labels ?? {}) as [LabelName, string | null][]).flatMap(([name, value]) =>
    value === null ? [] : [{ name, value }],
  );
}
