import type { NodeTasksMessage } from "../../contracts/runs/task.ts";
import type { Env } from "../../platform/env.ts";

/** The platform takes at most this many messages in one batch. */
const BATCH_MAX = 100;

export async function sendNodeTasks(
  env: Pick<Env, "NODE_TASKS">,
  messages: readonly NodeTasksMessage[],
): Promise<void> {
  for (let at = 0; at < messages.length; at += BATCH_MAX) {
    await env.NODE_TASKS.sendBatch(
      messages.slice(at, at + BATCH_MAX).map((body) => ({ body, contentType: "json" })),
    );
  }
}
