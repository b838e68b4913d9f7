/** A statement whose database is not known yet: its text and its values. */
class LaterStatement implements Pick<D1PreparedStatement, "bind" | "first" | "run" | "all"> {
  readonly #find: () => Promise<D1Database>;
  readonly #sql: string;
  readonly #values: readonly unknown[];

  constructor(find: () => Promise<D1Database>, sql: string, values: readonly unknown[]) {
    this.#find = find;
    this.#sql = sql;
    this.#values = values;
  }

  bind(...values: unknown[]): D1PreparedStatement {
    return later(this.#find, this.#sql, values);
  }

  async first<T>(column?: string): Promise<T | null> {
    const statement = this.on(await this.#find());
    return column === undefined ? await statement.first<T>() : await statement.first<T>(column);
  }

  async run<T>(): Promise<D1Result<T>> {
    return await this.on(await this.#find()).run<T>();
  }

  async all<T>(): Promise<D1Result<T>> {
    return await this.on(await this.#find()).all<T>();
  }

  /** The statement in a database. */
  on(db: D1Database): D1PreparedStatement {
    const statement = db.prepare(this.#sql);
    return this.#values.length === 0 ? statement : statement.bind(...this.#values);
  }
}

/** A database that is looked up when a statement runs, so that stores can be made without a question. */
export class LaterDatabase implements Pick<D1Database, "prepare" | "batch"> {
  readonly #find: () => Promise<D1Database>;

  constructor(find: () => Promise<D1Database>) {
    this.#find = find;
  }

  prepare(sql: string): D1PreparedStatement {
    return later(this.#find, sql, []);
  }

  /** One transaction, also of statements of other stores of the same workspace. */
  async batch<T>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
    const db = await this.#find();
    return await db.batch<T>(
      statements.map((statement) => (statement as unknown as LaterStatement).on(db)),
    );
  }
}

function later(
  find: () => Promise<D1Database>,
  sql: string,
  values: readonly unknown[],
): D1PreparedStatement {
  // Stores use no other member of a statement.
  return new LaterStatement(find, sql, values) as unknown as D1PreparedStatement;
}
