/** The D1 database of a simulated world: the tables of design templates over SQLite, with calls that are refused or whose response is lost. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

const MIGRATIONS = ["0008_templates.sql", "0010_template_font_pins.sql"];

interface Bound {
  readonly query: string;
  readonly values: readonly SQLInputValue[];
}

export class SimulatedLists {
  readonly #db = new DatabaseSync(":memory:");
  /** Called around each call; either may throw. */
  readonly #before: () => void;
  readonly #after: () => void;

  constructor(before: () => void, after: () => void) {
    this.#before = before;
    this.#after = after;
    for (const name of MIGRATIONS) {
      const path = `../../../src/storage/migrations/${name}`;
      this.#db.exec(readFileSync(fileURLToPath(new URL(path, import.meta.url).href), "utf8"));
    }
  }

  /** The binding. */
  get binding(): D1Database {
    const prepare = (query: string, values: readonly SQLInputValue[] = []) => ({
      query,
      values,
      bind: (...bound: SQLInputValue[]) => prepare(query, bound),
      run: async () => (await this.#call([{ query, values }]))[0],
      all: async () => (await this.#call([{ query, values }]))[0],
      first: async () => (await this.#call([{ query, values }]))[0]?.results[0] ?? null,
    });
    const binding = { prepare, batch: (list: readonly Bound[]) => this.#call(list) };
    return binding as unknown as D1Database;
  }

  rows(query: string): readonly Record<string, unknown>[] {
    return this.#db.prepare(query).all() as Record<string, unknown>[];
  }

  close(): void {
    this.#db.close();
  }

  async #call(list: readonly Bound[]) {
    await Promise.resolve();
    this.#before();
    this.#db.exec("BEGIN");
    const results = list.map(({ query, values }) => {
      const statement = this.#db.prepare(query);
      return query.startsWith("SELECT")
        ? { results: statement.all(...values), meta: { changes: 0 } }
        : { results: [], meta: { changes: Number(statement.run(...values).changes) } };
    });
    this.#db.exec("COMMIT");
    this.#after();
    return results;
  }
}
