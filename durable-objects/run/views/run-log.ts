/**
 * The log of a run: one entry for each commit with a change, written in that commit. The last entries are stored with
 * the state, which is written anyway; a full page of them is moved to its own row.
 */
import {
  decodeDelta,
  encodeDelta,
  type LoggedDelta,
  NEW_PHASE_PREFIX,
} from "../../../src/engine/events/delta-text.ts";
import type { RunDelta } from "../../../src/engine/events/run-delta.ts";
import type { PartRows } from "../blocks/part-rows.ts";

/** A page is moved when it has this many entries or characters. */
const PAGE_ENTRIES = 64;
const PAGE_CHARS = 8_000;

/** Pages read together: they contain as many entries as most reads need, from any position. */
const PAGES_AT_ONCE = 2;

const PREFIX = "log.";
/** The character after the dot: the end of the range of keys. */
const END = "log/";
const DIGITS = 9;

/** The entries stored with the state, and the number of the first. */
export interface LogTail {
  readonly from: number;
  readonly entries: readonly string[];
}

export class RunLog {
  readonly #parts: PartRows;
  readonly #nowMs: () => number;
  readonly #loadTail: () => LogTail;
  #tail: { from: number; entries: string[] } | undefined;
  /** Called after each commit that added an entry. */
  onCommitted: (entry: LoggedDelta) => void = () => {};

  /** `loadTail` reads the `tail` of the last written state. */
  constructor(parts: PartRows, nowMs: () => number, loadTail: () => LogTail) {
    this.#parts = parts;
    this.#nowMs = nowMs;
    this.#loadTail = loadTail;
  }

  /** Number of the last entry, 0 before the first: increases whenever a view of the run may change. */
  get head(): number {
    const { from, entries } = this.#last();
    return from + entries.length - 1;
  }

  get tail(): LogTail {
    return this.#last();
  }

  /** The state in memory may be ahead of the rows. */
  forget(): void {
    this.#tail = undefined;
  }

  /** Adds an entry within the caller's transaction. `committed` is called after it succeeded. */
  append(delta: RunDelta): LoggedDelta {
    const tail = this.#last();
    const last = tail.entries.at(-1);
    const lastMs = last === undefined ? 0 : decodeDelta(this.head, last).atMs;
    const entry = { seq: this.head + 1, atMs: Math.max(this.#nowMs(), lastMs), delta };
    this.appendText(encodeDelta(delta, entry.atMs));
    return entry;
  }

  /** The same for an entry that is text already. */
  appendText(text: string): void {
    const tail = this.#last();
    const chars = tail.entries.reduce((sum, { length }) => sum + length, 0);
    if (tail.entries.length >= PAGE_ENTRIES || chars > PAGE_CHARS) {
      this.#parts.put(keyOf(tail.from), `[${tail.entries.join(",")}]`);
      tail.from += tail.entries.length;
      tail.entries = [];
    }
    tail.entries.push(text);
  }

  committed(entry: LoggedDelta): void {
    this.onCommitted(entry);
  }

  /** At most `limit` entries, starting with `seq` or the next one. */
  from(seq: number, limit: number): LoggedDelta[] {
    const found: LoggedDelta[] = [];
    if (seq < this.#last().from) {
      // The page that contains `seq` begins at it or before it.
      let first = this.#parts.lastKey(PREFIX, `${keyOf(seq)}.`) ?? PREFIX;
      for (let isEnd = false; !isEnd;) {
        const pages = this.#parts.between(first, END, PAGES_AT_ONCE);
        for (const [key, text] of pages) {
          found.push(...pageOf(key, text).filter((entry) => entry.seq >= seq));
          first = `${key}.`;
        }
        if (found.length >= limit) {
          return found.slice(0, limit);
        }
        isEnd = pages.length < PAGES_AT_ONCE;
      }
    }
    const { from, entries } = this.#last();
    const start = Math.max(seq - from, 0);
    entries.slice(start, start + limit - found.length).forEach((text, at) => {
      found.push(decodeDelta(from + start + at, text));
    });
    return found;
  }

  /** Entries after `seq` in which a node opened or ended. */
  newPhasesAfter(seq: number): LoggedDelta[] {
    const pages = this.#parts
      .between(PREFIX, END)
      .flatMap(([key, text]) =>
        textsOf(text).map((entry, at) => [fromOf(key) + at, entry] as const),
      );
    const { from, entries } = this.#last();
    return [...pages, ...entries.map((entry, at) => [from + at, entry] as const)]
      .filter(([number, text]) => number > seq && text.startsWith(NEW_PHASE_PREFIX))
      .map(([number, text]) => decodeDelta(number, text));
  }

  #last(): { from: number; entries: string[] } {
    if (this.#tail === undefined) {
      const { from, entries } = this.#loadTail();
      this.#tail = { from, entries: [...entries] };
    }
    return this.#tail;
  }
}

function keyOf(seq: number): string {
  return PREFIX + String(seq).padStart(DIGITS, "0");
}

function fromOf(key: string): number {
  return Number(key.slice(PREFIX.length));
}

function textsOf(page: string): string[] {
  return (JSON.parse(page) as unknown[]).map((entry) => JSON.stringify(entry));
}

function pageOf(key: string, page: string): LoggedDelta[] {
  return textsOf(page).map((text, at) => decodeDelta(fromOf(key) + at, text));
}
