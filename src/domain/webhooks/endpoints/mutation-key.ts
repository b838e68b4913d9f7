import { requestFingerprint } from "../../idempotency/request-fingerprint.ts";
import type { WebhookIdempotency } from "../../../contracts/webhook-object-api.ts";
import type { JsonValue } from "../../../lib/exact-json.ts";

/** What makes a repeat of a mutation known: method, route and the client's key, and what was asked (docs/contract/idempotency.md#keys). */
export async function mutationKey(
  route: string,
  key: string,
  body: JsonValue = {},
): Promise<WebhookIdempotency> {
  return { key: `${route} ${key}`, fingerprint: await requestFingerprint(body) };
}
