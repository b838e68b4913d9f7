/** The runner's own parts around test nodes; only the heavy tools are left out. */
import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { consume } from "../../../queues/consume.ts";
import { createNodeContext } from "../../../queues/node-context.ts";
import type { NodeTasksMessage } from "../../../src/contracts/task.ts";
import type { RunnerEnv } from "../../../src/platform/env.ts";
import { TEST_NODES } from "./test-nodes.ts";

/** The executor slot whose hand-over hangs. */
const STUCK_SLOT = 99;

function absent(): Promise<never> {
  return Promise.reject(new Error("The test runner has no such tool."));
}

export class ExecutorObject extends Executor {
  protected override readonly parts: ExecutorParts = {
    findNode: (type) => TEST_NODES.get(type),
    createContext: createNodeContext({
      codes: { draw: absent, decode: absent },
      images: {
        encodePng: absent,
        decode: absent,
        drawSvg: absent,
        convert: absent,
      },
      schemas: { compile: absent },
    }),
  };

  override async accept(hints: readonly NodeTasksMessage[]): Promise<readonly boolean[]> {
    if (hints.some(({ slot }) => slot === STUCK_SLOT)) {
      await new Promise((resolve) => setTimeout(resolve, 5_000));
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
