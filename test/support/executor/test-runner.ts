/** The runner's own parts with test nodes; only the heavy tools are left out. */
import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { consume } from "../../../queues/consume.ts";
import { createNodeContext } from "../../../src/workers/shared/node-context.ts";
import type { NodeTasksMessage } from "../../../src/contracts/runs/task.ts";
import { isRunnerEnvUsable } from "../../../src/platform/check-env.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { TEST_NODES } from "./test-nodes.ts";

/** The executor slot whose hand-over hangs, for longer than a test waits. */
const STUCK_SLOT = 99;
const STUCK_MS = 60_000;

/** Other Workers have bindings to it. */
export { BatchExportObject } from "../../../durable-objects/batch-export/batch-export-object.ts";
export { BatchExports } from "../../../src/workers/runner/batch-exports.ts";
export { CacheObject } from "../../../durable-objects/cache/cache-object.ts";
export { ResultCache } from "../../../src/workers/runner/result-cache.ts";

export class ExecutorObject extends Executor {
  protected override readonly parts: ExecutorParts = {
    worker: "runner",
    isEnvUsable: isRunnerEnvUsable,
    findNode: (type) => TEST_NODES.get(type),
    ...createNodeContext({}),
  };

  override async accept(hints: readonly NodeTasksMessage[]): Promise<readonly boolean[]> {
    if (hints.some(({ slot }) => slot === STUCK_SLOT)) {
      await new Promise((resolve) => setTimeout(resolve, STUCK_MS));
    }
    return super.accept(hints);
  }

  crash(): void {
    this.ctx.abort("crashed by a test");
  }
}

interface TestEnv extends RunnerEnv {
  readonly EXECUTOR: DurableObjectNamespace<ExecutorObject>;
}

export default {
  queue: (batch, env) => consume(batch, env),
  async fetch(request, env) {
    const name = new URL(request.url).searchParams.get("crash") ?? "";
    await env.EXECUTOR.get(env.EXECUTOR.idFromName(name))
      .crash()
      .catch(() => undefined);
    return new Response("crashed");
  },
} satisfies ExportedHandler<TestEnv>;
