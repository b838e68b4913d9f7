import { withDeadline } from "../src/lib/with-deadline.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import { createLogger } from "../src/platform/logger.ts";
import { nodeTasks } from "./node-tasks.ts";
import type { Delivery, QueueHandler } from "./queue-handler.ts";
import { webhookDeliveries } from "./webhook-deliveries.ts";
import { describeCause } from "../src/lib/errors/describe-cause.ts";

/** A queue can be limited to one invocation at a time, so a slow hand-over would hold up every tenant. */
const HAND_OVER_MAX_MS = 40;

/** Delay before a message that was not taken over is delivered again; a duplicate hint costs one empty claim. */
const BUSY_DELAY_S = 1;

/** Delay of a message written by a later release: it waits for a runner that knows its version. */
const UNKNOWN_DELAY_MAX_S = 60;

const log = createLogger({ worker: "runner" });

type Handle = (env: RunnerEnv, pending: Set<Message>) => Promise<void>;

const HANDLERS: ReadonlyMap<string, Handle> = new Map([
  parsing(nodeTasks),
  parsing(webhookDeliveries),
]);

/**
 * Passes each message of a batch to its queue's handler: messages that the handler takes over are acknowledged, the
 * others are retried after a delay. Never throws and never waits for the work itself.
 */
export async function consume(batch: MessageBatch, env: RunnerEnv): Promise<void> {
  const handle = HANDLERS.get(batch.queue);
  if (handle === undefined) {
    log.error("queue.unknown", { queue: batch.queue });
    batch.retryAll({ delaySeconds: UNKNOWN_DELAY_MAX_S });
    return;
  }
  const pending = new Set(batch.messages);
  try {
    await withDeadline(handle(env, pending), HAND_OVER_MAX_MS);
  } catch (error) {
    log.error("queue.hand_over_failed", { queue: batch.queue, cause: describeCause(error) });
  }
  for (const message of pending) {
    message.retry({ delaySeconds: BUSY_DELAY_S });
  }
  // A handler result that arrives after this point has no effect.
  pending.clear();
}

/** A handler preceded by parsing: it receives only messages that match its schema. */
function parsing<T>(handler: QueueHandler<T>): readonly [string, Handle] {
  return [
    handler.queue,
    async (env, pending) => {
      const deliveries: Delivery<T>[] = [];
      for (const message of pending) {
        const parsed = handler.message.safeParse(message.body);
        if (parsed.success) {
          const settle = (isTaken: boolean) => {
            if (isTaken && pending.delete(message)) {
              message.ack();
            }
          };
          deliveries.push({ body: parsed.data, settle });
        } else {
          // Written by a later release. It is retried, never failed, until a runner knows it (ARCHITECTURE.md).
          log.error("message.unknown", { queue: handler.queue, attempts: message.attempts });
          message.retry({ delaySeconds: Math.min(2 ** message.attempts, UNKNOWN_DELAY_MAX_S) });
          pending.delete(message);
        }
      }
      await handler.deliver(env, deliveries);
    },
  ];
}
