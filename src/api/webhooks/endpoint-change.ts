import * as z from "zod";
import { WebhookEndpoint } from "../../contracts/webhooks/webhook.ts";
import {
  changeEndpoint,
  type PlainChange,
} from "../../domain/webhooks/endpoints/change-endpoint.ts";
import type { ErrorCode } from "../../lib/errors/errors.ts";
import type { CallerContext } from "../../platform/context.ts";
import { idField } from "../id-field.ts";
import { replayHeaders } from "../replay-headers.ts";
import { KEYED_MUTATION } from "./keyed-mutation.ts";

/**
 * The common declaration of routes that change an endpoint without a body (docs/contract/webhooks.md#transitions); each
 * adds its path and texts. `refusals` are the codes of this change alone.
 */
export function endpointChange(type: PlainChange, ...refusals: readonly ErrorCode[]) {
  const { tag, access, headers, codes, responseHeaders, errors } = KEYED_MUTATION;
  return {
    tag,
    access,
    request: { params: z.object({ endpoint_id: idField("webhookEndpoint") }), headers, codes },
    responses: {
      200: { description: "The endpoint", body: WebhookEndpoint, headers: responseHeaders },
    },
    errors: [...errors, ...refusals],
    handle: async (
      ctx: CallerContext,
      input: {
        readonly params: { readonly endpoint_id: string };
        readonly headers: { readonly "idempotency-key": string };
      },
    ) => {
      const { endpoint, isReplay } = await changeEndpoint(
        ctx,
        input.params.endpoint_id,
        type,
        input.headers["idempotency-key"],
      );
      return { status: 200 as const, body: endpoint, headers: replayHeaders(isReplay) };
    },
  } as const;
}
