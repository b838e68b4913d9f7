import { FACTS_AGE_MAX_MS } from "../../src/domain/access/kept-facts.ts";
import { type DatabaseSchema, openDatabase, schemaMark } from "../shared/migrations.ts";

const TABLES = `
CREATE TABLE facts (${schemaMark(1)}
  id TEXT PRIMARY KEY, subject TEXT NOT NULL, value TEXT NOT NULL, read_at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE doubts (subject TEXT PRIMARY KEY, until_ms INTEGER NOT NULL, changes INTEGER NOT NULL) STRICT, WITHOUT ROWID;`;

/** `shared/migrations.ts` describes how to change these tables. */
export const ACCESS_SCHEMA: DatabaseSchema = {
  object: "organization-access",
  firstTable: "facts",
  migrations: [],
};

/** More keys than these are read from D1 each time. */
const FACTS_MAX = 5_000;

interface FactRow extends Record<string, SqlStorageValue> {
  readonly value: string;
  readonly read_at_ms: number;
}

/** SQL of an organization's access object: facts read from D1, as JSON, and subjects whose facts are doubted. */
export class FactsStore {
  readonly #storage: DurableObjectStorage;
  #hasTables: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#hasTables = openDatabase(storage, ACCESS_SCHEMA).version > 0;
  }

  /** Undefined if nothing is kept. */
  find(id: string): { readonly value: string; readonly readAtMs: number } | undefined {
    const [row] = this.#hasTables
      ? this.#sql.exec<FactRow>("SELECT value, read_at_ms FROM facts WHERE id = ?", id).toArray()
      : [];
    return row === undefined ? undefined : { value: row.value, readAtMs: row.read_at_ms };
  }

  keep(id: string, fact: { subject: string; value: string; readAtMs: number }): void {
    this.#makeTables();
    this.#sql.exec(
      `INSERT OR REPLACE INTO facts (id, subject, value, read_at_ms)
       SELECT ?1, ?2, ?3, ?4 WHERE (SELECT count(*) FROM facts) < ?5 OR EXISTS (SELECT 1 FROM facts WHERE id = ?1)`,
      id,
      fact.subject,
      fact.value,
      fact.readAtMs,
      FACTS_MAX,
    );
  }

  /** Undefined if no change was announced. */
  doubtedUntilMs(subject: string): number | undefined {
    const [row] = this.#hasTables
      ? this.#sql
          .exec<{ until_ms: number }>("SELECT until_ms FROM doubts WHERE subject = ?", subject)
          .toArray()
      : [];
    return row?.until_ms;
  }

  /** A change of a subject begins. Its facts are doubted until it ends, but not beyond `untilMs`. */
  beginChange(subject: string, nowMs: number, untilMs: number): void {
    this.#makeTables();
    this.#sql.exec(
      `INSERT INTO doubts (subject, until_ms, changes) VALUES (?1, ?3, 1)
       ON CONFLICT DO UPDATE SET changes = iif(until_ms <= ?2, 1, changes + 1), until_ms = max(until_ms, ?3)`,
      subject,
      nowMs,
      untilMs,
    );
    this.#drop(subject);
  }

  /** A change of a subject has ended. Its facts stay doubted while another change is under way. */
  endChange(subject: string): void {
    if (this.#hasTables) {
      this.#sql.exec("UPDATE doubts SET changes = changes - 1 WHERE subject = ?", subject);
      this.#sql.exec("DELETE FROM doubts WHERE subject = ? AND changes <= 0", subject);
      this.#drop(subject);
    }
  }

  #drop(subject: string): void {
    this.#sql.exec("DELETE FROM facts WHERE subject = ?", subject);
  }

  /** Deletes what may not be returned any more. Returns whether anything is left. */
  sweep(nowMs: number): boolean {
    if (!this.#hasTables) {
      return false;
    }
    this.#sql.exec("DELETE FROM doubts WHERE until_ms <= ?", nowMs);
    this.#sql.exec(
      "DELETE FROM facts WHERE read_at_ms <= ?1 OR read_at_ms > ?2",
      nowMs - FACTS_AGE_MAX_MS,
      nowMs,
    );
    const [row] = this.#sql
      .exec<{ n: number }>(
        "SELECT (SELECT count(*) FROM facts) + (SELECT count(*) FROM doubts) AS n",
      )
      .toArray();
    return (row?.n ?? 0) > 0;
  }

  async deleteAll(): Promise<void> {
    this.#hasTables = false;
    await this.#storage.deleteAll();
  }

  get #sql(): SqlStorage {
    return this.#storage.sql;
  }

  #makeTables(): void {
    if (!this.#hasTables) {
      this.#sql.exec(TABLES);
      this.#hasTables = true;
    }
  }
}
