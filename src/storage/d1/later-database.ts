import { storageUnavailable } from "../../platform/storage-state.ts";
import { MOVE_WAIT_MS, pauseForMove, refusalOf } from "./move-refusals.ts";

/** Where statements run: the home of an organization, as far as it is known. */
interface Found {
  readonly db: D1Database;
  /** Undefined if nothing of it can be in any database. */
  readonly organizationId: string | undefined;
}

/** Looks a home up; with `isAsked`, in the directory. */
type Find = (isAsked: boolean) => Promise<Found>;

/** A statement whose database is not known yet: its text and its values. */
class LaterStatement implements Pick<D1PreparedStatement, "bind" | "first" | "run" | "all"> {
  readonly #find: Find;
  readonly #sql: string;
  readonly #values: readonly unknown[];

  constructor(find: Find, sql: string, values: readonly unknown[]) {
    this.#find = find;
    this.#sql = sql;
    this.#values = values;
  }

  bind(...values: unknown[]): D1PreparedStatement {
    return later(this.#find, this.#sql, values);
  }

  async first<T>(column?: string): Promise<T | null> {
    const row = (await this.all<Record<string, unknown>>()).results[0];
    return row === undefined ? null : ((column === undefined ? row : row[column]) as T);
  }

  run<T>(): Promise<D1Result<T>> {
    return this.all();
  }

  async all<T>(): Promise<D1Result<T>> {
    const [result] = await runAtHome<T>(this.#find, [this]);
    if (result === undefined) {
      throw new Error("the statement has no result");
    }
    return result;
  }

  /** The statement in a database. */
  on(db: D1Database): D1PreparedStatement {
    const statement = db.prepare(this.#sql);
    return this.#values.length === 0 ? statement : statement.bind(...this.#values);
  }
}

/** A database that is looked up when a statement runs, so that stores can be made without a question. */
export class LaterDatabase implements Pick<D1Database, "prepare" | "batch"> {
  readonly #find: Find;

  constructor(find: Find) {
    this.#find = find;
  }

  prepare(sql: string): D1PreparedStatement {
    return later(this.#find, sql, []);
  }

  /** One transaction, also of statements of other stores of the same workspace. */
  batch<T>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
    return runAtHome(this.#find, statements as unknown as LaterStatement[]);
  }
}

/**
 * Runs statements as one transaction at the home of their organization. Nobody has to know of moves
 * (docs/decisions/moves.md): the transaction also reads whether this is the home. If it is not any more, or if a trigger
 * undid the transaction, it is repeated at the home that the directory names. In a former home, a transaction that was not
 * undone has changed nothing.
 */
async function runAtHome<T>(
  find: Find,
  statements: readonly LaterStatement[],
): Promise<D1Result<T>[]> {
  const untilMs = Date.now() + MOVE_WAIT_MS;
  let isOthers = false;
  for (let isAsked = false; ; isAsked = true) {
    const { db, organizationId } = await find(isAsked);
    const own = statements.map((statement) => statement.on(db));
    if (organizationId === undefined) {
      return await db.batch<T>(own);
    }
    const state = db
      .prepare("SELECT state FROM organization_moves WHERE organization_id = ?")
      .bind(organizationId);
    try {
      const [move, ...results] = await db.batch<T>([state, ...own]);
      // The directory named this home before the transaction: nothing was written elsewhere by then.
      if (isAsked || isHome(move?.results[0])) {
        return results;
      }
    } catch (error) {
      const refusal = refusalOf(error);
      const row = await state.first().catch(() => null);
      if (refusal === undefined) {
        if (isAsked || isHome(row)) {
          throw error;
        }
      } else if (Date.now() >= untilMs) {
        throw storageUnavailable(error);
      } else {
        // Twice: the row may have gone in between. Otherwise a row of another organization was refused.
        if (row === null && isOthers) {
          throw error;
        }
        isOthers = row === null;
        await pauseForMove(refusal, isAsked);
      }
    }
  }
}

function isHome(move: unknown): boolean {
  const state = (move as { readonly state: string } | null | undefined)?.state;
  return state !== "moved" && state !== "arriving";
}

function later(find: Find, sql: string, values: readonly unknown[]): D1PreparedStatement {
  // Stores use no other member of a statement.
  return new LaterStatement(find, sql, values) as unknown as D1PreparedStatement;
}
