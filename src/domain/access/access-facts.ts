import type {
  AccessFacts,
  KeyFacts,
  OrganizationAccessApi,
  PlanCodes,
} from "../../contracts/workspaces/organization-access.ts";
import { describeCause } from "../../lib/errors/describe-cause.ts";
import { RefreshingCache } from "../../lib/memory/refreshing-cache.ts";
import type { AppContext, Principal } from "../../platform/context.ts";
import { tryParseId } from "../../platform/ids.ts";
import { findAccessFacts } from "../../storage/d1/access-facts-store.ts";
import { askHome, believeOrganization, lastHome } from "../../storage/d1/databases.ts";
import { organizationAccessObject } from "../../storage/objects/organization-access-object.ts";
import { CACHE_LIMITS } from "../cache-limits.ts";

/** A caller: a key, as its signed token names it, or a schedule or a batch that starts runs. */
export type Caller = Pick<Principal, "keyId" | "workspaceId" | "organizationId">;

export interface KeyState {
  readonly principal: Principal;
  readonly expiresAtMs: number;
  readonly isRevoked: boolean;
}

interface KnownCaller {
  /** Undefined if the caller is not a key. */
  readonly key: KeyState | undefined;
  /** Null if there is no such workspace. */
  readonly plans: PlanCodes | null;
}

const cache = new RefreshingCache<KnownCaller>(CACHE_LIMITS.keys);

/**
 * The key of a caller and the plans that limit it, at most 30 s old; undefined if the caller names a key that its
 * workspace does not have. No I/O while this isolate knows them; otherwise one call of the organization's access object, which asks D1 only for what no
 * isolate has asked before.
 */
export function knownCaller(ctx: AppContext, caller: Caller): Promise<KnownCaller | undefined> {
  return cache.get(nameOf(caller), {
    nowMs: () => ctx.nowMs(),
    waitUntil: (read) => ctx.waitUntil(read),
    async read() {
      const { key, plans } = await readFacts(ctx, caller);
      if (plans === null || (isKey(caller) && key === null)) {
        // 503 rather than unknown, if the organization's shard has no binding here.
        await askHome(ctx.env, caller.organizationId);
      }
      if (!isKey(caller)) {
        return { key: undefined, plans };
      }
      const isCallers =
        key?.workspace_id === caller.workspaceId && key.organization_id === caller.organizationId;
      // What does not exist is not cached.
      return key !== null && isCallers ? { key: keyStateOf(key), plans } : undefined;
    },
  });
}

/** Forgets this caller in this isolate. */
export function forgetCaller(caller: Caller): void {
  cache.delete(nameOf(caller));
}

/** Forgets all callers in this isolate. */
export function forgetCallers(): void {
  cache.clear();
}

/**
 * Changes a key, the plans of an organization or a plan in D1. Its access object is told before and after: every isolate sees
 * the change within 30 s, also if this one ends after the write. Throws the error of an object that cannot be reached,
 * before anything is written.
 */
export async function changeAccess<T>(
  ctx: Pick<AppContext, "log">,
  object: OrganizationAccessApi,
  subject: string,
  write: () => Promise<T>,
): Promise<T> {
  const change = { v: 1, subject } as const;
  await object.changing(change);
  const written = await write();
  try {
    await object.changed(change);
  } catch (cause) {
    // For a minute after `changing`, the object asks D1 each time.
    ctx.log.error("organization_access.unreachable", { cause: describeCause(cause) });
  }
  return written;
}

async function readFacts(ctx: AppContext, caller: Caller): Promise<AccessFacts> {
  const { keyId, workspaceId, organizationId } = caller;
  const shard = lastHome(organizationId);
  try {
    const object = organizationAccessObject(ctx.env, organizationId);
    return await object.read({
      v: 1,
      key: isKey(caller) ? keyId : null,
      workspace: workspaceId,
      organization: organizationId,
      ...(shard !== undefined && { shard }),
    });
  } catch (cause) {
    ctx.log.error("organization_access.unreachable", { cause: describeCause(cause) });
    believeOrganization(ctx.env, workspaceId, organizationId);
    return await findAccessFacts(ctx.env, {
      workspaceId,
      keyId: isKey(caller) ? keyId : null,
      organizationId,
      hint: shard,
    });
  }
}

function keyStateOf(key: KeyFacts): KeyState {
  return {
    principal: {
      keyId: key.id,
      organizationId: key.organization_id,
      workspaceId: key.workspace_id,
      scopes: new Set(key.scopes),
      permissions: new Set(key.permissions),
      isAgent: key.is_agent,
    },
    expiresAtMs: key.expires_at_ms ?? Number.POSITIVE_INFINITY,
    isRevoked: key.is_revoked,
  };
}

function isKey({ keyId }: Caller): boolean {
  return tryParseId("apiKey", keyId) !== undefined;
}

function nameOf(caller: Caller): string {
  const { keyId, workspaceId, organizationId } = caller;
  return `${organizationId} ${workspaceId} ${isKey(caller) ? keyId : ""}`;
}
