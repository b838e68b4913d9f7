import * as z from "zod";
import { type Database, databaseOf, type Databases, directoryOf } from "./databases.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { IDEMPOTENCY_KEPT_MS, KEY_REUSED } from "../../lib/idempotency-record.ts";
import { leaseOverSql } from "../../lib/lease.ts";

/** One use of a key. A request with the same three values is the same request or a conflict. */
export interface IdempotencyKey {
  /** A workspace's id, or `operator`. */
  readonly scope: string;
  /** Method and address, with canonical ids. */
  readonly route: string;
  readonly key: string;
}

const Row = z.object({
  fingerprint: z.string().nullable(),
  claim: z.string(),
  resource_id: z.string().nullable(),
  status: z.int().nullable(),
});
export type IdempotencyRow = z.infer<typeof Row>;

/** Statements that make a creation and its record one transaction. */
export interface OnceStatements {
  /** Must come first: aborts the transaction if another request has taken over the claim. */
  readonly guard: D1PreparedStatement;
  /** Must directly follow the statement that creates; records nothing if that statement changed no row. */
  record(resourceId: string): D1PreparedStatement;
  /**
   * Of the operator's records, which are in the directory: runs a creation in another database, also once. The record there
   * commits with it and leads a repeat to what was created.
   */
  readonly elsewhere?: {
    readonly directory: Database;
    run(db: D1Database, create: D1PreparedStatement, resourceId: string): Promise<D1Result>;
  };
}

const PURGED_AT_ONCE = 100;
/** In place of a claim, in the record of a creation outside of the directory. */
const CREATED = "created";
const CLAIM_IS_OVER = leaseOverSql(
  { boot: "boot_id", untilMs: "lease_expires_at_ms" },
  "excluded.boot_id",
  "?9",
);
const OURS = "scope = ?1 AND route = ?2 AND key = ?3";

/** All SQL on idempotency keys of creations in D1. */
export class IdempotencyStore {
  readonly #db: Database;
  readonly #isOperators: boolean;
  readonly #key: IdempotencyKey;
  readonly #bound: readonly [string, string, string];
  /** Whether another database has, or may have, a creation under this key that the directory does not know. */
  #isCreatedElsewhere = false;

  constructor(bindings: Databases, key: IdempotencyKey) {
    this.#isOperators = key.scope === "operator";
    // A scope begins with its workspace: that of an embed token also names the token.
    const [workspaceId = ""] = key.scope.split(" ");
    this.#db = this.#isOperators ? directoryOf(bindings) : databaseOf(bindings, workspaceId);
    this.#key = key;
    this.#bound = [key.scope, key.route, key.key];
  }

