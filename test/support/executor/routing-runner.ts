/** A runner that knows the second Worker's node and does not have its tools. */
import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { consume } from "../../../queues/consume.ts";
import { isRunnerEnvUsable } from "../../../src/platform/check-env.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { STORED_TOOLS } from "../../../src/workers/runner/stored-tools.ts";
import { createNodeContext } from "../../../src/workers/shared/node-context.ts";
import { PAGE_NODE } from "./page-node.ts";
import { TEST_NODES } from "./test-nodes.ts";

/** Other Workers have bindings to it. */
export { BatchExportObject } from "../../../durable-objects/batch-export/batch-export-object.ts";
export { BatchExports } from "../../../src/workers/runner/batch-exports.ts";
export { CacheObject } from "../../../durable-objects/cache/cache-object.ts";
export { ResultCache } from "../../../src/workers/runner/result-cache.ts";

export class ExecutorObject extends Executor {
  protected override readonly parts: ExecutorParts = {
    worker: "runner",
    isEnvUsable: isRunnerEnvUsable,
    findNode: (type) => (type === PAGE_NODE.type ? PAGE_NODE : TEST_NODES.get(type)),
    ...createNodeContext(STORED_TOOLS),
  };
}

export default {
  queue: (batch, env) => consume(batch, env),
} satisfies ExportedHandler<RunnerEnv>;
