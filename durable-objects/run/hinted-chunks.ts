import type { TaskWorker } from "../../src/contracts/task-workers.ts";
import type { RunStore } from "./run-store.ts";

/** Tasks that one Worker takes together. */
export interface QueuedChunk {
  readonly chunk: number;
  readonly worker: TaskWorker;
}

/** Without a claim by then a hint counts as lost and is sent again. */
const HINT_MS = 5_000;

/** Chunks at most that a run can have made since its state was last written, and with it their number. */
const CHUNKS_UNWRITTEN = 64;
const CHUNKS_KEY = "chunks";

interface Hinted extends QueuedChunk {
  readonly ids: readonly number[];
  dueMs: number;
}

/**
 * Chunks of tasks that were hinted at and not claimed yet, in memory only: an object that has lost it
 * makes new ones of what is ready.
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

  /** When the first hint counts as lost; Infinity when there is none. */
  get nextDueMs(): number {
    return Math.min(Infinity, ...[...this.#chunks.values()].map(({ dueMs }) => dueMs));
  }

  add(worker: TaskWorker, ids: readonly number[], nowMs: number): QueuedChunk {
    const chunk = this.#nextNumber();
    this.#chunks.set(chunk, { chunk, worker, ids, dueMs: nowMs + HINT_MS });
    return { chunk, worker };
  }

  /** Ids of a chunk's tasks, undefined for one that is not known or was claimed. */
  idsOf(chunk: number): readonly number[] | undefined {
    return this.#chunks.get(chunk)?.ids;
  }

  claimed(chunk: number): void {
    this.#chunks.delete(chunk);
  }

  /** Chunks whose hint is overdue, due again later. */
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

  /** None is due later than it can be meant to be. */
  pullIn(nowMs: number): void {
    for (const hinted of this.#chunks.values()) {
      hinted.dueMs = Math.min(hinted.dueMs, nowMs + HINT_MS);
    }
  }

  clear(): void {
    this.#chunks.clear();
  }

  /** Memory is lost: what was numbered since may not be numbered the same. */
  forget(): void {
    this.#chunks.clear();
    this.#last = undefined;
  }

  /**
   * Numbers are not used twice, also by an object that has lost its memory: a hint from before would
   * bring one Worker to the tasks of another.
   */
  #nextNumber(): number {
    if (this.#last === undefined) {
      this.#last = Number(this.#store.getMetadata(CHUNKS_KEY) ?? 0);
      if (!this.#store.isNew) {
        this.#last += CHUNKS_UNWRITTEN;
        // Written, so that the next object to lose its memory begins beyond this one.
        this.#store.putMetadata(CHUNKS_KEY, this.#last);
      }
    }
    this.#last++;
    this.#store.noteMetadata(CHUNKS_KEY, this.#last);
    return this.#last;
  }
}
