import type { UploadMetadata, UploadPart, UploadRecord } from "../../src/contracts/files/upload.ts";
import { type DatabaseSchema, openDatabase } from "../shared/migrations.ts";

/** `shared/migrations.ts` describes how to change these tables. */
export const UPLOAD_SCHEMA: DatabaseSchema = {
  object: "upload",
  firstTable: "session",
  migrations: [],
};

export const UPLOAD_TABLES = `
  CREATE TABLE session (id INTEGER PRIMARY KEY CHECK (id = 1), session TEXT NOT NULL) STRICT;
  CREATE TABLE part (number INTEGER PRIMARY KEY, etag TEXT NOT NULL, size INTEGER NOT NULL) STRICT;
  CREATE TABLE attempt (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`;

/** `aborting`: its bytes are being deleted; the session is deleted afterwards. */
export type UploadState = UploadRecord["state"] | "expired" | "aborting";

export interface Staged {
  readonly key: string;
  readonly etag: string;
  readonly size_bytes: number;
}

export interface Kept {
  readonly facts: UploadMetadata;
  readonly state: UploadState;
  /** The receipt of a single PUT, or of the assembled parts. */
  readonly staged: Staged | null;
  readonly stored_size_bytes: number | null;
  readonly error: UploadRecord["error"];
  /** Number of failed attempts to assemble the parts; absent if there were none. */
  readonly assemble_failures?: number;
}

/** All SQL of an upload object: the session as one row, and the receipts of its parts. */
export class UploadStore {
  readonly #storage: DurableObjectStorage;
  #hasTables: boolean;
  #kept: Kept | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#hasTables = openDatabase(storage, UPLOAD_SCHEMA).version > 0;
  }

  /** Returns the session; undefined if it does not exist. */
  get kept(): Kept | undefined {
    if (this.#kept === undefined && this.#hasTables) {
      const [row] = this.#storage.sql
        .exec<{ session: string }>("SELECT session FROM session")
        .toArray();
      this.#kept = row === undefined ? undefined : (JSON.parse(row.session) as Kept);
    }
    return this.#kept;
  }

  create(metadata: UploadMetadata): void {
    this.#storage.sql.exec(UPLOAD_TABLES);
    this.#hasTables = true;
    this.#put({
      facts: metadata,
      state: "pending",
      staged: null,
      stored_size_bytes: null,
      error: null,
    });
  }

  /** Changes the session. Throws if there is none. */
  change(change: Partial<Omit<Kept, "facts">>): Kept {
    const { kept } = this;
    if (kept === undefined) {
      throw new Error("There is no session to change.");
    }
    return this.#put({ ...kept, ...change });
  }

  putPart(part: UploadPart): void {
    this.#storage.sql.exec(
      "INSERT INTO part (number, etag, size) VALUES (?, ?, ?) ON CONFLICT (number) DO UPDATE SET etag = excluded.etag, size = excluded.size",
      part.part_number,
      part.etag,
      part.size_bytes,
    );
  }

  dropPart(number: number): void {
    this.#storage.sql.exec("DELETE FROM part WHERE number = ?", number);
  }

  /** Records the target of a PUT before it starts, so that leftovers can be deleted at the end. */
  addAttempt(key: string): void {
    this.#storage.sql.exec("INSERT OR IGNORE INTO attempt (key) VALUES (?)", key);
  }

  attempts(): string[] {
    return this.#storage.sql
      .exec<{ key: string }>("SELECT key FROM attempt")
      .toArray()
      .map(({ key }) => key);
  }

  parts(): UploadPart[] {
    return this.#storage.sql
      .exec<{
        number: number;
        etag: string;
        size: number;
      }>("SELECT number, etag, size FROM part ORDER BY number")
      .toArray()
      .map(({ number, etag, size }) => ({ part_number: number, etag, size_bytes: size }));
  }

  async forget(): Promise<void> {
    this.#kept = undefined;
    this.#hasTables = false;
    await this.#storage.deleteAll();
  }

  #put(kept: Kept): Kept {
    this.#storage.sql.exec(
      "INSERT INTO session (id, session) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET session = excluded.session",
      JSON.stringify(kept),
    );
    this.#kept = kept;
    return kept;
  }
}
