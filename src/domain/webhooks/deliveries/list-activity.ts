import type * as z from "zod";
import type { WebhookActivityList } from "../../../contracts/webhooks/webhook.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { webhookEndpointObject } from "../../../storage/objects/webhook-endpoint-object.ts";
import { mergePages } from "./merge-pages.ts";
import { requireEndpoint } from "../endpoints/require-endpoint.ts";

/**
 * A page of the activity of endpoints and deliveries, newest first. Throws `not_found`,
 * `forbidden`, `invalid_request`.
 */
export async function listActivity(
  ctx: CallerContext,
  given: {
    readonly limit: number;
    readonly startingAfter: string | undefined;
    readonly endpointId: string | undefined;
  },
): Promise<z.output<typeof WebhookActivityList>> {
  if (given.endpointId !== undefined) {
    await requireEndpoint(ctx, given.endpointId);
  }
  return await mergePages(ctx, "webhookActivity", given, (endpointId, limit, belowId) =>
    webhookEndpointObject(ctx, endpointId).listActivity({ v: 1, limit, below_id: belowId }),
  );
}
