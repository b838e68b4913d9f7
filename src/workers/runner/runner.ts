import { ExecutorObject as Executor } from "../../../durable-objects/executor/executor-object.ts";
import type { ExecutorParts } from "../../../durable-objects/executor/executor-parts.ts";
import { findNodeType } from "../../nodes/registry.ts";
import { isRunnerEnvUsable } from "../../platform/check-env.ts";
import type { RunnerEnv } from "../../platform/env.ts";
import { limitInvocation } from "../../platform/limits.ts";
import { createCodeTools } from "./code-tools.ts";
import { consume } from "../../../queues/consume.ts";
import { imageCodecs } from "./image-codecs.ts";
import { createImageTools } from "./image-tools.ts";
import { finishPicture, openPicture, preparePicture } from "./model-pictures.ts";
import { configuredProvider, providersOf } from "./model-providers.ts";
import { createModelTools } from "./model-tools.ts";
import { giveUpJobs } from "./reach-jobs.ts";
import { createNodeContext } from "../shared/node-context.ts";
import { STORED_TOOLS } from "./stored-tools.ts";

/** Delay before a message is retried while the environment is invalid. */
const REFUSED_DELAY_S = 30;

// Created once per isolate: the tools hold compiled wasm and no tenant's data.
const MODEL_PARTS = {
  findProvider: configuredProvider,
  preparePicture,
  openPicture,
  pixels: imageCodecs.pixels,
  finishPicture,
};
const parts: ExecutorParts = {
  worker: "runner",
  findNode: findNodeType,
  isEnvUsable: isRunnerEnvUsable,
  giveUp: (env, workspaceId, token) => giveUpJobs(MODEL_PARTS, env, workspaceId, token),
  ...createNodeContext({
    ...STORED_TOOLS,
    codes: (_env, { task }) => createCodeTools(task.countColors),
    images: (_env, { shrinkMemory, task }) => createImageTools(shrinkMemory, task.countColors),
    models: (env, scope, files) => {
      const findProvider = providersOf(scope.executor, scope.runId);
      return createModelTools({ ...MODEL_PARTS, findProvider }, env, scope, files);
    },
  }),
};

export { OrganizationMoveObject } from "../../../durable-objects/organization-move/organization-move-object.ts";
export { BatchExportObject } from "../../../durable-objects/batch-export/batch-export-object.ts";
export { CacheObject } from "../../../durable-objects/cache/cache-object.ts";
export { WebhookSenderObject } from "../../../durable-objects/webhook-sender/webhook-sender-object.ts";
export { ProviderGateObject } from "../../../durable-objects/provider-gate/provider-gate-object.ts";
export { ZipBuilderObject } from "../../../durable-objects/zip-builder/zip-builder-object.ts";

export { BatchExports } from "./batch-exports.ts";
export { FileTypes } from "./file-types.ts";
export { FontChecker } from "./font-checker.ts";
export { ModelProviders } from "./model-providers-entry.ts";
export { OrganizationMoves } from "./organization-moves.ts";
export { ResultCache } from "./result-cache.ts";
export { Thumbnails } from "./thumbnails.ts";
export { ZipBuilders } from "./zip-builders.ts";

export class ExecutorObject extends Executor {
  protected override readonly parts = parts;
}

export default {
  async queue(batch, env) {
    if (isRunnerEnvUsable(env)) {
      await consume(batch, env.ENVIRONMENT === "local" ? limitInvocation(env) : env);
    } else {
      batch.retryAll({ delaySeconds: REFUSED_DELAY_S });
    }
  },
  fetch: () => new Response("The runner has no public routes.\n", { status: 404 }),
} satisfies ExportedHandler<RunnerEnv>;
