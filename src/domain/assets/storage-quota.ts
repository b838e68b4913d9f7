import { AppError } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";

/** Storage quota of the workspace in bytes, null if its plan has none. */
export async function quotaOf(ctx: CallerContext): Promise<number | null> {
  return (await getBillingPlan(ctx, ctx.principal)).limits.max_storage_bytes;
}

/** docs/contract/access.md#storage: at create, upload and import. */
export function quotaExceeded(maxBytes: number | null): AppError {
  return new AppError(
    "quota_exceeded",
    `The file does not fit into the workspace's storage quota${maxBytes === null ? "" : ` of ${maxBytes} bytes`}. Delete assets that are no longer needed, or move to a larger plan. GET /api/v1/storage/quota returns the usage, which includes open upload sessions.`,
  );
}
