import { compileSchema } from "../../expressions/json-schema.ts";
import { NodeError } from "../../lib/node-error.ts";
import type { TaskContext } from "../../nodes/define-node.ts";
import { datasetReaders } from "../datasets/dataset-readers.ts";

/**
 * What inline nodes get inside a run object: schemas, and readers of tables, which stop at the last
 * row that a run may have. The tools of the runner are not there; a node that reaches for one is
 * placed wrongly and fails by name.
 */
export function inlineNodeContext(bucket: R2Bucket, workspaceId: string): TaskContext {
  const datasets = {
    ...datasetReaders(bucket, workspaceId),
    store: (): never => {
      throw onlyInTasks("datasets.store");
    },
  };
  // Getters stay getters: what is not there throws only when it is reached for.
  return Object.create(WITHOUT_TOOLS, { datasets: { value: datasets } }) as TaskContext;
}

const WITHOUT_TOOLS: Omit<TaskContext, "datasets"> = {
  schemas: { compile: (schema) => compileSchema(schema) },
  get files(): never {
    throw onlyInTasks("files");
  },
  get codes(): never {
    throw onlyInTasks("codes");
  },
  get images(): never {
    throw onlyInTasks("images");
  },
  get media(): never {
    throw onlyInTasks("media");
  },
  get bundles(): never {
    throw onlyInTasks("bundles");
  },
  get signal(): never {
    throw onlyInTasks("signal");
  },
  get log(): never {
    throw onlyInTasks("log");
  },
  get nowMs(): never {
    throw onlyInTasks("nowMs");
  },
};

function onlyInTasks(tool: string): NodeError {
  return new NodeError(
    "NODE_MISPLACED",
    "This node needs the runner and was run without it. This is a fault of the service.",
    { cause: new Error(`ctx.${tool} reached by an inline node`) },
  );
}
