import type * as z from "zod";
import type {
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointStatus,
} from "../../../contracts/webhooks/webhook.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { tryParseId } from "../../../platform/ids.ts";
import { WebhookEndpointStore } from "../../../storage/d1/webhook-endpoint-store.ts";
import { badCursor, pageOf } from "../../list-page.ts";

/** A page of endpoints, newest first. Throws `invalid_request` for an unknown cursor. */
export async function listEndpoints(
  ctx: CallerContext,
  given: {
    readonly limit: number;
    readonly startingAfter: string | undefined;
    readonly status: WebhookEndpointStatus | undefined;
  },
): Promise<z.output<typeof WebhookEndpointList>> {
  const store = new WebhookEndpointStore(ctx.env, ctx.principal.workspaceId);
  const cursor = given.startingAfter;
  const page = await store.list({
    status: given.status ?? null,
    belowId: cursor === undefined ? null : (tryParseId("webhookEndpoint", cursor) ?? ""),
    limit: given.limit + 1,
  });
  if (page === undefined) {
    throw badCursor(cursor ?? "", "a webhook endpoint of this workspace");
  }
  return pageOf(
    page,
    given.limit,
    ({ view }) => current(view, ctx.nowMs()),
    ({ view }) => view.id,
  );
}

/** The row was written before an overlap may have ended. */
function current(view: WebhookEndpoint, nowMs: number): WebhookEndpoint {
  const expires = view.previous_secret_expires_at;
  return expires !== null && Date.parse(expires) <= nowMs
    ? { ...view, previous_secret_expires_at: null }
    : view;
}
