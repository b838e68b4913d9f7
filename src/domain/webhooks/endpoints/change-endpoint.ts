import type { WebhookEndpoint } from "../../../contracts/webhooks/webhook.ts";
import type { EndpointChange } from "../../../contracts/webhooks/webhook-object-api.ts";
import { unwrap } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { mutationKey } from "./mutation-key.ts";
import { requireEndpoint } from "./require-endpoint.ts";

/** A change of an endpoint's state or secrets without a body. */
export type PlainChange = Exclude<EndpointChange["type"], "patch">;

/**
 * Makes one of the transitions of docs/contract/webhooks.md#transitions; repeats have no effect and
 * never show a secret again. Throws `not_found`, `forbidden`, `invalid_state`,
 * `verification_required`.
 */
export async function changeEndpoint(
  ctx: CallerContext,
  id: string,
  type: PlainChange,
  idempotencyKey: string,
): Promise<{
  endpoint: WebhookEndpoint & { readonly signing_secret?: string };
  isReplay: boolean;
}> {
  const endpoint = await requireEndpoint(ctx, id);
  const changed = unwrap(
    await endpoint.change({
      v: 1,
      change: { type },
      idempotency: await mutationKey(type, idempotencyKey),
    }),
  );
  return {
    endpoint: {
      ...changed.endpoint,
      ...(changed.secret !== null && { signing_secret: changed.secret }),
    },
    isReplay: changed.is_replay,
  };
}
