import type * as z from "zod";
import type {
  WebhookDeliveryList,
  WebhookDeliveryStatus,
} from "../../../contracts/webhooks/webhook.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { webhookEndpointObject } from "../../../storage/objects/webhook-endpoint-object.ts";
import { mergePages } from "./merge-pages.ts";
import { requireEndpoint } from "../endpoints/require-endpoint.ts";

/** A page of deliveries with their attempts, newest first. Throws `not_found`, `forbidden` (endpoint), `invalid_request` (cursor). */
export async function listDeliveries(
  ctx: CallerContext,
  given: {
    readonly limit: number;
    readonly startingAfter: string | undefined;
    readonly endpointId: string | undefined;
    readonly status: WebhookDeliveryStatus | undefined;
    readonly execution: string | undefined;
    readonly eventType: string | undefined;
  },
): Promise<z.output<typeof WebhookDeliveryList>> {
  if (given.endpointId !== undefined) {
    await requireEndpoint(ctx, given.endpointId);
  }
  return await mergePages(ctx, "webhookDelivery", given, (endpointId, limit, belowId) =>
    webhookEndpointObject(ctx, endpointId).listDeliveries({
      v: 1,
      limit,
      below_id: belowId,
      status: given.status ?? null,
      execution: given.execution ?? null,
      event_type: given.eventType ?? null,
    }),
  );
}