  /**
   * Claims a free or lapsed key. Returns the key's current state, with the given `claim` if the call succeeded. Also
   * removes some expired keys, unless an organization moves: its rows may be fenced.
   */
  async claim(given: {
    readonly claim: string;
    readonly fingerprint: string | null;
    readonly bootId: string;
    readonly nowMs: number;
    readonly leaseMs: number;
    readonly keptMs: number;
  }): Promise<IdempotencyRow> {
    const { nowMs } = given;
    const results = await this.#db.batch([
      this.#db
        .prepare(
          `DELETE FROM idempotency_keys WHERE (scope, route, key) IN
             (SELECT scope, route, key FROM idempotency_keys WHERE expires_at_ms <= ?1
              ORDER BY expires_at_ms LIMIT ${PURGED_AT_ONCE})
             AND NOT EXISTS (SELECT 1 FROM organization_moves)`,
        )
        .bind(nowMs),
      this.#db
        .prepare(
          `INSERT INTO idempotency_keys
             (scope, route, key, fingerprint, claim, boot_id, lease_expires_at_ms, expires_at_ms)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
           ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, claim = excluded.claim,
             boot_id = excluded.boot_id, lease_expires_at_ms = excluded.lease_expires_at_ms,
             expires_at_ms = excluded.expires_at_ms, resource_id = NULL, status = NULL
           WHERE expires_at_ms <= ?9 OR
             (resource_id IS NULL AND ${CLAIM_IS_OVER})`,
        )
        .bind(
          ...this.#bound,
          given.fingerprint,
          given.claim,
          given.bootId,
          nowMs + given.leaseMs,
          nowMs + given.keptMs,
          nowMs,
        ),
      this.#read(),
    ]);
    return Row.parse(results[2]?.results[0]);
  }

  /** Returns undefined if the key is not claimed. */
  async find(): Promise<IdempotencyRow | undefined> {
    const row = await this.#read().first();
    return row === null ? undefined : Row.parse(row);
  }

  /** Extends a claim whose request is still in progress. */
  async renew(claim: string, leaseExpiresAtMs: number): Promise<void> {
    await this.#db
      .prepare(
        `UPDATE idempotency_keys SET lease_expires_at_ms = ?5 WHERE ${OURS} AND claim = ?4 AND resource_id IS NULL`,
      )
      .bind(...this.#bound, claim, leaseExpiresAtMs)
      .run();
  }

  /**
   * Releases a claim under which nothing was created. Otherwise it stays until its lease ends, and a repeat of the request
   * then finds what was created.
   */
  async release(claim: string): Promise<void> {
    if (this.#isCreatedElsewhere) {
      return;
    }
    await this.#db
      .prepare(`DELETE FROM idempotency_keys WHERE ${OURS} AND claim = ?4 AND resource_id IS NULL`)
      .bind(...this.#bound, claim)
      .run();
  }

  /**
   * Returns the statements for a transaction that creates under a claim, with the body's fingerprint as known by then.
   */
  statements(claim: string, outcome: { fingerprint: string; status: number }): OnceStatements {
    return {
      guard: this.#db
        .prepare(
          `INSERT INTO idempotency_guard (is_claim_held) SELECT 0 WHERE NOT EXISTS
             (SELECT 1 FROM idempotency_keys WHERE ${OURS} AND claim = ?4 AND resource_id IS NULL)`,
        )
        .bind(...this.#bound, claim),
      record: (resourceId) =>
        this.#db
          .prepare(`${RECORD} AND changes() > 0`)
          .bind(...this.#bound, claim, resourceId, outcome.status, outcome.fingerprint),
      ...(this.#isOperators && {
        elsewhere: {
          directory: this.#db,
          run: (db, create, resourceId) =>
            this.#createElsewhere(db, create, claim, { ...outcome, resourceId }),
        },
      }),
    };
  }

  async #createElsewhere(
    db: D1Database,
    create: D1PreparedStatement,
    claim: string,
    outcome: { readonly resourceId: string; readonly fingerprint: string; readonly status: number },
  ): Promise<D1Result> {
    const nowMs = Date.now();
    const earlier = await db
      .prepare(
        `SELECT resource_id, fingerprint FROM idempotency_keys WHERE ${OURS} AND claim = ?4 AND expires_at_ms > ?5`,
      )
      .bind(...this.#bound, CREATED, nowMs)
      .first<{ resource_id: string; fingerprint: string }>();
    if (earlier !== null) {
      if (earlier.fingerprint !== outcome.fingerprint) {
        throw new AppError("idempotency_conflict", KEY_REUSED);
      }
      // An attempt ended before it could write the directory's record. The caller finds the record and replays.
      this.#isCreatedElsewhere = true;
      await this.settle(claim, { ...outcome, resourceId: earlier.resource_id });
      throw new Error("An earlier attempt of this request has created the resource.");
    }
    // Also if the transaction's answer is lost.
    this.#isCreatedElsewhere = true;
    const [, created] = await db.batch([
      db
        .prepare(`DELETE FROM idempotency_keys WHERE ${OURS} AND expires_at_ms <= ?4`)
        .bind(...this.#bound, nowMs),
      create,
      // A second attempt at the same time fails as a whole.
      db
        .prepare(
          `INSERT INTO idempotency_keys
             (scope, route, key, fingerprint, claim, boot_id, lease_expires_at_ms, resource_id, status, expires_at_ms)
           SELECT ?1, ?2, ?3, ?4, ?5, '', 0, ?6, ?7, ?8 WHERE changes() > 0`,
        )
        .bind(
          ...this.#bound,
          outcome.fingerprint,
          CREATED,
          outcome.resourceId,
          outcome.status,
          nowMs + IDEMPOTENCY_KEPT_MS,
        ),
    ]);
    if (created === undefined) {
      throw new Error("the transaction has no result");
    }
    this.#isCreatedElsewhere = created.meta.changes > 0;
    if (this.#isCreatedElsewhere) {
      await this.settle(claim, outcome);
    }
    return created;
  }

  /** Records an outcome whose effect is stored elsewhere and can be repeated without change. */
  async settle(
    claim: string,
    outcome: { resourceId: string; fingerprint: string; status: number },
  ): Promise<void> {
    await this.#db
      .prepare(RECORD)
      .bind(...this.#bound, claim, outcome.resourceId, outcome.status, outcome.fingerprint)
      .run();
  }

  #read(): D1PreparedStatement {
    return this.#db
      .prepare(`SELECT fingerprint, claim, resource_id, status FROM idempotency_keys WHERE ${OURS}`)
      .bind(this.#key.scope, this.#key.route, this.#key.key);
  }
}

const RECORD = `UPDATE idempotency_keys SET resource_id = ?5, status = ?6, fingerprint = ?7
  WHERE ${OURS} AND claim = ?4 AND resource_id IS NULL`;

/** Runs the statement that creates a resource, in one transaction with its record if there is a key. */
export async function runOnce(
  db: Database,
  create: D1PreparedStatement,
  resourceId: string,
  once: OnceStatements | undefined,
): Promise<{ readonly changes: number }> {
  if (once === undefined) {
    return (await create.run()).meta;
  }
  if (once.elsewhere !== undefined && once.elsewhere.directory !== db) {
    return (await once.elsewhere.run(db as D1Database, create, resourceId)).meta;
  }
  const results = await db.batch([once.guard, create, once.record(resourceId)]);
  return { changes: results[1]?.meta.changes ?? 0 };
}
