import type { Env } from "../../platform/env.ts";

/** Sends a queue message that attempts of an endpoint are due. */
export async function sendWebhookHint(
  env: Pick<Env, "WEBHOOK_DELIVERIES">,
  endpointId: string,
): Promise<void> {
  await env.WEBHOOK_DELIVERIES.send({ v: 1, endpoint_id: endpointId }, { contentType: "json" });
}
