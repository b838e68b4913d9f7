import type {
  DraftKey,
  DraftReplay,
  PublishedVersion,
  TemplateRecord,
} from "../../src/contracts/templates/template-object-api.ts";
import { openDatabase } from "../shared/migrations.ts";
import { NamedValues } from "../shared/named-values.ts";
import { TEMPLATE_SCHEMA, TEMPLATE_TABLES } from "./template-schema.ts";

/** A row has at most 2 MB; half of it leaves room for its key. */
const PIECE_BYTES = 1024 * 1024;
const CONTENT = "content";
/** Responses that are deleted at once. */
const PURGE_MAX = 200;
/** Folders whose files one alarm deletes. */
const SWEEP_MAX = 50;

/** A response, and the digest of the request's body where the response is exactly these bytes. */
interface KeptReplay extends DraftReplay {
  readonly bodyDigest: string | undefined;
}

export interface StoredReplay extends KeptReplay {
  readonly fingerprint: string;
}

/** All SQL of a design template's object. Synchronous, like the storage under it. */
export class TemplateStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #values: NamedValues;
  #hasTables: boolean;
  #record: TemplateRecord | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#values = new NamedValues(storage.sql);
    this.#hasTables = openDatabase(storage, TEMPLATE_SCHEMA).version > 0;
  }

  /** Undefined if there is no template, or if it was deleted. */
  get record(): TemplateRecord | undefined {
    if (!this.#hasTables || this.deletedAtMs > 0) {
      return undefined;
    }
    this.#record ??= JSON.parse(String(this.#values.get("record"))) as TemplateRecord;
    return this.#record;
  }

  /** The record of a deleted template too, which the lists must still learn of. */
  get lastRecord(): TemplateRecord | undefined {
    return this.#hasTables
      ? (JSON.parse(String(this.#values.get("record"))) as TemplateRecord)
      : undefined;
  }

  /** 0 if the template was not deleted. */
  get deletedAtMs(): number {
    return this.#values.number("deleted_at");
  }

  create(record: TemplateRecord, content: Uint8Array): void {
    this.transaction(() => {
      this.#sql.exec(TEMPLATE_TABLES);
      this.#hasTables = true;
      this.putRecord(record);
      this.#putPieces(CONTENT, content);
      // The row is inserted with this state.
      this.markListed(this.revision);
    });
  }

  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work);
    } catch (error) {
      this.#record = undefined;
      throw error;
    }
  }

  putRecord(record: TemplateRecord): void {
    this.#values.put("record", JSON.stringify(record));
    this.#values.put("revision", this.revision + 1);
    this.#record = record;
  }

  markDeleted(nowMs: number): void {
    this.#values.put("deleted_at", nowMs);
    this.#values.put("revision", this.revision + 1);
  }

  /** Increases with each change of the record; compared with the revision that the lists have. */
  get revision(): number {
    return this.#values.number("revision");
  }

  get isListed(): boolean {
    return !this.#hasTables || this.#values.number("listed_revision") >= this.revision;
  }

  markListed(revision: number): void {
    if (this.#hasTables && revision > this.#values.number("listed_revision")) {
      this.#values.put("listed_revision", revision);
    }
  }

  /** Whether the template's row was seen: until then it may be left over from a creation that was cut off. */
  get isConfirmed(): boolean {
    return this.#values.number("is_confirmed") > 0;
  }

  confirm(): void {
    this.#values.put("is_confirmed", 1);
  }

  content(): Uint8Array {
    return this.#pieces(CONTENT);
  }

  putContent(content: Uint8Array): void {
    this.#putPieces(CONTENT, content);
  }

  addVersion(version: PublishedVersion): void {
    this.#sql.exec(
      "INSERT INTO version (revision, version, is_listed) VALUES (?, ?, 0)",
      version.revision,
      JSON.stringify(version),
    );
  }

  /** Revisions that the lists may not have yet. */
  unlistedVersions(): PublishedVersion[] {
    return this.#sql
      .exec<{ version: string }>(
        "SELECT version FROM version WHERE is_listed = 0 ORDER BY revision",
      )
      .toArray()
      .map(({ version }) => JSON.parse(version) as PublishedVersion);
  }

  markVersionsListed(upTo: number): void {
    this.#sql.exec("UPDATE version SET is_listed = 1 WHERE revision <= ?", upTo);
  }

  /** The response to an earlier request with this key; undefined if there is none, or it has expired. */
  replay(key: string, nowMs: number): StoredReplay | undefined {
    const [row] = this.#sql
      .exec<{ fingerprint: string; status: number; etag: string; has_body: number }>(
        "SELECT fingerprint, status, etag, has_body FROM idempotency WHERE key = ? AND expires_at > ?",
        key,
        nowMs,
      )
      .toArray();
    if (row === undefined) {
      return undefined;
    }
    const { fingerprint, status, etag, has_body } = row;
    const text = new TextDecoder().decode(this.#pieces(`key ${key}`));
    const kept =
      has_body === 0
        ? { body: null, bodyDigest: text === "" ? undefined : text }
        : { body: text, bodyDigest: undefined };
    return { fingerprint, status, etag, ...kept };
  }

  /** The pieces of a key are the body of its response; where it has none, the digest of the request's body. */
  putReplay({ key, fingerprint }: DraftKey, replay: KeptReplay, expiresAtMs: number): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO idempotency (key, fingerprint, status, etag, has_body, expires_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      key,
      fingerprint,
      replay.status,
      replay.etag,
      replay.body === null ? 0 : 1,
      expiresAtMs,
    );
    const text = replay.body ?? replay.bodyDigest ?? "";
    this.#putPieces(`key ${key}`, new TextEncoder().encode(text));
  }

  /** Deletes expired keys. Returns when the next one expires, null if there is none. */
  purge(nowMs: number): number | null {
    const expired = this.#sql
      .exec<{ key: string }>(
        `SELECT key FROM idempotency WHERE expires_at <= ? ORDER BY expires_at LIMIT ${String(PURGE_MAX)}`,
        nowMs,
      )
      .toArray();
    for (const { key } of expired) {
      this.#sql.exec("DELETE FROM piece WHERE owner = ?", `key ${key}`);
      this.#sql.exec("DELETE FROM idempotency WHERE key = ?", key);
    }
    return this.#sql
      .exec<{ next: number | null }>("SELECT min(expires_at) AS next FROM idempotency")
      .one().next;
  }

  /** Records a folder whose files are deleted at `dueMs` unless a publication uses it before. */
  noteFolder(folder: string, dueMs: number): void {
    this.#sql.exec(
      "INSERT INTO unpublished (folder, due_at, is_swept) VALUES (?, ?, 0)",
      folder,
      dueMs,
    );
  }

  /** Whether a publication may use the folder: it was recorded, and its files are not being deleted. */
  holdsFolder(folder: string): boolean {
    return (
      this.#sql
        .exec("SELECT 1 FROM unpublished WHERE folder = ? AND is_swept = 0", folder)
        .toArray().length > 0
    );
  }

  /** The folder belongs to a revision, or its files are deleted. */
  forgetFolder(folder: string): void {
    this.#sql.exec("DELETE FROM unpublished WHERE folder = ?", folder);
  }

  /** Folders that are due, and those whose deletion was cut off. From now on no publication can use them. */
  takeDueFolders(nowMs: number): string[] {
    this.#sql.exec("UPDATE unpublished SET is_swept = 1 WHERE due_at <= ?", nowMs);
    return this.#sql
      .exec<{ folder: string }>(
        `SELECT folder FROM unpublished WHERE is_swept = 1 ORDER BY due_at LIMIT ${String(SWEEP_MAX)}`,
      )
      .toArray()
      .map(({ folder }) => folder);
  }

  /** When the next folder is due; null if none is recorded. */
  get nextFolderMs(): number | null {
    return this.#sql
      .exec<{ next: number | null }>("SELECT min(due_at) AS next FROM unpublished")
      .one().next;
  }

  async forget(): Promise<void> {
    this.#record = undefined;
    this.#hasTables = false;
    await this.#storage.deleteAll();
  }

  #putPieces(owner: string, content: Uint8Array): void {
    this.#sql.exec("DELETE FROM piece WHERE owner = ?", owner);
    for (let at = 0, number = 0; at < content.byteLength; at += PIECE_BYTES, number += 1) {
      this.#sql.exec(
        "INSERT INTO piece (owner, number, bytes) VALUES (?, ?, ?)",
        owner,
        number,
        content.slice(at, at + PIECE_BYTES).buffer,
      );
    }
  }

  #pieces(owner: string): Uint8Array {
    const pieces = this.#sql
      .exec<{ bytes: ArrayBuffer }>(
        "SELECT bytes FROM piece WHERE owner = ? ORDER BY number",
        owner,
      )
      .toArray()
      .map(({ bytes }) => new Uint8Array(bytes));
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined) {
      return only;
    }
    const whole = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.byteLength;
    }
    return whole;
  }
}
