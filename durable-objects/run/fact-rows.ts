/** Text bound to one value at most; a row takes 2 MB. */
const FACT_CHARS_MAX = 500_000;

type Fact = string | number;

/**
 * Named facts of a run. The object is their only writer, so a fact that was read or written once is
 * known, and of a run that this instance made, all are: a small run reads none back.
 */
export class FactRows {
  readonly #sql: SqlStorage;
  readonly #known = new Map<string, Fact | undefined>();
  #isNew = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  get isNew(): boolean {
    return this.#isNew;
  }

  /** The run was just made: what is not written from here on is not there. */
  startEmpty(): void {
    this.#isNew = true;
  }

  /** A transaction was rolled back: what is in memory may be ahead of the rows. */
  forget(): void {
    this.#known.clear();
    this.#isNew = false;
  }

  get(name: string): Fact | undefined {
    if (this.#isNew || this.#known.has(name)) {
      return this.#known.get(name);
    }
    const value = this.read(name);
    this.#known.set(name, value);
    return value;
  }

  put(name: string, value: Fact): void {
    this.write(name, value);
    this.#known.set(name, value);
  }

  putOnce(name: string, value: Fact): void {
    if (this.get(name) === undefined) {
      this.put(name, value);
    }
  }

  /** Past what is known: for what is large, or read once. */
  read(name: string): Fact | undefined {
    return this.#sql
      .exec<{ value: Fact }>("SELECT value FROM fact WHERE name = ?", name)
      .toArray()[0]?.value;
  }

  write(name: string, value: Fact): void {
    this.#sql.exec(
      "INSERT INTO fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      name,
      value,
    );
  }

  /** A named text of any length, kept in parts below the row limit. */
  putText(name: string, text: string): void {
    for (let part = 0; part * FACT_CHARS_MAX < Math.max(text.length, 1); part++) {
      this.write(`${name}.${part}`, text.slice(part * FACT_CHARS_MAX, (part + 1) * FACT_CHARS_MAX));
    }
  }

  /** Empty when there is none. */
  getText(name: string): string {
    let text = "";
    for (let part = 0; ; part++) {
      const piece = this.read(`${name}.${part}`);
      if (piece === undefined) {
        return text;
      }
      text += String(piece);
    }
  }
}
