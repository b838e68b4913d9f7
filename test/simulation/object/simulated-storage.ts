/**
 * An object's storage with the platform's semantics, over SQLite in memory: writes between two awaits are one
 * transaction, nothing leaves the object before they are durable, and a crash undoes other writes. The one alarm
 * belongs to the same transaction.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** Thrown at an object that has crashed and does not know it yet. */
export class Dead extends Error {}

interface Cursor {
  readonly rowsWritten: number;
  toArray(): unknown[];
  /** The rows as lists of their columns. */
  raw(): Iterable<unknown[]>;
}

function cursorOf(rows: readonly unknown[], rowsWritten = 0): Cursor {
  return {
    rowsWritten,
    toArray: () => [...rows],
    raw: () => rows.map((row) => Object.values(row as object)),
  };
}

export class SimulatedStorage {
  readonly #db = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  #life = 0;
  #isOpen = false;
  #depth = 0;
  #writes = 0;
  /** As set by the running object, and as last made durable. */
  #staged: number | null = null;
  #alarmMs: number | null = null;
  /** The time for which the running alarm was set. */
  runningAlarmMs: number | null = null;
  /** Called for each alarm that becomes durable. */
  onAlarm: (atMs: number | null) => void = () => {};
  /** Called whenever all writes so far have become durable. */
  onFlush: () => void = () => {};

  /** Rises whenever rows may have changed. */
  get writes(): number {
    return this.#writes;
  }

  /** When the platform will wake the object. */
  get alarmMs(): number | null {
    return this.#alarmMs;
  }

  /** The storage of the next instance; earlier ones are dead. */
  open(): DurableObjectStorage {
    this.#life++;
    const life = this.#life;
    const alive = () => {
      if (life !== this.#life) {
        throw new Dead();
      }
    };
    const storage = {
      sql: {
        exec: (query: string, ...bindings: SQLInputValue[]) => {
          alive();
          return this.#exec(query, bindings);
        },
      },
      transactionSync: <T>(work: () => T): T => {
        alive();
        return this.#nested(work);
      },
      setAlarm: (atMs: number) => {
        alive();
        // The platform loses an alarm that is set from inside the alarm for its own millisecond.
        if (atMs !== this.runningAlarmMs) {
          this.#staged = atMs;
        }
        return Promise.resolve();
      },
      deleteAlarm: () => {
        alive();
        this.#staged = null;
        return Promise.resolve();
      },
      sync: () => {
        alive();
        this.flush();
        return Promise.resolve();
      },
    };
    return storage as unknown as DurableObjectStorage;
  }

  /** Makes all writes so far durable. */
  flush(): void {
    if (this.#isOpen) {
      this.#db.exec("COMMIT");
      this.#isOpen = false;
    }
    if (this.#staged !== this.#alarmMs) {
      this.#alarmMs = this.#staged;
      this.onAlarm(this.#alarmMs);
    }
    this.onFlush();
  }

  /** The object is gone with all writes that were not durable. */
  crash(): void {
    this.#life++;
    if (this.#isOpen) {
      this.#db.exec("ROLLBACK");
      this.#isOpen = false;
      this.#writes++;
    }
    this.#depth = 0;
    this.#staged = this.#alarmMs;
  }

  /** The platform removes the alarm before it runs it, loses it, or restores it. */
  placeAlarm(atMs: number | null): void {
    this.#staged = atMs;
    this.#alarmMs = atMs;
  }

  /** For reading the current rows without changes. */
  look(): DurableObjectStorage {
    const storage = {
      sql: {
        exec: (query: string, ...bindings: SQLInputValue[]) => ({
          toArray: () => this.read(query, ...bindings),
        }),
      },
    };
    return storage as unknown as DurableObjectStorage;
  }

  /** Current rows, durable or not. */
  read<T>(query: string, ...bindings: SQLInputValue[]): T[] {
    return this.#statement(query).all(...bindings) as T[];
  }

  close(): void {
    this.crash();
    this.#db.close();
  }

  #exec(query: string, bindings: readonly SQLInputValue[]): Cursor {
    if (!this.#isOpen) {
      this.#db.exec("BEGIN");
      this.#isOpen = true;
    }
    if (bindings.length === 0 && query.includes(";")) {
      this.#writes++;
      this.#db.exec(query);
      return cursorOf([]);
    }
    const statement = this.#statement(query);
    const isRead = /^\s*(SELECT|WITH)/.test(query);
    this.#writes += isRead ? 0 : 1;
    if (isRead || /\sRETURNING\s/.test(query)) {
      return cursorOf(statement.all(...bindings));
    }
    const { changes } = statement.run(...bindings);
    return cursorOf([], Number(changes));
  }

  #nested<T>(work: () => T): T {
    if (!this.#isOpen) {
      this.#db.exec("BEGIN");
      this.#isOpen = true;
    }
    const name = `s${this.#depth++}`;
    this.#db.exec(`SAVEPOINT ${name}`);
    try {
      const value = work();
      this.#db.exec(`RELEASE ${name}`);
      return value;
    } catch (error) {
      this.#writes++;
      this.#db.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw error;
    } finally {
      this.#depth = Math.max(0, this.#depth - 1);
    }
  }

  #statement(query: string): StatementSync {
    let statement = this.#statements.get(query);
    if (statement === undefined) {
      statement = this.#db.prepare(query);
      this.#statements.set(query, statement);
    }
    return statement;
  }
}
