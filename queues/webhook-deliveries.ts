import { WebhookDeliveriesMessage } from "../src/contracts/webhooks/webhook-object-api.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import type { QueueHandler } from "./queue-handler.ts";

/** Wakes the sender objects of endpoints that have due attempts, with one call per object. */
export const webhookDeliveries: QueueHandler<WebhookDeliveriesMessage> = {
  queue: "webhook-deliveries",
  message: WebhookDeliveriesMessage,
  async deliver(env: RunnerEnv, deliveries) {
    const byEndpoint = Map.groupBy(deliveries, ({ body }) => body.endpoint_id);
    // If one object is down, the messages of the other objects must not be retried.
    const calls = await Promise.allSettled(
      [...byEndpoint].map(async ([endpointId, group]) => {
        const sender = env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(endpointId));
        await sender.wake({ v: 1, endpoint_id: endpointId });
        for (const { settle } of group) {
          settle(true);
        }
      }),
    );
    const failed = calls.find((call) => call.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  },
};
