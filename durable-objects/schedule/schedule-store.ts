import type {
  FiringRow,
  ScheduleRecord,
} from "../../src/contracts/schedules/schedule-object-api.ts";
import type { ClockState, FiringRecord } from "../../src/domain/schedules/clock/clock-state.ts";
import { LIMITS } from "../../src/lib/limits/limits-table.ts";
import { type DatabaseSchema, openDatabase } from "../shared/migrations.ts";
import { NAMED_VALUES_TABLE, NamedValues } from "../shared/named-values.ts";

const FIRINGS_KEPT = LIMITS.schedule_firings.value;

/** `shared/migrations.ts` describes how to change these tables. */
export const SCHEDULE_SCHEMA: DatabaseSchema = {
  object: "schedule",
  firstTable: "firing",
  migrations: [],
};

/**
 * Tables of a schedule's object. A firing's `key` names its nominal time or its trigger, so that a queued firing and
 * its start are one row. A trigger is stored until its run is known.
 */
export const SCHEDULE_TABLES = `
  ${NAMED_VALUES_TABLE}
  CREATE TABLE IF NOT EXISTS firing (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, firing TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS trigger_call (key TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;`;

/** A call of `trigger` whose run is not known yet. */
export interface TriggerCall {
  readonly key: string;
  readonly at_ms: number;
  /** An earlier attempt may have made its run. */
  readonly isRepeat: boolean;
}

/** All SQL of a schedule's object. Its record and clock are read once and kept in memory. */
export class ScheduleStore {
  readonly #storage: DurableObjectStorage;
  readonly #values: NamedValues;
  #record: ScheduleRecord | undefined;
  #clock: ClockState | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#values = new NamedValues(storage.sql);
    if (openDatabase(storage, SCHEDULE_SCHEMA).version > 0) {
      this.#record = this.#read<ScheduleRecord>("record");
      this.#clock = this.#read<ClockState>("clock");
    }
  }

  /** Undefined if there is no schedule, or if it was deleted. */
  get record(): ScheduleRecord | undefined {
    return this.#record === undefined || this.deletedAtMs > 0 ? undefined : this.#record;
  }

  /** The record also of a deleted schedule, until the object forgets it. */
  get lastRecord(): ScheduleRecord | undefined {
    return this.#record;
  }

  /** Throws if there is no schedule. */
  get clock(): ClockState {
    if (this.#clock === undefined) {
      throw new Error("There is no schedule in this object.");
    }
    return this.#clock;
  }

  get deletedAtMs(): number {
    return this.#values.number("deleted_at_ms");
  }

  /** Whether the schedule has its row for lists, without which it starts nothing. */
  get isConfirmed(): boolean {
    return this.#values.number("is_confirmed") === 1;
  }

  /** Whether the row for lists has the current status and workflow. */
  get isListed(): boolean {
    return (
      this.#record !== undefined &&
      this.#values.get("listed") === listedText(this.#record, this.clock.status)
    );
  }

  /** The start of the service by which the clock was last looked at. */
  get boot(): string {
    return String(this.#values.get("boot") ?? "");
  }

  create(record: ScheduleRecord, clock: ClockState, boot: string): void {
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(SCHEDULE_TABLES);
      this.putRecord(record);
      this.#putClock(clock);
      this.#values.put("boot", boot);
      this.markListed(record, clock.status);
    });
  }

  transaction(change: () => void): void {
    this.#storage.transactionSync(change);
  }

  noteBoot(boot: string): void {
    if (this.boot !== boot) {
      this.#values.put("boot", boot);
    }
  }

  confirm(): void {
    this.#values.put("is_confirmed", 1);
  }

  putRecord(record: ScheduleRecord): void {
    this.#record = record;
    this.#values.put("record", JSON.stringify(record));
  }

  markListed(record: ScheduleRecord, status: ClockState["status"]): void {
    this.#values.put("listed", listedText(record, status));
  }

  markDeleted(nowMs: number): void {
    this.#values.put("deleted_at_ms", nowMs);
  }

  /** Stores a state of the clock with its firings. */
  advance(clock: ClockState, firings: readonly FiringRecord[]): void {
    if (clock === this.#clock && firings.length === 0) {
      return;
    }
    this.#storage.transactionSync(() => {
      this.#putClock(clock);
      for (const firing of firings) {
        this.#putFiring(`at ${String(firing.scheduled_for_ms)}`, firing);
      }
    });
  }

  /** Stores a call of `trigger`; a repeat has the time of the first one. */
  addTrigger(key: string, atMs: number): TriggerCall {
    const stored = this.triggers().find((call) => call.key === key);
    if (stored !== undefined) {
      return stored;
    }
    this.#storage.sql.exec("INSERT INTO trigger_call (key, at_ms) VALUES (?, ?)", key, atMs);
    return { key, at_ms: atMs, isRepeat: false };
  }

  triggers(): readonly TriggerCall[] {
    return this.#storage.sql
      .exec<{ key: string; at_ms: number }>("SELECT key, at_ms FROM trigger_call ORDER BY at_ms")
      .toArray()
      .map((call) => ({ ...call, isRepeat: true }));
  }

  /** Returns the runs of the kept firings. */
  recordedRuns(): ReadonlySet<string> {
    const { rows } = this.listFirings(FIRINGS_KEPT, null);
    return new Set(rows.flatMap(({ execution }) => (execution === null ? [] : [execution])));
  }

  /** A trigger has made its run; a repeat changes nothing. */
  endTrigger(key: string, clock: ClockState, firings: readonly FiringRecord[]): void {
    this.#storage.transactionSync(() => {
      if (!this.triggers().some((call) => call.key === key)) {
        return;
      }
      this.dropTrigger(key);
      this.#putClock(clock);
      for (const firing of firings) {
        this.#putFiring(`trigger ${key}`, firing);
      }
    });
  }

  dropTrigger(key: string): void {
    this.#storage.sql.exec("DELETE FROM trigger_call WHERE key = ?", key);
  }

  listFirings(limit: number, belowSeq: number | null): { rows: FiringRow[]; total: number } {
    const rows = this.#storage.sql
      .exec<{ seq: number; firing: string }>(
        "SELECT seq, firing FROM firing WHERE ?1 IS NULL OR seq < ?1 ORDER BY seq DESC LIMIT ?2",
        belowSeq,
        limit,
      )
      .toArray()
      .map(({ seq, firing }) => ({ seq, ...(JSON.parse(firing) as FiringRecord) }));
    const { n } = this.#storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM firing").one();
    return { rows, total: n };
  }

  async forget(): Promise<void> {
    this.#record = undefined;
    this.#clock = undefined;
    await this.#storage.deleteAll();
  }

  #putClock(clock: ClockState): void {
    this.#clock = clock;
    this.#values.put("clock", JSON.stringify(clock));
  }

  #putFiring(key: string, firing: FiringRecord): void {
    this.#storage.sql.exec(
      "INSERT INTO firing (key, firing) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET firing = excluded.firing",
      key,
      JSON.stringify(firing),
    );
    this.#storage.sql.exec(
      "DELETE FROM firing WHERE seq < (SELECT seq FROM firing ORDER BY seq DESC LIMIT 1 OFFSET ?)",
      FIRINGS_KEPT - 1,
    );
  }

  #read<T>(name: string): T | undefined {
    const text = this.#values.get(name);
    // Written by `putRecord` and `#putClock` of this class.
    return typeof text === "string" ? (JSON.parse(text) as T) : undefined;
  }
}

function listedText({ workflow }: ScheduleRecord, status: ClockState["status"]): string {
  return `${status} ${workflow}`;
}
