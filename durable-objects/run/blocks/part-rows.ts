/**
 * The one table of a run: texts by key. Keys are ordered text, so related parts are read as a range. Changes are held
 * in memory until `flush`; the first flush creates the table and writes everything into one row, the bundle. A part's
 * own row takes precedence over its text in the bundle.
 */
import { schemaMark } from "../../shared/migrations.ts";

/** The version of the table's contents, which a new run has. */
export const PART_VERSION = 5;

/** Everything of a run, by key: a separate table would cost a new object as much as two rows. */
const partTable = (version: number) =>
  `CREATE TABLE part (k TEXT PRIMARY KEY, v TEXT NOT NULL ${schemaMark(version)}) WITHOUT ROWID`;
export const PART_TABLE = partTable(PART_VERSION);

export const BUNDLE_KEY = "run";

/** Most characters of a bundle, at most three bytes each; further parts have their own rows. */
export const BUNDLE_CHARS_MAX = 400_000;

type Row = { k: string; v: string };

export class PartRows {
  readonly #sql: SqlStorage;
  /** Null marks a deleted part. A new map at each flush: see docs/decisions/memory-budget.md. */
  #pending = new Map<string, string | null>();
  #bundle: Map<string, string> | undefined;
  #isDamaged = false;
  #isStored: boolean;

  constructor(sql: SqlStorage, isStored: boolean) {
    this.#sql = sql;
    this.#isStored = isStored;
  }

  /** Whether the table exists, and with it everything that was flushed. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /**
   * Whether parts of the bundle cannot be read. Its row is then never written again: new texts get their own rows, and
   * the rest of the old ones stays for inspection.
   */
  get isDamaged(): boolean {
    if (this.#isStored) {
      this.#bundled();
    }
    return this.#isDamaged;
  }

  /** Everything in the database was deleted. */
  erased(): void {
    this.forget();
    this.#isStored = false;
    this.#isDamaged = false;
  }

  /** Drops changes since the last flush. */
  forget(): void {
    this.#pending = new Map();
    this.#bundle = undefined;
  }

  get(key: string): string | undefined {
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      return pending ?? undefined;
    }
    if (!this.#isStored) {
      return undefined;
    }
    const own = this.#sql.exec<Row>("SELECT k, v FROM part WHERE k = ?", key).toArray()[0]?.v;
    return textOf(own ?? this.#bundled().get(key));
  }

  /** Parts with `from <= key < to` in order of their keys; the first `limit` of them, with few others read. */
  between(from: string, to: string, limit = Infinity): [key: string, text: string][] {
    const found = new Map<string, string>();
    // A row may belong to a deleted part; the bundle or the pending changes mark it as deleted.
    let rows = limit + [...this.#pending.keys()].filter((key) => key >= from && key < to).length;
    if (this.#isStored) {
      for (const [key, text] of this.#bundled()) {
        if (key >= from && key < to) {
          found.set(key, text);
          rows++;
        }
      }
      const own = this.#sql.exec<Row>(
        "SELECT k, v FROM part WHERE k >= ? AND k < ? ORDER BY k LIMIT ?",
        from,
        to,
        Number.isFinite(rows) ? rows : -1,
      );
      for (const { k, v } of own.toArray()) {
        found.set(k, v);
      }
    }
    for (const [key, text] of this.#pending) {
      if (key >= from && key < to) {
        found.set(key, text ?? "");
      }
    }
    return [...found]
      .filter(([, text]) => text !== "")
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .slice(0, limit);
  }

  /** First lines of parts with `from <= key < to`, in order of their keys: fast for long texts. */
  headsBetween(from: string, to: string): [key: string, head: string][] {
    const found = new Map<string, string>();
    if (this.#isStored) {
      for (const [key, text] of this.#bundled()) {
        if (key >= from && key < to) {
          found.set(key, headOf(text));
        }
      }
      for (const { k, v } of this.#sql
        .exec<Row>(
          "SELECT k, substr(v, 1, instr(v, char(10)) - 1) AS v FROM part WHERE k >= ? AND k < ?",
          from,
          to,
        )
        .toArray()) {
        found.set(k, v);
      }
    }
    for (const [key, text] of this.#pending) {
      if (key >= from && key < to) {
        found.set(key, headOf(text ?? ""));
      }
    }
    return [...found].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  }

  /** The last key with `from <= key < to`, also of a deleted part. */
  lastKey(from: string, to: string): string | undefined {
    let last: string | undefined;
    const take = (key: string) => {
      if (key >= from && key < to && (last === undefined || key > last)) {
        last = key;
      }
    };
    if (this.#isStored) {
      for (const key of this.#bundled().keys()) {
        take(key);
      }
      this.#sql
        .exec<{ k: string }>(
          "SELECT k FROM part WHERE k >= ? AND k < ? ORDER BY k DESC LIMIT 1",
          from,
          to,
        )
        .toArray()
        .forEach(({ k }) => {
          take(k);
        });
    }
    for (const key of this.#pending.keys()) {
      take(key);
    }
    return last;
  }

