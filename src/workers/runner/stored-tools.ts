import type { TaskScope } from "../../../durable-objects/executor/executor-parts.ts";
import { datasetReaders } from "../../domain/datasets/dataset-readers.ts";
import { storeDataset } from "../../domain/datasets/store-dataset.ts";
import { compileSchema } from "../../expressions/json-schema.ts";
import type { DatasetWriter } from "../../nodes/define-dataset-tools.ts";
import type { TaskEnv } from "../../platform/env.ts";
import { createFetchMedia } from "../shared/fetch-media.ts";
import type { TaskFiles, ToolMakers } from "../shared/node-context.ts";
import { createBundleTools } from "./bundle-tools.ts";

/** The runner's tools for rows, bundles, fetched media and JSON Schemas. They need no wasm. */
export const STORED_TOOLS = {
  bundles: (env, { workspaceId }) => createBundleTools(env, workspaceId),
  datasets: (env, scope, files) => ({
    ...datasetReaders(env.FILES, scope.workspaceId),
    store: datasetStore(env, scope, files()),
  }),
  fetch: createFetchMedia,
  schemas: () => ({ compile: compileSchema }),
} satisfies ToolMakers;

function datasetStore(
  env: TaskEnv,
  { workspaceId }: TaskScope,
  files: TaskFiles,
): DatasetWriter["store"] {
  return (file, options) =>
    storeDataset(env.FILES, workspaceId, file, options, async (name, bytes) => {
      const type = name.endsWith(".json") ? "application/json" : "application/x-ndjson";
      return (await files.writeObject(name, type, bytes)).key;
    });
}
