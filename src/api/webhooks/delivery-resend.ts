import * as z from "zod";
import { WebhookDelivery } from "../../contracts/webhooks/webhook.ts";
import { resendDelivery } from "../../domain/webhooks/deliveries/require-delivery.ts";
import type { CallerContext } from "../../platform/context.ts";
import { idField } from "../id-field.ts";
import { replayHeaders } from "../replay-headers.ts";
import { KEYED_MUTATION } from "./keyed-mutation.ts";

/**
 * The common declaration of routes that send a delivery again (docs/contract/webhooks.md#mutations); each adds its path
 * and texts.
 */
export function deliveryResend(kind: "retry" | "replay") {
  const { tag, access, headers, codes, responseHeaders, errors } = KEYED_MUTATION;
  return {
    tag,
    access,
    request: { params: z.object({ delivery_id: idField("webhookDelivery") }), headers, codes },
    responses: {
      202: {
        description: "The delivery, queued to be sent",
        body: WebhookDelivery,
        headers: responseHeaders,
      },
    },
    errors: [...errors, "invalid_state", "delivery_not_retryable"],
    handle: async (
      ctx: CallerContext,
      input: {
        readonly params: { readonly delivery_id: string };
        readonly headers: { readonly "idempotency-key": string };
      },
    ) => {
      const { delivery, isReplay } = await resendDelivery(
        ctx,
        input.params.delivery_id,
        kind,
        input.headers["idempotency-key"],
      );
      return { status: 202 as const, body: delivery, headers: replayHeaders(isReplay) };
    },
  } as const;
}
