import type { TaskWorker } from "../../../src/contracts/runs/task-workers.ts";
import type { RunStore } from "../state/run-store.ts";

/** Tasks that one Worker takes together. */
export interface QueuedChunk {
  readonly chunk: number;
  readonly worker: TaskWorker;
}

/** A hint without a claim by then counts as lost and is sent again. */
const HINT_MS = 5_000;

/** Most chunks that a run can have made since its state, with their number, was last written. */
const CHUNKS_UNWRITTEN = 64;
const CHUNKS_KEY = "chunks";

interface Hinted extends QueuedChunk {
  readonly ids: readonly number[];
  dueMs: number;
}

/**
 * Chunks of tasks with a hint and without a claim, in memory only: an object that lost them makes new ones from ready
 * tasks.
 */
export class HintedChunks {
  readonly #store: RunStore;
  readonly #chunks = new Map<number, Hinted>();
  #last: number | undefined;

  constructor(store: RunStore) {
    this.#store = store;
  }

  /** Tasks in chunks. */
  get taskCount(): number {
    return [...this.#chunks.values()].reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** When the first hint counts as lost; Infinity if there is none. */
  get nextDueMs(): number {
    return Math.min(Infinity, ...[...this.#chunks.values()].map(({ dueMs }) => dueMs));
  }

  add(worker: TaskWorker, ids: readonly number[], nowMs: number): QueuedChunk {
    const chunk = this.#nextNumber();
    this.#chunks.set(chunk, { chunk, worker, ids, dueMs: nowMs + HINT_MS });
    return { chunk, worker };
  }

  /** Ids of a chunk's tasks, undefined if it is unknown or was claimed. */
  idsOf(chunk: number): readonly number[] | undefined {
    return this.#chunks.get(chunk)?.ids;
  }

  claimed(chunk: number): void {
    this.#chunks.delete(chunk);
  }

  /** Chunks whose hint is overdue; they are due again later. */
  overdue(nowMs: number): QueuedChunk[] {
    const overdue: QueuedChunk[] = [];
    for (const hinted of this.#chunks.values()) {
      if (hinted.dueMs <= nowMs) {
        hinted.dueMs = nowMs + HINT_MS;
        overdue.push({ chunk: hinted.chunk, worker: hinted.worker });
      }
    }
    return overdue;
  }

  /** Limits due times to the longest possible delay. */
  pullIn(nowMs: number): void {
    for (const hinted of this.#chunks.values()) {
      hinted.dueMs = Math.min(hinted.dueMs, nowMs + HINT_MS);
    }
  }

  clear(): void {
    this.#chunks.clear();
  }

  /** Memory was lost: numbers assigned since the last write may differ. */
  forget(): void {
    this.#chunks.clear();
    this.#last = undefined;
  }

  /**
   * Numbers are never reused, also after a loss of memory: otherwise an old hint would lead one Worker to the tasks of
   * another.
   */
  #nextNumber(): number {
    if (this.#last === undefined) {
      this.#last = Number(this.#store.getMetadata(CHUNKS_KEY) ?? 0);
      if (!this.#store.isNew) {
        this.#last += CHUNKS_UNWRITTEN;
        // Written, so that numbering continues beyond this one after the next loss of memory.
        this.#store.putMetadata(CHUNKS_KEY, this.#last);
      }
    }
    this.#last++;
    this.#store.noteMetadata(CHUNKS_KEY, this.#last);
    return this.#last;
  }
}
