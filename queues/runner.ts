import { ExecutorObject as Executor } from "../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../durable-objects/executor/executor-parts.ts";
import { compileSchema } from "../src/expressions/json-schema.ts";
import { findNodeType } from "../src/nodes/registry.ts";
import type { RunnerEnv } from "../src/platform/env.ts";
import { limitInvocation } from "../src/platform/limits.ts";
import { createCodeTools } from "./code-tools.ts";
import { consume } from "./consume.ts";
import { createImageTools } from "./image-tools.ts";
import { createNodeContext } from "./node-context.ts";

// Made once an isolate: the tools hold compiled wasm and nothing of any tenant.
const parts: ExecutorParts = {
  findNode: findNodeType,
  createContext: createNodeContext({
    codes: createCodeTools(),
    images: createImageTools(),
    schemas: { compile: compileSchema },
  }),
};

export { WebhookSenderObject } from "../durable-objects/webhook-sender/webhook-sender-object.ts";
export { ZipBuilderObject } from "../durable-objects/zip-builder/zip-builder-object.ts";

export { FontChecker } from "./font-checker.ts";

export class ExecutorObject extends Executor {
  protected override readonly parts = parts;
}

export default {
  queue: (batch, env) => consume(batch, env.ENVIRONMENT === "local" ? limitInvocation(env) : env),
  fetch: () => new Response("The runner has no public routes.\n", { status: 404 }),
} satisfies ExportedHandler<RunnerEnv>;
