/** Pages of rows, and the number of all rows of the list. */
import * as z from "zod";
import { foldCase } from "../../lib/fold-case.ts";
import type { Database } from "./databases.ts";

const Count = z.object({ n: z.int() });

/** Returns the rows of a page and the number that the second statement counts as `n`, from one moment. */
export async function readWithTotal<T>(
  db: Database,
  statements: { readonly page: D1PreparedStatement; readonly count: D1PreparedStatement },
  parse: (row: unknown) => T,
): Promise<{ rows: T[]; total: number }> {
  const [page, count] = await db.batch([statements.page, statements.count]);
  return {
    rows: (page?.results ?? []).map((row) => parse(row)),
    total: Count.parse(count?.results[0]).n,
  };
}

interface PageQuery {
  readonly table: string;
  /** Names of columns, separated by commas. */
  readonly columns: string;
  /** A condition over the parameters of `bound`. */
  readonly where: string;
  readonly bound: readonly (string | number | null)[];
  /** `seq` of the last row of the previous page; null for the first page. */
  readonly belowSeq: number | null;
  readonly limit: number;
}

/** Returns at most `limit` rows by descending `seq`, and the number of all matches, from one moment. */
export async function readPage<T>(
  db: Database,
  { table, columns, where, bound, belowSeq, limit }: PageQuery,
  parse: (row: unknown) => T,
): Promise<{ rows: T[]; total: number }> {
  const below = `?${bound.length + 1}`;
  return await readWithTotal(
    db,
    {
      page: db
        .prepare(
          `SELECT ${columns} FROM ${table} WHERE ${where} AND (${below} IS NULL OR seq < ${below})
           ORDER BY seq DESC LIMIT ?${bound.length + 2}`,
        )
        .bind(...bound, belowSeq, limit),
      count: db.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).bind(...bound),
    },
    parse,
  );
}

/** A filter of rows that have a status, tags and a name. */
export interface NamedFilter<S extends string> extends Pick<PageQuery, "belowSeq" | "limit"> {
  readonly status: S | null;
  /** Contained in the name, ignoring case. */
  readonly name: string | null;
  readonly tag: string | null;
}

/** The same for the rows of a workspace that were not deleted and match a filter. */
export async function readNamedPage<T>(
  db: Database,
  of: Pick<PageQuery, "table" | "columns"> & { readonly workspaceId: string },
  { status, name, tag, belowSeq, limit }: NamedFilter<string>,
  parse: (row: unknown) => T,
): Promise<{ rows: T[]; total: number }> {
  const where =
    "workspace_id = ?1 AND deleted_at_ms IS NULL AND (?2 IS NULL OR status = ?2)" +
    " AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?3))" +
    " AND (?4 IS NULL OR instr(name_folded, ?4) > 0)";
  const bound = [of.workspaceId, status, tag, name === null ? null : foldCase(name)];
  return await readPage(db, { ...of, where, bound, belowSeq, limit }, parse);
}
