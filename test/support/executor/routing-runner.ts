/** A runner with a second Worker and its node, and without its tools. */
import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { createConsumer } from "../../../queues/consume.ts";
import { type Executors, nodeTasksTo } from "../../../queues/node-tasks.ts";
import { isRunnerEnvUsable } from "../../../src/platform/check-env.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { createNodeContext } from "../../../src/workers/shared/node-context.ts";
import { PAGE_NODE } from "./page-node.ts";
import { TEST_NODES } from "./test-nodes.ts";

interface Env extends RunnerEnv {
  readonly RENDERER_EXECUTOR: Executors;
}

export class ExecutorObject extends Executor {
  protected override readonly parts: ExecutorParts = {
    isEnvUsable: isRunnerEnvUsable,
    findNode: (type) => (type === PAGE_NODE.type ? PAGE_NODE : TEST_NODES.get(type)),
    ...createNodeContext({}),
  };
}

const consume = createConsumer<Env>(
  nodeTasksTo((env, worker) =>
    worker === "runner" ? env.EXECUTOR : worker === "renderer" ? env.RENDERER_EXECUTOR : undefined,
  ),
);

export default {
  queue: (batch, env) => consume(batch, env),
} satisfies ExportedHandler<Env>;
