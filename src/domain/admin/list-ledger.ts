import type { LedgerList } from "../../contracts/workspaces/ledger.ts";
import { unwrap } from "../../lib/result.ts";
import type { AppContext } from "../../platform/context.ts";
import { requireWorkspace } from "./require-tenant.ts";
import { workspaceObject } from "../../storage/objects/workspace-object.ts";

/** A workspace's ledger, newest first. Throws `not_found`, `invalid_request` (unknown cursor). */
export async function listLedger(
  ctx: AppContext,
  workspaceId: string,
  page: { readonly limit: number; readonly startingAfter: string | null },
): Promise<LedgerList> {
  await requireWorkspace(ctx, workspaceId);
  const { entries, has_more, total_count } = unwrap(
    await workspaceObject(ctx, workspaceId).listLedger(page.limit, page.startingAfter),
  );
  return {
    data: entries.map(
      ({ id, kind, run, node_id, milli_credits, balance_after, created_at_ms }) => ({
        id,
        kind,
        ...(run !== null && { run }),
        ...(node_id !== null && { node_id }),
        milli_credits,
        balance_after,
        created_at: new Date(created_at_ms).toISOString(),
      }),
    ),
    has_more,
    next_cursor: has_more ? (entries.at(-1)?.id ?? null) : null,
    total_count,
  };
}
