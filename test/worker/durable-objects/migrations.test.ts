import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import {
  type DatabaseSchema,
  FutureDatabaseError,
  openDatabase,
  schemaMark,
} from "../../../durable-objects/shared/migrations.ts";

const TODAY: DatabaseSchema = { object: "test", firstTable: "note", migrations: [] };
const addColumn = (sql: SqlStorage) => {
  sql.exec("ALTER TABLE note ADD COLUMN author TEXT");
  sql.exec("UPDATE note SET author = 'unknown'");
};
const splitText = (sql: SqlStorage) => {
  sql.exec("CREATE TABLE word (note INTEGER, text TEXT)");
  sql.exec("INSERT INTO word SELECT id, text FROM note");
};
const LATER: DatabaseSchema = { ...TODAY, migrations: [addColumn, splitText] };

describe("the database of an object", () => {
  it("has no version while it has no tables, and is left alone", () =>
    inEmptyObject((storage) => {
      expect(openDatabase(storage, LATER).version).toBe(0);
      expect(schemaOf(storage)).toEqual([]);
    }));

  it("has version 1 without a mark, and writes nothing to record it", () =>
    inEmptyObject((storage) => {
      makeNotes(storage);
      const before = schemaOf(storage);
      expect(openDatabase(storage, TODAY)).toMatchObject({ version: 1 });
      expect(schemaOf(storage)).toEqual(before);
    }));

  it("receives every migration that is due, in order and once", () =>
    inEmptyObject((storage) => {
      makeNotes(storage);
      expect(openDatabase(storage, { ...TODAY, migrations: [addColumn] }).version).toBe(2);
      const opened = openDatabase(storage, LATER);
      expect(opened.version).toBe(3);
      expect([...opened.tables]).toEqual(expect.arrayContaining(["note", "word"]));
      const migrated = schemaOf(storage);
      expect(openDatabase(storage, LATER).version).toBe(3);
      expect(schemaOf(storage)).toEqual(migrated);
      expect(storage.sql.exec("SELECT id, text, author FROM note").toArray()).toEqual([
        { id: 1, text: "kept", author: "unknown" },
      ]);
      expect(storage.sql.exec("SELECT note, text FROM word").toArray()).toEqual([
        { note: 1, text: "kept" },
      ]);
    }));

  it("records its version in the text of a table when it is created, without an additional row", () =>
    inEmptyObject((storage) => {
      const plain = storage.sql.exec("CREATE TABLE plain (id INTEGER PRIMARY KEY)").rowsWritten;
      const marked = storage.sql.exec(
        `CREATE TABLE word (${schemaMark(3)} note INTEGER PRIMARY KEY)`,
      ).rowsWritten;
      expect(marked).toBe(plain);
      expect(openDatabase(storage, LATER).version).toBe(3);
    }));

  it("has no other place for its version: the platform rejects SQLite's own", () =>
    inEmptyObject((storage) => {
      expect(() => storage.sql.exec("PRAGMA user_version = 2")).toThrow("not authorized");
    }));

  it("is unchanged after an interrupted migration, keeps an alarm, and repeats the migration at the next wake", () =>
    inEmptyObject(async (storage) => {
      makeNotes(storage);
      const before = schemaOf(storage);
      const broken: DatabaseSchema = {
        ...TODAY,
        migrations: [
          (sql) => {
            addColumn(sql);
            throw new Error("cut off");
          },
        ],
      };
      expect(() => openDatabase(storage, broken)).toThrow("cut off");
      expect(schemaOf(storage)).toEqual(before);
      expect(await storage.getAlarm()).toBeGreaterThan(Date.now());
      expect(openDatabase(storage, LATER).version).toBe(3);
    }));

  it("with half a migration receives all of it", () =>
    inEmptyObject((storage) => {
      makeNotes(storage);
      const toWords = (sql: SqlStorage) => {
        sql.exec(`CREATE TABLE word (${schemaMark(2)} text TEXT)`);
        sql.exec("INSERT INTO word SELECT text FROM note");
        sql.exec("DROP TABLE note");
      };
      const schema: DatabaseSchema = { ...TODAY, goneIn: 2, migrations: [toWords] };
      storage.sql.exec(`CREATE TABLE word (${schemaMark(2)} text TEXT)`);
      expect(openDatabase(storage, schema)).toMatchObject({ version: 2 });
      expect(storage.sql.exec("SELECT text FROM word").toArray()).toEqual([{ text: "kept" }]);
      expect(openDatabase(storage, schema).tables).not.toContain("note");
    }));

  it("of a future version is refused, unchanged, and keeps an alarm", () =>
    inEmptyObject(async (storage) => {
      makeNotes(storage);
      openDatabase(storage, LATER);
      const before = schemaOf(storage);
      expect(() => openDatabase(storage, TODAY)).toThrow(FutureDatabaseError);
      expect(() => openDatabase(storage, TODAY)).toThrow(
        "The database of this test object has version 3; this code knows versions up to 1.",
      );
      expect(schemaOf(storage)).toEqual(before);
      expect(await storage.getAlarm()).toBeGreaterThan(Date.now());
    }));
});

/** An empty storage: that of a rate limiter that was never called. */
async function inEmptyObject(
  look: (storage: DurableObjectStorage) => void | Promise<void>,
): Promise<void> {
  const stub = env.RATE_LIMITER.get(env.RATE_LIMITER.newUniqueId());
  await runInDurableObject(stub, async (_object, state) => {
    await look(state.storage);
    await state.storage.deleteAlarm();
  });
}

function makeNotes(storage: DurableObjectStorage): void {
  storage.sql.exec("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)");
  storage.sql.exec("INSERT INTO note VALUES (1, 'kept')");
}

function schemaOf(storage: DurableObjectStorage): unknown[] {
  return storage.sql
    .exec("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
    .toArray();
}
