import { RefreshingCache } from "../../lib/memory/refreshing-cache.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { type ApiKeyRow, findApiKey } from "../../storage/d1/api-key-store.ts";
import { CACHE_LIMITS } from "../cache-limits.ts";

export interface KeyState {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
}

const cache = new RefreshingCache<KeyState>(CACHE_LIMITS.keys);

/** The current permissions of a key, at most 30 s old; undefined if the key does not exist. */
export function getKeyState(ctx: AppContext, keyId: string): Promise<KeyState | undefined> {
  return cache.get(keyId, {
    nowMs: () => ctx.nowMs(),
    waitUntil: (read) => ctx.waitUntil(read),
    async read() {
      const row = await findApiKey(ctx.env.DB, keyId);
      return row === undefined ? undefined : toKeyState(row);
    },
  });
}

/** For the isolate that revokes a key: it rejects the key's requests at once. */
export function forgetKey(keyId: string): void {
  cache.delete(keyId);
}

function toKeyState(row: ApiKeyRow): KeyState {
  return {
    principal: {
      keyId: row.id,
      organizationId: row.organization_id,
      workspaceId: row.workspace_id,
      scopes: new Set(row.scopes),
      permissions: new Set(row.permissions),
      isAgent: row.is_agent,
    },
    expiresAtMs: row.expires_at_ms ?? Number.POSITIVE_INFINITY,
    isRevoked: row.revoked_at_ms !== null,
  };
}
