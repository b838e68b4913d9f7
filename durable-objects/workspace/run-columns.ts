/**
 * Status and workflow of runs as columns of small numbers, in the order of admission: the base of all lists and counts
 * of runs, without an index entry per run. Pure.
 */
import { RunStatus } from "../../src/contracts/runs/run.ts";

/** Runs of a chunk: one database row stores status and workflow of this many. */
export const CHUNK_RUNS = 1024;

/** The filter of a list of runs: `seq` from low to high. */
export interface SeqRange {
  readonly low: number;
  readonly high: number;
}

/** The chunk that has the run with this number. */
export function chunkOf(seq: number): number {
  return Math.floor((seq - 1) / CHUNK_RUNS);
}

const STATUSES = RunStatus.options;
/** Codes start at 1; 0 means no run. */
const CODES = new Map(STATUSES.map((status, at) => [status, at + 1]));
/** Range of codes including 0: a workflow's number and a code form one key. */
const CODES_MAX = 8;

export function statusCode(status: RunStatus): number {
  return CODES.get(status) ?? 0;
}

/** The filter: this workflow, this status code; null for any. */
export interface ColumnFilter {
  readonly workflow: number | null;
  readonly status: number | null;
}

function isMatch(filter: ColumnFilter, workflow: number, status: number): boolean {
  return (
    status !== 0 &&
    (filter.status === null || filter.status === status) &&
    (filter.workflow === null || filter.workflow === workflow)
  );
}

/** Numbers of runs by workflow and status. */
export class RunCounts {
  readonly #byKey = new Map<number, number>();
  readonly #byStatus = new Float64Array(CODES_MAX);

  add(workflow: number, status: number, more: number): void {
    const key = workflow * CODES_MAX + status;
    const count = (this.#byKey.get(key) ?? 0) + more;
    if (count === 0) {
      this.#byKey.delete(key);
    } else {
      this.#byKey.set(key, count);
    }
    this.#byStatus[status] = (this.#byStatus[status] ?? 0) + more;
  }

  /** Adds all counts of a stored chunk. */
  addPacked(packed: ArrayBuffer): void {
    const numbers = new Uint32Array(packed);
    for (let at = 0; at + 1 < numbers.length; at += 2) {
      const key = numbers[at] ?? 0;
      this.add(Math.floor(key / CODES_MAX), key % CODES_MAX, numbers[at + 1] ?? 0);
    }
  }

  count({ workflow, status }: ColumnFilter): number {
    let count = 0;
    for (let code = 1; code < CODES_MAX; code++) {
      if (status === null || status === code) {
        count +=
          workflow === null
            ? (this.#byStatus[code] ?? 0)
            : (this.#byKey.get(workflow * CODES_MAX + code) ?? 0);
      }
    }
    return count;
  }

  /** Pairs of key and count, 32 bits each. */
  pack(): ArrayBuffer {
    return Uint32Array.from([...this.#byKey].flat()).buffer;
  }
}

/** The number of matching runs of a stored chunk, from its packed counts alone. */
export function countPacked(packed: ArrayBuffer, filter: ColumnFilter): number {
  const numbers = new Uint32Array(packed);
  let count = 0;
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const key = numbers[at] ?? 0;
    if (isMatch(filter, Math.floor(key / CODES_MAX), key % CODES_MAX)) {
      count += numbers[at + 1] ?? 0;
    }
  }
  return count;
}

/** The columns of consecutive runs, starting with run `first`. */
export class RunColumns {
  readonly first: number;
  #statuses: Uint8Array;
  #workflows: Uint32Array;

  constructor(first: number, stored?: { statuses: ArrayBuffer; workflows: ArrayBuffer }) {
    this.first = first;
    this.#statuses =
      stored === undefined ? new Uint8Array(CHUNK_RUNS) : new Uint8Array(stored.statuses);
    this.#workflows =
      stored === undefined ? new Uint32Array(CHUNK_RUNS) : new Uint32Array(stored.workflows);
  }

  set(seq: number, workflow: number, status: number): void {
    const at = seq - this.first;
    if (at >= this.#statuses.length) {
      const room = Math.max(2 * this.#statuses.length, at + 1);
      const [statuses, workflows] = [this.#statuses, this.#workflows];
      this.#statuses = new Uint8Array(room);
      this.#workflows = new Uint32Array(room);
      this.#statuses.set(statuses);
      this.#workflows.set(workflows);
    }
    this.#statuses[at] = status;
    this.#workflows[at] = workflow;
  }

  /** Whether a run with this number exists and matches. */
  has(seq: number, filter: ColumnFilter): boolean {
    const at = seq - this.first;
    return isMatch(filter, this.#workflows[at] ?? 0, this.#statuses[at] ?? 0);
  }

  /** Counts the matching runs from `low` to `high`. */
  count(filter: ColumnFilter, low: number, high: number): number {
    let count = 0;
    this.#each(filter, low, high, () => {
      count++;
      return true;
    });
    return count;
  }

  /** Appends the matching runs from `high` down to `low`, until `found` has `max`. */
  collect(filter: ColumnFilter, low: number, high: number, found: number[], max: number): void {
    this.#each(filter, low, high, (seq) => {
      found.push(seq);
      return found.length < max;
    });
  }

  /** By workflow and status. */
  counts(): RunCounts {
    const counts = new RunCounts();
    for (let at = 0; at < this.#statuses.length; at++) {
      const status = this.#statuses[at] ?? 0;
      if (status !== 0) {
        counts.add(this.#workflows[at] ?? 0, status, 1);
      }
    }
    return counts;
  }

  stored(): { statuses: ArrayBuffer; workflows: ArrayBuffer } {
    return {
      statuses: this.#statuses.slice().buffer,
      workflows: this.#workflows.slice().buffer,
    };
  }

  #each(filter: ColumnFilter, low: number, high: number, take: (seq: number) => boolean): void {
    const from = Math.min(high - this.first, this.#statuses.length - 1);
    const to = Math.max(0, low - this.first);
    for (let at = from; at >= to; at--) {
      if (
        isMatch(filter, this.#workflows[at] ?? 0, this.#statuses[at] ?? 0) &&
        !take(this.first + at)
      ) {
        return;
      }
    }
  }
}
