import { DEFAULT_WORKER, type TaskWorker } from "../src/contracts/runs/task-workers.ts";
import { NodeTasksMessage } from "../src/contracts/runs/task.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import { createLogger } from "../src/platform/logger.ts";
import type { Delivery, QueueHandler } from "./queue-handler.ts";

const log = createLogger({ worker: "runner" });

/** The namespace of one Worker's executor objects. */
type Executors = RunnerEnv["EXECUTOR"];

/** The binding of each Worker's executor objects; a new Worker adds one entry. */
const EXECUTORS = {
  runner: "EXECUTOR",
  renderer: "RENDERER_EXECUTOR",
  media: "MEDIA_EXECUTOR",
} as const satisfies Readonly<Record<TaskWorker, keyof RunnerEnv>>;

/** Undefined if this deployment has no such Worker. */
function executorsOf(env: RunnerEnv, worker: string): Executors | undefined {
  return Object.hasOwn(EXECUTORS, worker) ? env[EXECUTORS[worker as TaskWorker]] : undefined;
}

/**
 * Passes hints to the executor objects of their workspaces, in the Worker that each hint names, with one call per
 * object.
 */
export const nodeTasks: QueueHandler<NodeTasksMessage> = {
  queue: "node-tasks",
  message: NodeTasksMessage,
  async deliver(env, deliveries) {
    const byWorker = Map.groupBy(deliveries, ({ body }) => body.worker ?? DEFAULT_WORKER);
    // If one object is down, the messages of the other objects must not be retried.
    const calls = await Promise.allSettled(
      [...byWorker].map(async ([worker, group]) => {
        const executors = executorsOf(env, worker);
        if (executors === undefined) {
          // The run belongs to a later release. The hints stay unsettled, so that the queue delivers them again.
          log.error("message.unknown_worker", { named: worker, hints: group.length });
          return;
        }
        await handOver(executors, group);
      }),
    );
    const failed = calls.find((call) => call.status === "rejected");
    if (failed !== undefined) {
      throw failed.reason;
    }
  },
};

async function handOver(
  executors: Executors,
  deliveries: readonly Delivery<NodeTasksMessage>[],
): Promise<void> {
  const byExecutor = Map.groupBy(deliveries, ({ body }) => `${body.workspace_id}:${body.slot}`);
  const calls = await Promise.allSettled(
    [...byExecutor].map(async ([name, group]) => {
      const executor = executors.get(executors.idFromName(name));
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
}
