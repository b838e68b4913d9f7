/**
 * The attempts up to which tasks have left orphaned files, in rows of tasks with neighboring numbers: recording a task
 * rewrites one small row, once per transaction.
 */
import type { PartRows } from "./part-rows.ts";

/** All of a run in one row (`litter` is the stored name), the form before pages existed. Still read; `forget` empties it. */
const WHOLE = "litter";
const PREFIX = "litter.";
/** The character after the dot: the end of the range of keys, including `WHOLE`. */
const END = "litter/";

const TASKS_A_PAGE = 256;

type Noted = Map<number, number>;

export class OrphanRows {
  readonly #parts: PartRows;
  /** Pages that were read, by key. */
  readonly #pages = new Map<string, Noted>();
  readonly #dirty = new Set<string>();

  constructor(parts: PartRows) {
    this.#parts = parts;
  }

  /** Written by the next `encode`. */
  note(task: number, attempt: number): void {
    const key = `${PREFIX}${Math.floor(task / TASKS_A_PAGE)}`;
    this.#page(key).set(task, attempt);
    this.#dirty.add(key);
  }

  /** The last record by task. */
  all(): Noted {
    const noted: Noted = new Map();
    const keys = new Set(this.#parts.between(WHOLE, END).map(([key]) => key));
    for (const key of [...keys, ...this.#dirty]) {
      for (const [task, attempt] of this.#page(key)) {
        noted.set(task, Math.max(attempt, noted.get(task) ?? 0));
      }
    }
    return noted;
  }

  forget(tasks: readonly number[]): void {
    const keys = new Set(
      tasks.map((task) => `${PREFIX}${Math.floor(task / TASKS_A_PAGE)}`).concat(WHOLE),
    );
    for (const key of keys) {
      const page = this.#page(key);
      const before = page.size;
      for (const task of tasks) {
        page.delete(task);
      }
      if (page.size < before) {
        this.#dirty.add(key);
      }
    }
  }

  /** Passes changes to the parts. */
  encode(): void {
    for (const key of this.#dirty) {
      const page = this.#page(key);
      if (page.size === 0) {
        this.#parts.delete(key);
      } else {
        this.#parts.put(key, JSON.stringify([...page]));
      }
    }
    // Not needed before the run's end, so it need not stay in memory.
    this.reset();
  }

  /** Drops changes that were not passed on, as after a rollback. */
  reset(): void {
    this.#pages.clear();
    this.#dirty.clear();
  }

  #page(key: string): Noted {
    let page = this.#pages.get(key);
    if (page === undefined) {
      const text = this.#parts.get(key);
      page = new Map(text === undefined ? [] : (JSON.parse(text) as [number, number][]));
      this.#pages.set(key, page);
    }
    return page;
  }
}