  /** A text is never empty; an empty one marks a deleted part of the bundle. */
  put(key: string, text: string): void {
    this.#pending.set(key, text);
  }

  delete(key: string): void {
    this.#pending.set(key, null);
  }

  /** The parts of a run that has no row yet. */
  get unsaved(): readonly (readonly [key: string, text: string])[] {
    return [...this.#pending].flatMap(([key, text]) =>
      text === null ? [] : [[key, text] as const],
    );
  }

  /** Writes the changes, within the caller's transaction. `version`: of the table, if this creates it. */
  flush(version = PART_VERSION): void {
    const isFirst = !this.#isStored;
    if (isFirst) {
      this.#sql.exec(partTable(version));
      this.#bundle = new Map();
      this.#writeBundle();
    }
    for (const [key, text] of this.#pending) {
      if (text !== null) {
        this.#write(key, text);
      } else if (this.#bundled().has(key)) {
        this.#write(key, "");
      } else {
        this.#sql.exec("DELETE FROM part WHERE k = ?", key);
      }
    }
    this.#pending = new Map();
    this.#isStored ||= isFirst;
  }

  /**
   * Writes the changes into the bundle if the run has no other row, and so writes one row; otherwise like `flush`. In
   * both cases the bundle loses the texts of parts that were deleted or replaced.
   */
  flushBundled(): void {
    const rows = this.#sql.exec<{ k: string }>("SELECT k FROM part LIMIT 2").toArray();
    if (this.isDamaged) {
      // Unchanged.
    } else if (rows.length === 1 && rows[0]?.k === BUNDLE_KEY) {
      this.#writeBundle();
    } else {
      this.#purgeBundle();
    }
    this.flush();
  }

  #write(key: string, text: string): void {
    this.#sql.exec(
      "INSERT INTO part VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
      key,
      text,
    );
  }

  /** As many of the changes as fit, in their order. */
  #writeBundle(): void {
    const bundle = this.#bundled();
    let chars = [...bundle].reduce(
      (sum, [key, text]) => sum + (this.#pending.has(key) ? 0 : text.length),
      0,
    );
    for (const [key, text] of this.#pending) {
      if (text === null) {
        bundle.delete(key);
        this.#pending.delete(key);
      } else if (chars + text.length <= BUNDLE_CHARS_MAX) {
        chars += text.length;
        bundle.set(key, text);
        this.#pending.delete(key);
      } else {
        bundle.delete(key);
      }
    }
    this.#write(BUNDLE_KEY, encodeBundle(bundle));
  }

  /**
   * Removes parts with their own rows from the bundle, and replaces texts of the same length in place: besides other
   * rows, the bundle keeps old texts.
   */
  #purgeBundle(): void {
    const bundle = this.#bundled();
    let isChanged = false;
    for (const [key, before] of bundle) {
      const own = this.#sql.exec<Row>("SELECT k, v FROM part WHERE k = ?", key).toArray()[0];
      const pending = this.#pending.get(key);
      isChanged ||= own !== undefined || pending !== undefined;
      if (own?.v === "") {
        this.#sql.exec("DELETE FROM part WHERE k = ?", key);
      }
      if (own === undefined && typeof pending === "string" && pending.length <= before.length) {
        bundle.set(key, pending);
        this.#pending.delete(key);
      } else if (own !== undefined || pending !== undefined) {
        bundle.delete(key);
      }
    }
    if (isChanged) {
      this.#write(BUNDLE_KEY, encodeBundle(bundle));
    }
  }

  #bundled(): Map<string, string> {
    if (this.#bundle === undefined) {
      const text = this.#sql
        .exec<Row>("SELECT k, v FROM part WHERE k = ?", BUNDLE_KEY)
        .toArray()[0]?.v;
      const { bundle, isWhole } = decodeBundle(text);
      this.#bundle = bundle;
      this.#isDamaged = !isWhole;
    }
    return this.#bundle;
  }
}

function textOf(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function headOf(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? "" : text.slice(0, end);
}

/** A line of keys and lengths, then the texts one after the other. */
function encodeBundle(bundle: ReadonlyMap<string, string>): string {
  const index = [...bundle].map(([key, text]) => [key, text.length]);
  return `${JSON.stringify(index)}\n${[...bundle.values()].join("")}`;
}

/** The parts whose texts are complete. */
function decodeBundle(text: string | undefined): {
  readonly bundle: Map<string, string>;
  readonly isWhole: boolean;
} {
  const bundle = new Map<string, string>();
  if (text === undefined) {
    return { bundle, isWhole: true };
  }
  const end = text.indexOf("\n");
  let at = end + 1;
  for (const [key, length] of bundleIndex(text.slice(0, Math.max(end, 0)))) {
    if (at + length <= text.length) {
      bundle.set(key, text.slice(at, at + length));
    }
    at += length;
  }
  return { bundle, isWhole: end !== -1 && at === text.length };
}

/** Empty if it is damaged: without lengths the texts cannot be separated. */
function bundleIndex(line: string): [string, number][] {
  try {
    return JSON.parse(line) as [string, number][];
  } catch {
    return [];
  }
}
