import { NodeTasksMessage } from "../src/contracts/task.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import type { QueueHandler } from "./queue-handler.ts";

/** Hands hints to the executor objects of their workspaces, one call for each object. */
export const nodeTasks: QueueHandler<NodeTasksMessage> = {
  queue: "node-tasks",
  message: NodeTasksMessage,
  async deliver(env: RunnerEnv, deliveries) {
    const byExecutor = Map.groupBy(deliveries, ({ body }) => `${body.workspace_id}:${body.slot}`);
    // One object that is down must not send the others' messages round again.
    const calls = await Promise.allSettled(
      [...byExecutor].map(async ([name, group]) => {
        const executor = env.EXECUTOR.get(env.EXECUTOR.idFromName(name));
        const accepted = await executor.accept(group.map(({ body }) => body));
        group.forEach(({ settle }, index) => {
          settle(accepted[index] === true);
        });
      }),
    );
    const failed = calls.find((call) => call.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  },
};
