import type {
  BatchExport,
  ExportColumns,
  ExportFormat,
  InputColumn,
} from "../../contracts/batches/batch-export.ts";
import type { BatchState } from "../../contracts/batches/batch-object-api.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { unwrap } from "../../lib/result.ts";
import { BATCH_INPUT } from "../../nodes/define-batch-item.ts";
import type { CallerContext } from "../../platform/context.ts";
import { getBillingPlan } from "../billing-plans/workspace-billing-plans.ts";
import { fileAddress } from "../files/file-address.ts";
import { partsOfPlan } from "../workflows/contract/interface-parts.ts";
import { loadVersion } from "../workflows/versions/load-version.ts";
import { readBatch } from "./read-batch.ts";

const DAY_MS = 86_400_000;

/** Which export, for the runner. */
function exportOf({ record, attempt }: BatchState, format: ExportFormat) {
  const { id, workspace_id } = record;
  return { v: 1, workspace_id, batch_id: id, format, attempt } as const;
}

/**
 * Begins an export of a batch that has ended, unless there is one with these options: `existed` if it is complete. Throws
 * `not_completed`, `outputs_expired`, `not_found`, `forbidden`.
 */
export async function requestExport(
  ctx: CallerContext,
  id: string,
  options: { readonly format: ExportFormat; readonly inputs: boolean; readonly raw: boolean },
): Promise<{ readonly existed: boolean; readonly status: BatchExport }> {
  const state = await readBatch(ctx, id);
  const { record, completed_at_ms: endedAtMs } = state;
  if (endedAtMs === null) {
    throw new AppError(
      "not_completed",
      `The batch is ${state.status}. Its results can be exported once it has ended.`,
    );
  }
  const { limits } = await getBillingPlan(ctx, ctx.principal);
  return unwrap(
    await ctx.env.BATCH_EXPORTS.request({
      ...exportOf(state, options.format),
      ...options,
      workflow_name: record.workflow_name,
      total_items: record.total_items,
      ended_at_ms: endedAtMs,
      base_url: ctx.baseUrl,
      kept_ms: limits.output_retention_days * DAY_MS,
      columns: await columnsOf(ctx, state),
    }),
  );
}

/** The state of an export; `not_requested` if there is none. Throws `not_found`, `forbidden`. */
export async function readExport(
  ctx: CallerContext,
  id: string,
  format: ExportFormat,
): Promise<BatchExport> {
  return await ctx.env.BATCH_EXPORTS.status(exportOf(await readBatch(ctx, id), format));
}

/** The address of a file of an export that is complete. Throws `not_found`, `forbidden`. */
export async function exportDownload(
  ctx: CallerContext,
  id: string,
  format: ExportFormat,
  part: number,
): Promise<string> {
  const which = exportOf(await readBatch(ctx, id), format);
  const key = await ctx.env.BATCH_EXPORTS.fileKey({ ...which, part });
  if (key === null) {
    throw new AppError(
      "not_found",
      `The batch has no ${format} export with a part ${String(part)} to download. Request it with POST /api/v1/batch-executions/{id}/exports and wait until it is completed.`,
    );
  }
  return fileAddress(ctx, key).url;
}

/** The columns of the batch's interface; null if its definition is gone. */
async function columnsOf(
  ctx: CallerContext,
  { record }: BatchState,
): Promise<ExportColumns | null> {
  const loaded = await loadVersion(ctx, record.workflow, record.workflow_version).catch(
    (error: unknown) => {
      if (error instanceof AppError) {
        return null;
      }
      throw error;
    },
  );
  if (loaded === null) {
    return null;
  }
  const { inputs, outputs } = partsOfPlan(loaded.plan);
  const entry = loaded.definition.interfaces.find(({ id }) => id === record.common.interface_id);
  const kindOf = (node: string): InputColumn["kind"] => {
    const type = inputs.find(({ nodeId }) => nodeId === node)?.type.type;
    return type === BATCH_INPUT ? "batch" : type === "input/json" ? "json" : "text";
  };
  return {
    inputs:
      entry?.fields.map(({ key, bind: { node, parameter = null } }) => ({
        key,
        node_id: node,
        parameter,
        kind: kindOf(node),
      })) ??
      inputs.map(({ name, nodeId }) => ({
        key: name,
        node_id: nodeId,
        parameter: null,
        kind: kindOf(nodeId),
      })),
    outputs: (
      entry?.outputs.map(({ node }) => node) ?? outputs.map(({ nodeId }) => nodeId)
    ).flatMap((node) => outputs.find(({ nodeId }) => nodeId === node)?.key ?? []),
  };
}
