/** The table that holds them: part of the schema of each object that uses `NamedValues`. */
export const NAMED_VALUES_TABLE =
  "CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value) WITHOUT ROWID;";

/** Single values that an object stores by name, beside its tables. */
export class NamedValues {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Undefined if nothing is stored under the name. */
  get(name: string): string | number | undefined {
    return this.#sql
      .exec<{ value: string | number }>("SELECT value FROM fact WHERE name = ?", name)
      .toArray()[0]?.value;
  }

  /** 0 if nothing is stored under the name. */
  number(name: string): number {
    return Number(this.get(name) ?? 0);
  }

  put(name: string, value: string | number): void {
    this.#sql.exec("INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)", name, value);
  }

  clear(): void {
    this.#sql.exec("DELETE FROM fact");
  }

  delete(name: string): void {
    this.#sql.exec("DELETE FROM fact WHERE name = ?", name);
  }
}
