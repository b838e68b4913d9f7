/**
 * The one table of a run: texts by key. Keys are ordered text, so the parts of one thing are read as a
 * range. What is put is held in memory until `flush`; the first flush makes the table and writes
 * everything there is by then into one row, the bundle. A row of a part's own counts before what the
 * bundle has of it.
 */
import { schemaMark } from "../shared/migrations.ts";

/** Everything of a run, by key: a table costs a new object as much as two rows. */
export const PART_TABLE = `CREATE TABLE part (k TEXT PRIMARY KEY, v TEXT NOT NULL ${schemaMark(4)}) WITHOUT ROWID`;

export const BUNDLE_KEY = "run";

/** Characters of a bundle at most, three bytes each at worst; what does not fit has rows of its own. */
export const BUNDLE_CHARS_MAX = 400_000;

type Row = { k: string; v: string };

export class PartRows {
  readonly #sql: SqlStorage;
  /** Null says that the part is gone. */
  readonly #pending = new Map<string, string | null>();
  #bundle: Map<string, string> | undefined;
  #isDamaged = false;
  #isStored: boolean;

  constructor(sql: SqlStorage, isStored: boolean) {
    this.#sql = sql;
    this.#isStored = isStored;
  }

  /** Whether the table is there, and with it everything that was flushed. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /**
   * Whether parts of the bundle cannot be read. Its row is not written any more: what goes on has rows
   * of its own, and what is left of the old texts stays for whoever looks into it.
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

  /** Forgets what was put since the last flush. */
  forget(): void {
    this.#pending.clear();
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

  /** Parts with `from <= key < to` in order of their keys; the first `limit` of them, reading few others. */
  between(from: string, to: string, limit = Infinity): [key: string, text: string][] {
    const found = new Map<string, string>();
    // A row may be of a part that is gone: then the bundle has it, or what was put says so.
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

  /** First lines of parts with `from <= key < to`, in order of their keys: cheap where texts are long. */
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

  /** The last key with `from <= key < to`, whether or not its part is gone. */
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

  /** A text is never empty: that is how a bundle's part is gone. */
  put(key: string, text: string): void {
    this.#pending.set(key, text);
  }

  delete(key: string): void {
    this.#pending.set(key, null);
  }

  /** Writes what was put, within the caller's transaction. */
  flush(): void {
    const isFirst = !this.#isStored;
    if (isFirst) {
      this.#sql.exec(PART_TABLE);
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
    this.#pending.clear();
    this.#isStored ||= isFirst;
  }

  /**
   * Writes what was put into the bundle where the run has no other row, and so writes one row; else as
   * `flush` does. Either way the bundle loses the text of every part that is gone or has a newer text.
   */
  flushBundled(): void {
    const rows = this.#sql.exec<{ k: string }>("SELECT k FROM part LIMIT 2").toArray();
    if (this.isDamaged) {
      // Left as it is.
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

  /** As much of what was put as fits, in the order it was put. */
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
   * Takes out of the bundle what has a row of its own, and writes there what was put in place of a text
   * that was as long: beside other rows, the bundle keeps old texts.
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

/** The parts whose texts are all there. */
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

/** Empty for a damaged one: without its lengths no text can be told from the next. */
function bundleIndex(line: string): [string, number][] {
  try {
    return JSON.parse(line) as [string, number][];
  } catch {
    return [];
  }
}
