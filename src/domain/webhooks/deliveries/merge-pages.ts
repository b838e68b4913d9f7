import type { WebhookPage } from "../../../contracts/webhooks/webhook-object-api.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { type IdKind, tryParseId } from "../../../platform/ids.ts";
import { WebhookEndpointStore } from "../../../storage/d1/webhook-endpoint-store.ts";
import { LIMITS } from "../../../lib/limits/limits-table.ts";
import { badCursor } from "../../list-page.ts";

/** Ended deliveries are kept by an endpoint's object for this time. */
const KEPT_MS = LIMITS.webhook_history.value;

interface MergedPage<T> {
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
  total_count: number;
}

/**
 * One page from many objects that each have their own rows: each is asked for a page, and because
 * ids sort by time, the newest of all pages are the newest of the workspace. The cursor is an id.
 * Throws `invalid_request` for an invalid cursor.
 */
export async function mergePages<T extends { readonly id: string }>(
  ctx: CallerContext,
  kind: IdKind,
  given: {
    readonly endpointId: string | undefined;
    readonly limit: number;
    readonly startingAfter: string | undefined;
  },
  ask: (endpointId: string, limit: number, belowId: string | null) => Promise<WebhookPage<T>>,
): Promise<MergedPage<T>> {
  const belowId = given.startingAfter === undefined ? null : tryParseId(kind, given.startingAfter);
  if (belowId === undefined) {
    throw badCursor(given.startingAfter ?? "", "an entry of this list");
  }
  const store = new WebhookEndpointStore(ctx.env, ctx.principal.workspaceId);
  const endpoints =
    given.endpointId === undefined
      ? await store.listIds(ctx.nowMs() - KEPT_MS)
      : [given.endpointId];
  const pages = await Promise.all(endpoints.map((id) => ask(id, given.limit + 1, belowId)));
  const rows = pages
    .flatMap((page) => page.rows)
    .toSorted((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0));
  const data = rows.slice(0, given.limit);
  const hasMore = rows.length > given.limit;
  return {
    data,
    has_more: hasMore,
    next_cursor: hasMore ? (data.at(-1)?.id ?? null) : null,
    total_count: pages.reduce((sum, page) => sum + page.total, 0),
  };
}
