import type { WebhookDelivery } from "../../contracts/webhook.ts";
import { unwrap } from "../../lib/result.ts";
import type { CallerContext } from "../../platform/context.ts";
import { mutationKey } from "./mutation-key.ts";
import { requireDelivery } from "./require-delivery.ts";

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
