import * as z from "zod";
import { Permission, Scope } from "../../contracts/workspaces/access.ts";
import {
  askHomeOfKey,
  atHome,
  believeHome,
  databaseAt,
  databaseOf,
  type Databases,
  directoryOf,
  homeOfKey,
  isFormer,
  shardsOf,
} from "./databases.ts";
import { type OnceStatements, runOnce } from "./idempotency-store.ts";

const ApiKeyRow = z
  .object({
    id: z.string(),
    organization_id: z.string(),
    workspace_id: z.string(),
    name: z.string(),
    secret_sha256: z.string(),
    scopes: z.string().transform((text) => z.array(Scope).parse(JSON.parse(text))),
    permissions: z.string().transform((text) => z.array(Permission).parse(JSON.parse(text))),
    is_agent: z.literal([0, 1]).transform((flag) => flag === 1),
    created_at_ms: z.int(),
    expires_at_ms: z.int().nullable(),
    revoked_at_ms: z.int().nullable(),
  })
  .readonly();
const Count = z.object({ n: z.int() });

/** Live keys of workspace ?1 at time ?2. */
const LIVE =
  "workspace_id = ?1 AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?2)";

export type ApiKeyRow = z.infer<typeof ApiKeyRow>;

/** A key, and the shard on which it is. */
export type FoundKey = ApiKeyRow & { readonly shard: number };

/**
 * A key. The directory is not asked if the key is on the shard of `hint`, and this is its organization's home: only a former
 * home has a state of the move for as long as the rows.
 */
export async function findApiKey(
  bindings: Databases,
  keyId: string,
  hint?: number,
): Promise<FoundKey | undefined> {
  return (
    (hint === undefined ? undefined : await findOn(bindings, hint, keyId)) ??
    (await findByDirectory(bindings, keyId))
  );
}

async function findOn(
  bindings: Databases,
  shard: number,
  keyId: string,
): Promise<FoundKey | undefined> {
  if (!shardsOf(bindings).includes(shard)) {
    return undefined;
  }
  const row = await databaseAt(bindings, shard)
    .prepare(
      `SELECT api_keys.*, (SELECT state FROM organization_moves moves
         WHERE moves.organization_id = api_keys.organization_id) AS move_state FROM api_keys WHERE id = ?`,
    )
    .bind(keyId)
    .first();
  if (row === null || isFormer(row["move_state"])) {
    return undefined;
  }
  const key = ApiKeyRow.parse(row);
  believeHome(key.organization_id, shard);
  return { ...key, shard };
}

async function findByDirectory(bindings: Databases, keyId: string): Promise<FoundKey | undefined> {
  const { shard, db } = await homeOfKey(bindings, keyId);
  const row = await db.prepare("SELECT * FROM api_keys WHERE id = ?").bind(keyId).first();
  if (row === null) {
    // 503 rather than unknown, if the key's shard has no binding here.
    await askHomeOfKey(bindings, keyId);
    return undefined;
  }
  return { ...ApiKeyRow.parse(row), shard };
}

/** The rights of a key. */
export const KeyFactsRow = ApiKeyRow.unwrap()
  .omit({ name: true, secret_sha256: true, created_at_ms: true })
  .transform(({ revoked_at_ms, ...facts }) => ({ ...facts, is_revoked: revoked_at_ms !== null }));

/** Returns false if the workspace already has `keysMax` live keys; null means no limit. */
export async function insertApiKey(
  bindings: Databases,
  key: ApiKeyRow,
  keysMax: number | null,
  once?: OnceStatements,
): Promise<boolean> {
  const directory = directoryOf(bindings);
  // First: a key that nobody can find must not count. An entry without its key leads nowhere.
  await directory
    .prepare("INSERT INTO key_organizations (key_id, organization_id) VALUES (?, ?)")
    .bind(key.id, key.organization_id)
    .run();
  const isInserted = await atHome(bindings, key.organization_id, async ({ db }) => {
    const create = db
      .prepare(
        `INSERT INTO api_keys (id, organization_id, workspace_id, name, secret_sha256, scopes, permissions,
           is_agent, created_at_ms, expires_at_ms, revoked_at_ms)
         SELECT ?3, ?4, ?1, ?5, ?6, ?7, ?8, ?9, ?2, ?10, ?11
         WHERE ?12 IS NULL OR (SELECT count(*) FROM api_keys WHERE ${LIVE}) < ?12`,
      )
      .bind(
        key.workspace_id,
        key.created_at_ms,
        key.id,
        key.organization_id,
        key.name,
        key.secret_sha256,
        JSON.stringify(key.scopes),
        JSON.stringify(key.permissions),
        key.is_agent ? 1 : 0,
        key.expires_at_ms,
        key.revoked_at_ms,
        keysMax,
      );
    return (await runOnce(db, create, key.id, once)).changes > 0;
  });
  if (!isInserted) {
    await directory.prepare("DELETE FROM key_organizations WHERE key_id = ?").bind(key.id).run();
  }
  return isInserted;
}

/** Counts the keys of a workspace that are neither revoked nor expired. */
export async function countLiveApiKeys(
  bindings: Databases,
  workspaceId: string,
  nowMs: number,
): Promise<number> {
  const row = await databaseOf(bindings, workspaceId)
    .prepare(`SELECT count(*) AS n FROM api_keys WHERE ${LIVE}`)
    .bind(workspaceId, nowMs)
    .first();
  return Count.parse(row).n;
}

/** Revokes a key; a key revoked earlier keeps its first time. Returns false if its workspace has no such key. */
export async function markApiKeyRevoked(
  bindings: Databases,
  workspaceId: string,
  keyId: string,
  nowMs: number,
): Promise<boolean> {
  const outcome = await databaseOf(bindings, workspaceId)
    .prepare("UPDATE api_keys SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?")
    .bind(nowMs, keyId)
    .run();
  return outcome.meta.changes > 0;
}
