import { profileDataset } from "../../datasets/profile/profile-dataset.ts";
import { SUBMITTED_PORT } from "../../engine/plan/node-kind.ts";
import type { Plan, PlanNode } from "../../engine/plan/plan.ts";
import { decodeValue } from "../../engine/values.ts";
import { FileRef } from "../../lib/file-ref.ts";
import { NodeError } from "../../lib/node-error.ts";
import { NodeInputs } from "../../nodes/define-node.ts";
import type { CallerContext } from "../../platform/context.ts";
import { openFileSource } from "../../storage/r2/open-file-source.ts";
import { asNodeError } from "../datasets/as-node-error.ts";
import type { BoundInputs } from "./bind-inputs.ts";
import { inlineNodeContext } from "./inline-node-context.ts";

/**
 * How many rows the stored files of a submit have, by input node (decisions §4: counting a dataset
 * reads its rows). A file that cannot be read has no count: the run will say what is wrong with it.
 */
export async function countFileRows(
  ctx: CallerContext,
  plan: Plan,
  bound: Pick<BoundInputs, "input_files">,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { node_id: id, stored } of bound.input_files ?? []) {
    const node = plan.nodes.find((candidate) => candidate.id === id);
    const file = decodeValue(stored);
    if (node === undefined || !(file instanceof FileRef)) {
      continue;
    }
    try {
      const count = await countRows(ctx, node, file);
      if (count !== undefined) {
        counts.set(id, count);
      }
    } catch (error) {
      if (!(asNodeError(error) instanceof NodeError)) {
        throw error;
      }
    }
  }
  return counts;
}

async function countRows(
  ctx: CallerContext,
  { type, params }: PlanNode,
  file: FileRef,
): Promise<number | undefined> {
  if (type.role !== "input") {
    return undefined;
  }
  const { FILES: bucket } = ctx.env;
  const { workspaceId } = ctx.principal;
  const options = type.datasetOptions?.(params);
  if (options !== undefined) {
    const source = await openFileSource(bucket, workspaceId, file);
    const { profile } = await profileDataset(source, file.name, { ...options, sampleRows: 0 });
    return profile.row_count;
  }
  const inputs = new NodeInputs(new Map([[SUBMITTED_PORT, file]]));
  const elements = type.stream?.(inlineNodeContext(bucket, workspaceId), inputs, params);
  if (elements === undefined) {
    return undefined;
  }
  let count = 0;
  for await (const _element of elements) {
    count++;
  }
  return count;
}
