import type { WebhookEndpointObjectApi } from "../../contracts/webhooks/webhook-object-api.ts";
import type { Env } from "../../platform/env.ts";

/** The object that owns a webhook endpoint, its secrets and its deliveries. Named by the endpoint's id. */
export function webhookEndpointObject(
  ctx: { readonly env: Pick<Env, "WEBHOOK_ENDPOINT"> },
  endpointId: string,
): WebhookEndpointObjectApi {
  return ctx.env.WEBHOOK_ENDPOINT.get(ctx.env.WEBHOOK_ENDPOINT.idFromName(endpointId));
}
