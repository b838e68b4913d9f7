import type { StorageQuota } from "../../contracts/storage.ts";
import type { CallerContext } from "../../platform/context.ts";
import { quotaOf } from "../assets/storage-quota.ts";
import { currentUsage, storedBytes } from "./current-usage.ts";

/** docs/contract/access.md#storage. */
const WARNING_PERCENT = 80;

/** How much of its quota the workspace uses, open upload sessions included (docs/contract/access.md#storage). */
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
