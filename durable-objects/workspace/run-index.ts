import type { RunLabels, RunListFilter } from "../../src/contracts/admission.ts";
import type { RunStatus } from "../../src/contracts/run.ts";
import {
  CHUNK_RUNS,
  type ColumnFilter,
  countPacked,
  RunColumns,
  type RunCounts,
  statusCode,
} from "./run-columns.ts";

/** A chunk is stored once so many more runs were admitted: by then most of its runs have ended. */
const SEAL_LAG = 256;
/** Counts of chunks looked through at once, for the next that has a match. */
const CHUNKS_AT_ONCE = 64;

/** Columns by which lists filter and of which most runs have none: each has an index of those that do. */
const LABEL_INDEX = {
  batch: "runs_by_batch",
  schedule: "runs_by_schedule",
  retry_of: "runs_by_retry_of",
  client_reference: "runs_by_client_reference",
  embed: "runs_by_embed",
  end_user_id: "runs_by_end_user_id",
} as const satisfies Record<keyof RunLabels, string>;
/** In the order in which rows are inserted. */
export const LABELS = Object.keys(LABEL_INDEX) as (keyof RunLabels)[];

/** Which runs a list is made of: `seq` from low to high. */
interface Range {
  readonly low: number;
  readonly high: number;
}

interface Loaded {
  readonly counts: RunCounts;
  /** The runs that no stored chunk has. */
  readonly tail: RunColumns;
}

/**
 * Finds and counts runs for lists. A thousand runs and more back, their status and workflow lie in
 * chunks (`run-columns.ts`), a row for 1,024 runs with its counts; those of the tail are read from
 * the runs themselves when somebody asks first, and both are kept in step with each change from then
 * on, in its transaction. So a count is exact, and costs what the chunks and a page have, whatever
 * the filter.
 */
export class RunIndex {
  readonly #sql: SqlStorage;
  #loaded: Loaded | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** What is in memory may be ahead of the rows: a transaction was rolled back. */
  forget(): void {
    this.#loaded = undefined;
  }

  /** A run was inserted as the last one. */
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
      this.#read(columns, { low: columns.first, high: (n + 1) * CHUNK_RUNS });
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

  /** Of one workflow, or of all. */
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

  /** How many runs match in all, and those of the page, newest first, with one more if there is one. */
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
    const labelled = this.#labelled(filter.labels, columns, range);
    if (labelled !== undefined) {
      const page = labelled.filter((seq) => seq <= pageRange.high).slice(0, max);
      return { total: labelled.length, page };
    }
    return { total: this.#count(columns, range), page: this.#page(columns, pageRange, max) };
  }

  /** Runs that carry all of these labels, newest first; undefined when none is asked for. */
  #labelled(
    labels: Partial<RunLabels> | undefined,
    { workflow, status }: ColumnFilter,
    { low, high }: Range,
  ): number[] | undefined {
    const given = Object.entries(labels ?? {}) as [keyof RunLabels, string | null][];
    const [first, ...others] = given.filter(([, value]) => value !== null);
    if (first === undefined) {
      return undefined;
    }
    const conditions = others.map(([name]) => ` AND ${name} = ?`).join("");
    return this.#sql
      .exec<{ seq: number; workflow: number; status: RunStatus }>(
        `SELECT seq, workflow, status FROM runs INDEXED BY ${LABEL_INDEX[first[0]]}
         WHERE ${first[0]} = ? AND seq BETWEEN ? AND ?${conditions} ORDER BY seq DESC`,
        first[1],
        low,
        high,
        ...others.map(([, value]) => value),
      )
      .toArray()
      .filter(
        (run) =>
          (workflow === null || run.workflow === workflow) &&
          (status === null || statusCode(run.status) === status),
      )
      .map(({ seq }) => seq);
  }

  #count(filter: ColumnFilter, { low, high }: Range): number {
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

  #page(filter: ColumnFilter, { low, high }: Range, max: number): number[] {
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

  /** Creation times never run against the order of admission, so dates bound `seq`. Both ends are left out. */
  #between(afterMs: number | null, beforeMs: number | null): Range {
    return {
      low: afterMs === null ? 1 : this.#firstFrom(afterMs + 1),
      high: beforeMs === null ? Infinity : this.#firstFrom(beforeMs) - 1,
    };
  }

  /** The first run created at `atMs` or later; one past the last run where there is none. */
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

  #read(into: RunColumns, { low, high }: Range): void {
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

function chunkOf(seq: number): number {
  return Math.floor((seq - 1) / CHUNK_RUNS);
}
