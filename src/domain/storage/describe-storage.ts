import type { StorageQuota, StorageUsage } from "../../contracts/files/storage.ts";
import type { CallerContext } from "../../platform/context.ts";
import { quotaOf } from "../assets/storage-quota.ts";
import { currentUsage, storedBytes } from "./current-usage.ts";
import { AssetStore } from "../../storage/d1/asset-store.ts";
import { FontObjectStore } from "../../storage/d1/font-object-store.ts";

/** docs/contract/access.md#storage. */
const WARNING_PERCENT = 80;

/**
 * The used part of the workspace's quota, including open upload sessions
 * (docs/contract/access.md#storage).
 */
export async function describeQuota(ctx: CallerContext): Promise<StorageQuota> {
  const [usage, max] = await Promise.all([currentUsage(ctx), quotaOf(ctx)]);
  const current = storedBytes(usage);
  const percent = max === null ? 0 : max === 0 ? 100 : Math.min(100, (current / max) * 100);
  return {
    current_bytes: current,
    max_bytes: max,
    usage_percent: Math.round(percent * 100) / 100,
    is_warning: percent >= WARNING_PERCENT,
    is_blocked: max !== null && current >= max,
  };
}

/**
 * The workspace's storage by category (docs/contract/access.md#storage). Categories without a file
 * are omitted.
 */
export async function describeUsage(ctx: CallerContext): Promise<StorageUsage> {
  const store = new AssetStore(ctx.env, ctx.principal.workspaceId);
  const fontStore = new FontObjectStore(ctx.env, ctx.principal.workspaceId);
  const [usage, kinds, sessions, fonts, cache] = await Promise.all([
    currentUsage(ctx),
    store.totals(),
    store.countSessions(),
    fontStore.total(),
    ctx.env.RESULT_CACHE.figures({ v: 1, workspace_id: ctx.principal.workspaceId }),
  ]);
  const breakdown = [
    ...kinds.map(({ kind, bytes, files }) => category(kind, bytes, files)),
    category("font", fonts.bytes, fonts.files),
    category("cache", cache.stored_bytes, cache.entries),
    category("outputs", usage.output_bytes, usage.output_count),
    category("upload_sessions", usage.session_bytes, sessions),
  ].filter(({ file_count }) => file_count > 0);
  return {
    total_bytes: breakdown.reduce((sum, { total_bytes }) => sum + total_bytes, 0),
    file_count: breakdown.reduce((sum, { file_count }) => sum + file_count, 0),
    breakdown,
  };
}

function category(name: string, bytes: number, files: number) {
  return { category: name, total_bytes: bytes, file_count: files };
}
