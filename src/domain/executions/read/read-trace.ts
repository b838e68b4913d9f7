import type { RunIndexRow } from "../../../contracts/workspaces/admission.ts";
import { isTerminal } from "../../../contracts/runs/run.ts";
import type { IterationFilter, Trace, TraceIterationPage } from "../../../contracts/runs/trace.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { findIndexedRun, loadRunVersion } from "./find-indexed-run.ts";

/** The trace of any existing run (docs/contract/trace.md#report). Throws `not_found` and `forbidden`. */
export async function readTrace(ctx: CallerContext, runId: string): Promise<Trace> {
  const result = await runObject(ctx, runId).readTrace({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    base_url: ctx.baseUrl,
  });
  return result.ok ? result.value : unstartedTrace(ctx, await findIndexedRun(ctx, runId, result));
}

export interface IterationsPage {
  readonly nodeId: string;
  /** 1 to 500. */
  readonly pageSize: number;
  readonly after: string | null;
  /** Only iterations with one of these states; null means all. */
  readonly states: readonly IterationFilter[] | null;
}

/**
 * A page of one node's iterations. An unknown node is `not_found`, an invalid cursor
 * `invalid_request`.
 */
export async function readIterations(
  ctx: CallerContext,
  runId: string,
  { nodeId, pageSize, after, states }: IterationsPage,
): Promise<TraceIterationPage> {
  const result = await runObject(ctx, runId).readIterations({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    base_url: ctx.baseUrl,
    node_id: nodeId,
    page_size: pageSize,
    after,
    states,
  });
  if (result.ok) {
    return result.value;
  }
  if (result.code !== "not_found") {
    const { ok: _ok, code, message, ...options } = result;
    throw new AppError(code, message, options);
  }
  const { nodes } = await readTrace(ctx, runId);
  if (!nodes.some((node) => node.node_id === nodeId)) {
    throw new AppError("not_found", result.message);
  }
  return { data: [], has_more: false, next_cursor: null, total_count: 0 };
}

/** A run without a run object: none of its nodes has started. */
export async function unstartedTrace(ctx: CallerContext, row: RunIndexRow): Promise<Trace> {
  const nodes = (await loadRunVersion(ctx, row))?.definition.nodes ?? [];
  const none = {
    total: null,
    completed: 0,
    reused: 0,
    failed: 0,
    blocked: 0,
    skipped: 0,
    pending: 0,
  };
  return {
    execution_id: row.run_id,
    status: row.status,
    started_at: null,
    completed_at: row.completed_at_ms === null ? null : new Date(row.completed_at_ms).toISOString(),
    nodes: nodes.map((node) => ({
      node_id: node.id,
      state: isTerminal(row.status) ? "cancelled" : "pending",
      started_at: null,
      completed_at: null,
      duration_ms: null,
      retry_count: 0,
      attempt_count: 0,
      credits: 0,
      credits_saved: 0,
      usage: null,
      models: [],
      iterations: none,
      error: null,
    })),
    totals: {
      nodes: nodes.length,
      iterations: { ...none, total: 0 },
      retry_count: 0,
      attempt_count: 0,
      credits: 0,
      credits_saved: 0,
      duration_ms: null,
    },
  };
}
