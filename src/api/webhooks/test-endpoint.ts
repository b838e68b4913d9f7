import * as z from "zod";
import { WebhookTestOutcome } from "../../contracts/webhooks/webhook.ts";
import { testEndpoint as runTest } from "../../domain/webhooks/endpoints/test-endpoint.ts";
import { defineEndpoint } from "../define-endpoint.ts";
import { idField } from "../id-field.ts";
import { replayHeaders } from "../replay-headers.ts";
import { KEYED_MUTATION } from "./keyed-mutation.ts";

export const testEndpoint = defineEndpoint({
  method: "post",
  path: "/api/v1/webhooks/endpoints/{endpoint_id}/test",
  operationId: "testWebhookEndpoint",
  summary: "Send a signed test",
  description:
    "Makes one attempt to the current URL and returns when it has ended, after 15 seconds at most. Any 2xx status passes. A failed test changes nothing; an earlier pass stays valid.",
  tag: KEYED_MUTATION.tag,
  access: KEYED_MUTATION.access,
  request: {
    params: z.object({ endpoint_id: idField("webhookEndpoint") }),
    headers: KEYED_MUTATION.headers,
    codes: KEYED_MUTATION.codes,
  },
  responses: {
    200: {
      description: "The outcome of the test, passed or not",
      body: WebhookTestOutcome,
      headers: KEYED_MUTATION.responseHeaders,
    },
  },
  errors: [...KEYED_MUTATION.errors, "invalid_state"],
  handle: async (ctx, { params, headers }) => {
    const { outcome, isReplay } = await runTest(
      ctx,
      params.endpoint_id,
      headers["idempotency-key"],
    );
    return {
      status: 200,
      body: outcome,
      headers: replayHeaders(isReplay),
    };
  },
});
