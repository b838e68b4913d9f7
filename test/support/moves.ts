/** Moves of an organization without its object: steps over real databases, which can be cut short at any statement. */
import {
  afterFailure,
  hasEnded,
  type MoveRecord,
  namesOf,
  newMove,
} from "../../src/domain/moves/move-record.ts";
import { stepMove } from "../../src/domain/moves/step-move.ts";
import { MOVED_TABLES } from "../../src/contracts/workspaces/moved-tables.ts";
import type { Databases } from "../../src/storage/d1/databases.ts";
import { clearRows, closeAt } from "../../src/storage/d1/moves/move-store.ts";
import type { Shards } from "./shards.ts";
import { ORG, ROWS, insertRow, WS } from "./tenant-rows.ts";

/** What lies in every table of the tenant, and what `ROWS` lacks. */
const MORE_ROWS: typeof ROWS = [
  [
    "upload_keys",
    { workspace_id: WS, key: "u", fingerprint: "f", upload_id: "up_1", created_at_ms: 1 },
  ],
  [
    "design_template_versions",
    {
      template_id: "tpl_1",
      revision: 1,
      workspace_id: WS,
      id: "tv_1",
      content_hash: "h",
      contract_hash: "h",
      page_count: 1,
      folder: "f",
      published_at_ms: 1,
    },
  ],
  ["provider_models", { workspace_id: WS, model: "own/m", provider_id: "own" }],
];

/** Puts the tenant with a row in every table on shard 1, and nothing of it elsewhere. */
export async function settleTenant(shards: Shards, organizationId = ORG): Promise<void> {
  for (const db of [shards.DB, shards.DB_1, shards.DB_2]) {
    await db.prepare("DELETE FROM organization_moves").run();
    await clearRows(db, organizationId, "moved");
    await closeAt(db, organizationId);
  }
  for (const [table, row] of [...ROWS, ...MORE_ROWS]) {
    await insertRow(shards.DB_1, table, row);
  }
  await shards.DB.prepare(
    `INSERT INTO organization_homes VALUES (?, 1) ON CONFLICT (organization_id) DO UPDATE SET shard = 1`,
  )
    .bind(organizationId)
    .run();
}

export function newRecord(to: number, from = 1): MoveRecord {
  return newMove({ organization: ORG, from, to, startedAtMs: 1, tables: namesOf(MOVED_TABLES) });
}

const STEPS_MAX = 300;

/** Takes steps as the object does until the move has ended; `before` runs before each. Returns the last record. */
export async function runMove(
  env: Databases,
  begun: MoveRecord,
  before: (record: MoveRecord) => Promise<void> = () => Promise.resolve(),
): Promise<MoveRecord> {
  let kept = begun;
  let lastError: unknown;
  for (let steps = 0; !hasEnded(kept); steps += 1) {
    if (steps === STEPS_MAX) {
      throw new Error(`the move does not end: ${JSON.stringify(kept)}`, { cause: lastError });
    }
    await before(kept);
    try {
      const after = await stepMove(env, kept, (record) => (kept = record), Date.now);
      kept = { ...after, failures: 0 };
    } catch (error) {
      kept = afterFailure(kept, String(error));
      lastError = error;
    }
  }
  return kept;
}

/** All rows of a tenant on a shard, without their places in lists. */
export async function rowsOn(db: D1Database): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const { name, hasSeq, organization, workspace, hasMore, key } of MOVED_TABLES) {
    const column = workspace ?? "workspace_id";
    const own =
      organization === undefined
        ? `(${column} = '${WS}'${hasMore === true ? ` OR ${column} LIKE '${WS} %'` : ""})`
        : `${organization} = '${ORG}'`;
    const { results } = await db
      .prepare(
        `SELECT * FROM ${name} WHERE ${own} ORDER BY ${hasSeq === true ? "seq" : key.join(", ")}`,
      )
      .all<Record<string, unknown>>();
    found[name] = results.map(({ seq: _seq, ...row }) => row);
  }
  return found;
}

/** Thrown where an instance is lost. */
export class LostError extends Error {
  override readonly name = "LostError";
}

/** A database each of whose calls runs through `around`, which gets the texts of its statements. */
export function intercepted(
  db: D1Database,
  around: <T>(texts: readonly string[], run: () => Promise<T>) => Promise<T>,
): D1Database {
  const originals = new WeakMap<object, { statement: D1PreparedStatement; text: string }>();
  const statementOf = (text: string, statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => statementOf(text, statement.bind(...values)),
      first: (column?: string) =>
        around([text], () => (column === undefined ? statement.first() : statement.first(column))),
      run: () => around([text], () => statement.run()),
      all: () => around([text], () => statement.all()),
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, { statement, text });
    return wrapped;
  };
  return {
    prepare: (sql: string) => statementOf(sql, db.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) => {
      const known = statements.map((each) => originals.get(each) ?? { statement: each, text: "" });
      return around(
        known.map(({ text }) => text),
        () => db.batch(known.map(({ statement }) => statement)),
      );
    },
  } as unknown as D1Database;
}

/** Databases that count their calls and lose the instance at one of them: before it, or after it took effect. */
export function losing(
  shards: Shards,
  at: { readonly call: number; readonly isAfter: boolean } | undefined,
): { readonly env: Shards; readonly calls: () => number } {
  let calls = 0;
  let isLost = false;
  const guard = async <T>(_texts: readonly string[], run: () => Promise<T>): Promise<T> => {
    calls += 1;
    const isHere = calls === at?.call;
    if (isLost || (isHere && !at?.isAfter)) {
      isLost = true;
      throw new LostError("the instance is lost");
    }
    const result = await run();
    if (isHere) {
      isLost = true;
      throw new LostError("the instance is lost");
    }
    return result;
  };
  return {
    env: {
      DB: intercepted(shards.DB, guard),
      DB_1: intercepted(shards.DB_1, guard),
      DB_2: intercepted(shards.DB_2, guard),
    },
    calls: () => calls,
  };
}
