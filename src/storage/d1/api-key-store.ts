import { z } from "zod";
import { Permission, Scope } from "../../contracts/access.ts";

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
export type ApiKeyRow = z.infer<typeof ApiKeyRow>;

export async function findApiKey(db: D1Database, keyId: string): Promise<ApiKeyRow | undefined> {
  const row = await db.prepare("SELECT * FROM api_keys WHERE id = ?").bind(keyId).first();
  return row === null ? undefined : ApiKeyRow.parse(row);
}

export async function insertApiKey(db: D1Database, key: ApiKeyRow): Promise<void> {
  await db
    .prepare(
      `INSERT INTO api_keys (id, organization_id, workspace_id, name, secret_sha256, scopes, permissions,
         is_agent, created_at_ms, expires_at_ms, revoked_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .bind(
      key.id,
      key.organization_id,
      key.workspace_id,
      key.name,
      key.secret_sha256,
      JSON.stringify(key.scopes),
      JSON.stringify(key.permissions),
      key.is_agent ? 1 : 0,
      key.created_at_ms,
      key.expires_at_ms,
      key.revoked_at_ms,
    )
    .run();
}

/** Revokes; a key revoked before keeps its first time. False when there is no such key. */
export async function markApiKeyRevoked(
  db: D1Database,
  keyId: string,
  nowMs: number,
): Promise<boolean> {
  const outcome = await db
    .prepare("UPDATE api_keys SET revoked_at_ms = coalesce(revoked_at_ms, ?) WHERE id = ?")
    .bind(nowMs, keyId)
    .run();
  return outcome.meta.changes > 0;
}
