import { type DatabaseSchema, schemaMark } from "../shared/migrations.ts";
import { NAMED_VALUES_TABLE } from "../shared/named-values.ts";

const UNPUBLISHED_TABLE = `CREATE TABLE IF NOT EXISTS unpublished (
    folder TEXT PRIMARY KEY, due_at INTEGER NOT NULL, is_swept INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;`;

/** `shared/migrations.ts` describes how to change these tables. */
export const TEMPLATE_SCHEMA: DatabaseSchema = {
  object: "template-draft",
  firstTable: "piece",
  migrations: [addContentTime, addUnpublishedFolders],
};

/** Version 2: the record has the time of the content's last change, which was that of any change before. */
function addContentTime(sql: SqlStorage): void {
  sql.exec(
    `UPDATE fact SET value = json_set(value, '$.content_changed_at_ms', json_extract(value, '$.updated_at_ms'))
     WHERE name = 'record'`,
  );
}

/** Version 3: folders of publications that have not been committed. */
function addUnpublishedFolders(sql: SqlStorage): void {
  sql.exec(UNPUBLISHED_TABLE);
}

/** Tables of a design template's object. */
export const TEMPLATE_TABLES = `
  ${NAMED_VALUES_TABLE}
  CREATE TABLE IF NOT EXISTS piece (${schemaMark(3)}
    owner TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS version (
    revision INTEGER PRIMARY KEY, version TEXT NOT NULL, is_listed INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS idempotency (
    key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, status INTEGER NOT NULL, etag TEXT NOT NULL,
    has_body INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${UNPUBLISHED_TABLE}
  CREATE INDEX IF NOT EXISTS idempotency_expiry ON idempotency (expires_at);`;
