import type { WebhookDelivery } from "../../../contracts/webhooks/webhook.ts";
import type { WebhookEndpointObjectApi } from "../../../contracts/webhooks/webhook-object-api.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { WebhookEndpointStore, webhookIdEnd } from "../../../storage/d1/webhook-endpoint-store.ts";
import { webhookEndpointObject } from "../../../storage/objects/webhook-endpoint-object.ts";
import { unwrap } from "../../../lib/result.ts";
import { mutationKey } from "../endpoints/mutation-key.ts";

/**
 * A delivery of the caller's workspace and the object that stores it, found by the end of its id.
 * Throws `not_found`, `forbidden`.
 */
export async function requireDelivery(
  ctx: CallerContext,
  id: string,
): Promise<{ delivery: WebhookDelivery; endpoint: WebhookEndpointObjectApi }> {
  const store = new WebhookEndpointStore(ctx.env, ctx.principal.workspaceId);
  for (const { id: endpointId, isOurs } of await store.findByIdEnd(webhookIdEnd(id))) {
    const endpoint = webhookEndpointObject(ctx, endpointId);
    const delivery = await endpoint.readDelivery(id);
    if (delivery !== null) {
      if (!isOurs) {
        throw new AppError(
          "forbidden",
          `The delivery ${id} belongs to another workspace. Use a key of that workspace.`,
        );
      }
      return { delivery, endpoint };
    }
  }
  throw new AppError(
    "not_found",
    `There is no delivery ${id}. GET /api/v1/webhooks/deliveries lists the deliveries, which are kept for 60 days.`,
  );
}

/**
 * Sends a final delivery again with the same body and `webhook-id`, on a schedule of its own.
 * Throws `not_found`, `forbidden`, `delivery_not_retryable`, `invalid_state`.
 */
export async function resendDelivery(
  ctx: CallerContext,
  id: string,
  kind: "retry" | "replay",
  idempotencyKey: string,
): Promise<{ delivery: WebhookDelivery; isReplay: boolean }> {
  const { endpoint } = await requireDelivery(ctx, id);
  const idempotency = await mutationKey(`${kind} ${id}`, idempotencyKey);
  const resent = unwrap(await endpoint.resend({ v: 1, delivery_id: id, kind, idempotency }));
  return { delivery: resent.delivery, isReplay: resent.is_replay };
}
