import type { WebhookTestOutcome } from "../../../contracts/webhooks/webhook.ts";
import type { WebhookEndpointObjectApi } from "../../../contracts/webhooks/webhook-object-api.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { unwrap } from "../../../lib/result.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { mutationKey } from "./mutation-key.ts";
import { requireEndpoint } from "./require-endpoint.ts";
import { sendAttempt } from "../deliveries/send-attempt.ts";

/** A repeat while the first test is in progress waits for it; no attempt takes longer. */
const WAIT_MAX_MS = 40_000;
const LOOK_EVERY_MS = 100;

/**
 * Sends one signed test to the endpoint's current URL and returns its outcome. `activate` requires
 * a passed test. Throws `not_found`, `forbidden`, `invalid_state`.
 */
export async function testEndpoint(
  ctx: CallerContext,
  id: string,
  idempotencyKey: string,
): Promise<{ outcome: WebhookTestOutcome; isReplay: boolean }> {
  const endpoint = await requireEndpoint(ctx, id);
  const idempotency = await mutationKey("test", idempotencyKey);
  const begun = unwrap(await endpoint.beginTest({ v: 1, idempotency }));
  if (begun.kind === "known") {
    return { outcome: await outcomeOf(ctx, endpoint, begun.delivery_id), isReplay: true };
  }
  const { attempt } = begun;
  await endpoint.report({
    v: 1,
    delivery_id: attempt.delivery_id,
    fence: attempt.fence,
    outcome: await sendAttempt(ctx.env, attempt),
    max: 0,
  });
  return { outcome: await outcomeOf(ctx, endpoint, attempt.delivery_id), isReplay: false };
}

async function outcomeOf(
  ctx: CallerContext,
  endpoint: WebhookEndpointObjectApi,
  deliveryId: string,
): Promise<WebhookTestOutcome> {
  const untilMs = ctx.nowMs() + WAIT_MAX_MS;
  for (;;) {
    const outcome = await endpoint.testOutcome(deliveryId);
    if (outcome !== null) {
      return outcome;
    }
    if (ctx.nowMs() > untilMs) {
      throw new AppError("service_unavailable", "The test has not ended yet. Try again.", {
        headers: { "retry-after": "5" },
      });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
