import type { Principal } from "../../platform/context.ts";
import type { AppContext } from "../../platform/context.ts";
import { type ApiKeyRow, findApiKey } from "../../storage/d1/api-key-store.ts";

/** A revoked key stops its live tokens within 60 s (decisions §3); half of that is ours to spend. */
const KEY_STATE_TTL_MS = 30_000;
/** From this age on a request refreshes it in the background, so that a busy key never waits for D1. */
const KEY_STATE_REFRESH_MS = 15_000;
const KEYS_MAX = 5_000;

export interface KeyState {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
}

interface Entry {
  readonly state: KeyState;
  readonly readAtMs: number;
  isRefreshing: boolean;
}

const cache = new Map<string, Entry>();

/** What a key may do now, at most 30 s old; undefined when there is no such key. */
export async function getKeyState(ctx: AppContext, keyId: string): Promise<KeyState | undefined> {
  const entry = cache.get(keyId);
  const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : ctx.nowMs() - entry.readAtMs;
  if (entry === undefined || ageMs >= KEY_STATE_TTL_MS) {
    return readKeyState(ctx, keyId);
  }
  if (ageMs >= KEY_STATE_REFRESH_MS && !entry.isRefreshing) {
    entry.isRefreshing = true;
    // A failed refresh costs nothing: the entry lapses, and the next request waits for its own read.
    ctx.waitUntil(readKeyState(ctx, keyId).catch(() => undefined));
  }
  return entry.state;
}

/** For the isolate that revokes a key: its own requests stop at once. */
export function forgetKey(keyId: string): void {
  cache.delete(keyId);
}

async function readKeyState(ctx: AppContext, keyId: string): Promise<KeyState | undefined> {
  // The age counts from before the read: a revocation that lands during it must not gain time.
  const readAtMs = ctx.nowMs();
  const row = await findApiKey(ctx.env.DB, keyId);
  if (row === undefined) {
    cache.delete(keyId);
    return undefined;
  }
  const state = toKeyState(row);
  if (cache.size >= KEYS_MAX) {
    cache.clear();
  }
  cache.set(keyId, { state, readAtMs, isRefreshing: false });
  return state;
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
