import type { SignedAttempt } from "../../src/contracts/webhooks/webhook-object-api.ts";
import type { LeasedAttempt } from "../../src/domain/webhooks/deliveries/delivery-scheduler.ts";
import { signWebhook } from "../../src/domain/webhooks/deliveries/sign-webhook.ts";
import { signingSecrets } from "../../src/domain/webhooks/endpoints/endpoint-record.ts";
import type { EndpointStore } from "./endpoint-store.ts";

const USER_AGENT = "Edgeloom-Webhooks/1.0";

/** Id, body and signature of one attempt, with the current time (docs/contract/webhooks.md#signatures). */
export function signAttempt(
  store: EndpointStore,
  { delivery, url }: LeasedAttempt,
  nowMs: number,
): SignedAttempt {
  const body = store.body(delivery.id);
  const timestamp = Math.floor(nowMs / 1000);
  const secrets = signingSecrets(store.endpoint(), nowMs);
  return {
    delivery_id: delivery.id,
    fence: delivery.fence,
    url,
    headers: {
      "content-type": "application/cloudevents+json",
      "user-agent": USER_AGENT,
      "webhook-id": delivery.event_id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": signWebhook({ id: delivery.event_id, timestamp, body }, secrets),
    },
    body,
  };
}
