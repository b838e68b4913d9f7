import type { RunLabels } from "../../src/contracts/workspaces/admission.ts";
import { CHUNK_RUNS, chunkOf, type SeqRange } from "./run-columns.ts";
import { RunMask } from "./run-mask.ts";

/** Filter columns that most runs leave empty: each has a partial index. */
const LABEL_INDEX = {
  batch: "runs_by_batch",
  schedule: "runs_by_schedule",
  retry_of: "runs_by_retry_of",
  client_reference: "runs_by_client_reference",
  embed: "runs_by_embed",
  end_user_id: "runs_by_end_user_id",
} as const satisfies Record<keyof RunLabels, string>;

export type LabelName = keyof RunLabels;
/** In the order of insertion. */
export const LABELS = Object.keys(LABEL_INDEX) as LabelName[];

export interface Label {
  readonly name: LabelName;
  readonly value: string;
}

/**
 * A value that at least this many of a chunk's 1,024 runs carry gets a row for that chunk. So a run costs at most 1/32
 * of a row per label, and at most 31 entries of a value are read one by one in each chunk.
 */
export const FREQUENT_RUNS = 32;

/** Version 3 of the workspace's tables: the runs of a stored chunk that carry a value that is frequent in it. */
export const LABEL_CHUNKS_COLUMNS = `
    name TEXT NOT NULL, value TEXT NOT NULL, n INTEGER NOT NULL, count INTEGER NOT NULL,
    bits BLOB NOT NULL, PRIMARY KEY (name, value, n)`;

interface Covered {
  readonly n: number;
  readonly count: number;
}

/**
 * Finds and counts the runs that carry a label. Each label has a partial index; frequent values are in
 * `run_label_chunks` instead: one bit for each run of a chunk, written once, when the chunk is stored. Labels of a run
 * never change, and neither do these rows.
 */
export class LabelIndex {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Stores the frequent values of chunk `n`, from its runs with their labels. */
  seal(n: number, runs: Iterable<{ readonly seq: number } & RunLabels>): void {
    const masks = new Map<string, { label: Label; mask: RunMask }>();
    for (const run of runs) {
      for (const name of LABELS) {
        const value = run[name];
        if (value !== null) {
          const key = `${name} ${value}`;
          const kept = masks.get(key) ?? { label: { name, value }, mask: new RunMask(n) };
          kept.mask.add(run.seq);
          masks.set(key, kept);
        }
      }
    }
    for (const { label, mask } of masks.values()) {
      this.#keep(label, mask);
    }
  }

  /** Stores the frequent values of all chunks before `n`, for a database that does not have them yet. */
  sealAllBefore(n: number): void {
    for (const name of LABELS) {
      for (const { value, seqs, chunk } of this.#sql
        .exec<{ value: string; seqs: string; chunk: number }>(
          `SELECT ${name} AS value, (seq - 1) / ${String(CHUNK_RUNS)} AS chunk,
             json_group_array(seq) AS seqs
           FROM runs INDEXED BY ${LABEL_INDEX[name]}
           WHERE ${name} IS NOT NULL AND seq <= ? GROUP BY value, chunk
           HAVING count(*) >= ${String(FREQUENT_RUNS)}`,
          n * CHUNK_RUNS,
        )
        .toArray()) {
        this.#keep({ name, value }, RunMask.of(chunk, JSON.parse(seqs) as number[]));
      }
    }
  }

  /** Counts the runs that carry the label. */
  count(label: Label): number {
    const covered = this.#covered(label, ALL_CHUNKS);
    const known = covered.reduce((sum, { count }) => sum + count, 0);
    const { rest } = this.#sql
      .exec<{ rest: number }>(
        `SELECT count(*) AS rest ${this.#besides(label)}`,
        label.value,
        gapsBetween(covered, EVERY_RUN),
      )
      .one();
    return known + rest;
  }

  /** Returns the runs that carry the label, newest first. */
  page({ name, value }: Label, { low, high }: SeqRange, max: number): number[] {
    return this.#sql
      .exec<{ seq: number }>(
        `SELECT seq FROM runs INDEXED BY ${LABEL_INDEX[name]}
         WHERE ${name} = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?`,
        value,
        low,
        Math.min(high, Number.MAX_SAFE_INTEGER),
        max,
      )
      .toArray()
      .map(({ seq }) => seq);
  }

  /** Returns the runs of the range that carry the label, by chunk; chunks without any are left out. */
  masks(label: Label, range: SeqRange): Map<number, RunMask> {
    const covered = this.#covered(label, range);
    const masks = new Map<number, RunMask>();
    for (const { n, bits } of this.#sql.exec<{ n: number; bits: ArrayBuffer }>(
      `SELECT n, bits FROM run_label_chunks WHERE name = ? AND value = ? AND n BETWEEN ? AND ?`,
      label.name,
      label.value,
      ...chunksOf(range),
    )) {
      masks.set(n, new RunMask(n, bits));
    }
    const { seqs } = this.#sql
      .exec<{ seqs: string }>(
        `SELECT json_group_array(seq) AS seqs ${this.#besides(label)}`,
        label.value,
        gapsBetween(covered, range),
      )
      .one();
    for (const seq of JSON.parse(seqs) as number[]) {
      const n = chunkOf(seq);
      const mask = masks.get(n) ?? new RunMask(n);
      mask.add(seq);
      masks.set(n, mask);
    }
    return masks;
  }

  /** The runs that carry the label and lie in the gaps between chunks that have a row. */
  #besides({ name }: Label): string {
    return `FROM json_each(?2) AS gap CROSS JOIN runs INDEXED BY ${LABEL_INDEX[name]}
      WHERE ${name} = ?1 AND seq BETWEEN gap.value ->> 0 AND gap.value ->> 1`;
  }

  #covered({ name, value }: Label, range: SeqRange): Covered[] {
    return this.#sql
      .exec<{ n: number; count: number }>(
        `SELECT n, count FROM run_label_chunks
         WHERE name = ? AND value = ? AND n BETWEEN ? AND ? ORDER BY n`,
        name,
        value,
        ...chunksOf(range),
      )
      .toArray();
  }

  #keep({ name, value }: Label, mask: RunMask): void {
    if (mask.size >= FREQUENT_RUNS) {
      this.#sql.exec(
        "INSERT INTO run_label_chunks (name, value, n, count, bits) VALUES (?, ?, ?, ?, ?)",
        name,
        value,
        mask.n,
        mask.size,
        mask.stored(),
      );
    }
  }
}

const EVERY_RUN: SeqRange = { low: 1, high: Infinity };
const ALL_CHUNKS = EVERY_RUN;

function chunksOf({ low, high }: SeqRange): [number, number] {
  return [chunkOf(low), Math.min(chunkOf(high), Number.MAX_SAFE_INTEGER)];
}

/** The parts of the range without a covering chunk, as JSON: pairs of the first and the last `seq`. */
function gapsBetween(covered: readonly Covered[], { low, high }: SeqRange): string {
  const gaps: [number, number][] = [];
  let from = low;
  for (const { n } of covered) {
    if (n * CHUNK_RUNS >= from) {
      gaps.push([from, n * CHUNK_RUNS]);
    }
    from = (n + 1) * CHUNK_RUNS + 1;
  }
  const last = Math.min(high, Number.MAX_SAFE_INTEGER);
  if (from <= last) {
    gaps.push([from, last]);
  }
  return JSON.stringify(gaps);
}
