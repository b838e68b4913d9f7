import { requestFingerprint } from "../../idempotency/request-fingerprint.ts";
import type { WebhookIdempotency } from "../../../contracts/webhooks/webhook-object-api.ts";
import type { JsonValue } from "../../../lib/json/exact-json.ts";

/**
 * The identity of a mutation, for its repeats: method, route, the client's key, and the request
 * (docs/contract/idempotency.md#keys).
 */
export async function mutationKey(
  route: string,
  key: string,
  body: JsonValue = {},
): Promise<WebhookIdempotency> {
  return { key: `${route} ${key}`, fingerprint: await requestFingerprint(body) };
}
