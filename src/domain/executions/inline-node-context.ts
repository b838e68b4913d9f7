import { compileSchema } from "../../expressions/json-schema.ts";
import type { InlineContext } from "../../nodes/define-tools.ts";
import { datasetReaders } from "../datasets/dataset-readers.ts";

/**
 * What inline nodes get inside a run object: schemas, and readers of tables, which stop at the last
 * row that a run may have. The types of their contexts know of nothing else.
 */
export function inlineNodeContext(bucket: R2Bucket, workspaceId: string): InlineContext {
  return {
    datasets: datasetReaders(bucket, workspaceId),
    schemas: { compile: (schema) => compileSchema(schema) },
  };
}
