import { compileSchema } from "../../expressions/json-schema.ts";
import type { InlineContext } from "../../nodes/define-tools.ts";
import { datasetReaders } from "../datasets/dataset-readers.ts";

/**
 * The context of inline nodes inside a run object: schemas, and readers of tables, which stop at
 * the last row that a run may have (`countsAll`: at the last row of the file). The types of their
 * contexts have nothing else.
 */
export function inlineNodeContext(
  bucket: R2Bucket,
  workspaceId: string,
  countsAll = false,
): InlineContext {
  return {
    datasets: datasetReaders(bucket, workspaceId, countsAll),
    schemas: { compile: (schema) => compileSchema(schema) },
  };
}
