import type {
  CacheEntry,
  CacheFigures,
  CacheFilter,
  CacheLookUp,
  CacheSize,
  KeptEntry,
  WantedEntry,
} from "../../src/contracts/runs/result-cache.ts";
import { canTake } from "../../src/engine/reuse/cache-entry.ts";
import { openDatabase } from "../shared/migrations.ts";
import { CacheMonths } from "./cache-months.ts";
import { CACHE_SCHEMA, CACHE_TABLES } from "./cache-schema.ts";
import { CacheTakers } from "./cache-takers.ts";

/** Entries deleted in one call by their age. */
const EXPIRED_AT_ONCE = 1_000;
/** Bytes of a text in one column; SQLite refuses two megabytes, also those of a whole row. */
const TEXT_BYTES_MAX = 1_800_000;
const NOTHING = { entries: 0, bytes: 0, stored_bytes: 0 };

/** What a look-up reads of an entry, by column. */
interface Row {
  readonly key: string;
  readonly execution: string;
  readonly unread: string;
  readonly objects: string;
  readonly digest: string;
  readonly milli: number;
  readonly storedBytes: number;
  readonly createdMs: number;
}

const ROW_COLUMNS = "key, execution, unread, objects, digest, milli, stored_bytes, created_ms";

/** All SQL of an object of the result cache. */
export class CacheStore {
  readonly #storage: DurableObjectStorage;
  #hasTables: boolean;
  readonly #months: CacheMonths;
  readonly #takers: CacheTakers;
  /** Read once, and counted from then on. */
  #bytes: number | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#months = new CacheMonths(storage.sql);
    this.#takers = new CacheTakers(storage.sql);
    this.#hasTables = openDatabase(storage, CACHE_SCHEMA).version > 0;
  }

  /**
   * Returns the entries that may be taken, in the order of what is wanted, and counts them: of the first keys, as far as all
   * that is found for them is within `most`, but at least of one.
   */
  lookUp({ execution, wanted, most }: CacheLookUp, nowMs: number): (KeptEntry | null)[] {
    return this.#transaction(() => {
      const rows = this.#rows(wanted, nowMs);
      const found: (Row | null)[] = [];
      let [bytes, objects] = [0, 0];
      for (const want of wanted) {
        const row = rows.get(want.key);
        const kept = row && { unread_ports: portsOf(row.unread), createdMs: row.createdMs };
        const taken =
          row !== undefined && kept !== undefined && canTake(kept, want, nowMs) ? row : null;
        if (taken !== null) {
          bytes += taken.storedBytes;
          objects += objectsOf(taken).length;
          if (most !== undefined && found.length > 0 && isBeyond(most, bytes, objects)) {
            break;
          }
        }
        found.push(taken);
      }
      const refused = this.#addTaker(execution, found);
      const taken = found.map((row) =>
        row !== null && refused.has(row.execution) && row.objects !== "[]" ? null : row,
      );
      const outputs = this.#outputs(taken.flatMap((row) => row?.key ?? []));
      const entries = taken.map((row) => {
        const text = row === null ? undefined : outputs.get(row.key);
        return row === null || text === undefined ? null : entryOf(row, text);
      });
      const hits = entries.filter((entry) => entry !== null);
      this.#exec(
        "UPDATE entry SET used_ms = max(used_ms, ?) WHERE key IN (SELECT value FROM json_each(?))",
        nowMs,
        JSON.stringify(hits.map(({ key }) => key)),
      );
      this.#months.count(nowMs, {
        hits: hits.length,
        misses: entries.length - hits.length,
        saved: hits.reduce((sum, { milli_credits: milli }) => sum + milli, 0),
      });
      return entries;
    });
  }

  /** Records that a run takes files of others; returns those of which it may not, and deletes their entries with files. */
  #addTaker(run: string, taken: readonly (Row | null)[]): ReadonlySet<string> {
    const makers = new Set(
      taken.flatMap((row) =>
        row === null || row.objects === "[]" || row.execution === run ? [] : [row.execution],
      ),
    );
    const refused = this.#takers.add(run, makers);
    for (const maker of refused) {
      this.#deleteWhere("execution = ? AND objects <> '[]'", maker);
    }
    return refused;
  }

  /** The first write of a key wins, unless the entry lacks ports that this one has. One that a row cannot hold is left out. */
  write(entries: readonly CacheEntry[], ttlS: number, nowMs: number): void {
    this.#transaction(() => {
      for (const entry of entries) {
        const [known] = this.#exec<{ unread: string; expires_ms: number }>(
          "SELECT unread, expires_ms FROM entry WHERE key = ?",
          entry.key,
        );
        const isFuller =
          known !== undefined &&
          portsOf(known.unread).some((port) => !entry.unread_ports.includes(port));
        if (known === undefined || known.expires_ms <= nowMs || isFuller) {
          this.#insert(entry, known !== undefined, nowMs, nowMs + ttlS * 1000);
        }
      }
    });
  }

  /** Deletes damaged entries, which were counted as taken. */
  drop(entries: readonly { readonly key: string; readonly execution: string }[], nowMs: number) {
    this.#transaction(() => {
      for (const { key, execution } of entries) {
        const [row] = this.#exec<{ milli: number }>(
          "SELECT milli FROM entry WHERE key = ? AND execution = ?",
          key,
          execution,
        );
        if (row !== undefined) {
          this.#delete([key]);
          this.#months.count(nowMs, { hits: -1, misses: 1, saved: -row.milli });
        }
      }
    });
  }

  clear({ node_type: type, workflow, execution }: Omit<CacheFilter, "v" | "workspace_id">): void {
    this.#deleteWhere(
      "(?1 IS NULL OR node_type = ?1) AND (?2 IS NULL OR workflow = ?2) AND (?3 IS NULL OR execution = ?3)",
      type,
      workflow,
      execution,
    );
  }

  /** Deletes the entries of a run; returns the runs that have taken files of it, to a repeat within a week too. */
  release(execution: string, nowMs: number): string[] {
    if (!this.#hasTables) {
      return [];
    }
    return this.#transaction(() => {
      this.#deleteWhere("execution = ?", execution);
      return this.#takers.release(execution, nowMs);
    });
  }

  figures(nowMs: number): CacheFigures {
    if (!this.#hasTables) {
      return { ...NOTHING, hits: 0, misses: 0, saved_milli_credits: 0 };
    }
    const [total = NOTHING] = this.#exec<typeof NOTHING>(
      `SELECT count(*) AS entries, coalesce(sum(bytes), 0) AS bytes, coalesce(sum(stored_bytes), 0) AS stored_bytes
       FROM entry WHERE expires_ms > ?`,
      nowMs,
    );
    const { hits, misses, saved } = this.#months.at(nowMs);
    return { ...total, hits, misses, saved_milli_credits: saved };
  }

  size(): CacheSize {
    if (!this.#hasTables) {
      return { bytes: 0, oldest_ms: null };
    }
    this.#bytes ??=
      this.#exec<{ bytes: number }>("SELECT coalesce(sum(bytes), 0) AS bytes FROM entry")[0]
        ?.bytes ?? 0;
    const [oldest] = this.#exec<{ at: number | null }>("SELECT min(used_ms) AS at FROM entry");
    return { bytes: this.#bytes, oldest_ms: oldest?.at ?? null };
  }

  /** Deletes entries that were not used after `untilMs`, the longest unused first, until `bytes` are free. */
  evict(bytes: number, untilMs: number): CacheSize {
    this.#transaction(() => {
      let left = bytes;
      while (left > 0) {
        const [oldest] = this.#exec<{ key: string; bytes: number }>(
          "SELECT key, bytes FROM entry WHERE used_ms <= ? ORDER BY used_ms, key LIMIT 1",
          untilMs,
        );
        if (oldest === undefined) {
          break;
        }
        this.#delete([oldest.key]);
        left -= oldest.bytes;
      }
    });
    return this.size();
  }

  /** Deletes entries whose time is over; returns when the next one is, null without one. */
  expire(nowMs: number): number | null {
    if (!this.#hasTables) {
      return null;
    }
    this.#deleteWhere(
      "key IN (SELECT key FROM entry WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)",
      nowMs,
      EXPIRED_AT_ONCE,
    );
    return this.nextExpiryMs();
  }

  nextExpiryMs(): number | null {
    return this.#hasTables
      ? (this.#exec<{ at: number | null }>("SELECT min(expires_ms) AS at FROM entry")[0]?.at ??
          null)
      : null;
  }

  /** What each object of the workspace has last reported. */
  parts(): Map<string, CacheSize> {
    return new Map(
      this.#exec<{ digit: string; bytes: number; oldest_ms: number | null }>(
        "SELECT * FROM part",
      ).map(({ digit, ...size }) => [digit, size]),
    );
  }

  putPart(digit: string, { bytes, oldest_ms: oldestMs }: CacheSize): void {
    this.#transaction(() => {
      this.#exec("INSERT OR REPLACE INTO part VALUES (?, ?, ?)", digit, bytes, oldestMs);
    });
  }

  #rows(wanted: readonly WantedEntry[], nowMs: number): Map<string, Row> {
    const keys = JSON.stringify(wanted.map(({ key }) => key));
    const found = this.#raw(
      `SELECT ${ROW_COLUMNS} FROM entry WHERE key IN (SELECT value FROM json_each(?)) AND expires_ms > ?`,
      keys,
      nowMs,
    ) as [string, string, string, string, string, number, number, number][];
    const rows = new Map<string, Row>();
    for (const [key, execution, unread, objects, digest, milli, storedBytes, createdMs] of found) {
      rows.set(key, { key, execution, unread, objects, digest, milli, storedBytes, createdMs });
    }
    return rows;
  }

  #outputs(keys: readonly string[]): Map<string, string> {
    return new Map(
      this.#raw(
        "SELECT key, outputs FROM content WHERE key IN (SELECT value FROM json_each(?))",
        JSON.stringify(keys),
      ) as [string, string][],
    );
  }

  #insert(entry: CacheEntry, replaces: boolean, createdMs: number, expiresMs: number): void {
    const outputs = JSON.stringify(entry.outputs);
    const objects = JSON.stringify(entry.objects);
    const [storedBytes, objectBytes] = [bytesOf(outputs), bytesOf(objects)];
    if (storedBytes > TEXT_BYTES_MAX || objectBytes > TEXT_BYTES_MAX) {
      return;
    }
    if (replaces) {
      this.#delete([entry.key]);
    }
    this.#exec(
      "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      entry.key,
      entry.node_type,
      entry.workflow,
      entry.execution,
      JSON.stringify(entry.unread_ports),
      objects,
      entry.digest,
      entry.milli_credits,
      entry.bytes,
      storedBytes,
      createdMs,
      expiresMs,
      createdMs,
    );
    this.#exec("INSERT INTO content VALUES (?, ?)", entry.key, outputs);
    this.#addBytes(entry.bytes);
  }

  #deleteWhere(condition: string, ...values: (string | number | null)[]): void {
    if (!this.#hasTables) {
      return;
    }
    this.#transaction(() => {
      const keys = this.#exec<{ key: string }>(
        `SELECT key FROM entry WHERE ${condition}`,
        ...values,
      );
      this.#delete(keys.map(({ key }) => key));
    });
  }

  #delete(keys: readonly string[]): void {
    for (const key of keys) {
      const [row] = this.#exec<{ bytes: number }>(
        "DELETE FROM entry WHERE key = ? RETURNING bytes",
        key,
      );
      this.#exec("DELETE FROM content WHERE key = ?", key);
      this.#addBytes(-(row?.bytes ?? 0));
    }
  }

  #addBytes(bytes: number): void {
    if (this.#bytes !== undefined) {
      this.#bytes += bytes;
    }
  }

  #transaction<T>(work: () => T): T {
    const hadTables = this.#hasTables;
    try {
      return this.#storage.transactionSync(() => {
        if (!this.#hasTables) {
          this.#storage.sql.exec(CACHE_TABLES);
          // Before the work, part of which asks for it.
          this.#hasTables = true;
        }
        return work();
      });
    } catch (error) {
      this.#hasTables = hadTables;
      // What was counted did not happen.
      this.#bytes = undefined;
      throw error;
    }
  }

  #exec<T extends Record<string, SqlStorageValue>>(
    query: string,
    ...values: (string | number | null)[]
  ): T[] {
    return this.#storage.sql.exec<T>(query, ...values).toArray();
  }

  /** Rows as lists of their columns: a page has thousands, and names for each would take as long as the values. */
  #raw(query: string, ...values: (string | number)[]): SqlStorageValue[][] {
    return [...this.#storage.sql.exec(query, ...values).raw()];
  }
}

/** In UTF-8, as SQLite stores it. */
function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function portsOf(text: string): string[] {
  return text === "[]" ? [] : (JSON.parse(text) as string[]);
}

function objectsOf({ objects }: Row): CacheEntry["objects"] {
  return objects === "[]" ? [] : (JSON.parse(objects) as CacheEntry["objects"]);
}

function isBeyond(most: NonNullable<CacheLookUp["most"]>, bytes: number, objects: number): boolean {
  return bytes > most.bytes || objects > most.objects;
}

function entryOf(row: Row, outputs: string): KeptEntry {
  return {
    key: row.key,
    execution: row.execution,
    outputs: JSON.parse(outputs) as CacheEntry["outputs"],
    digest: row.digest,
    milli_credits: row.milli,
    objects: objectsOf(row),
  };
}
