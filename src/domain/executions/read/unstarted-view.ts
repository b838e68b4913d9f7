import type { RunIndexRow } from "../../../contracts/workspaces/admission.ts";
import type { ViewInput, ViewOutput } from "../../../engine/view/view-input.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { loadRunVersion } from "./find-indexed-run.ts";
import { isTerminal } from "../../../contracts/runs/run.ts";

/** The view of a run without a run object, with the outputs of its version. */
export async function unstartedView(ctx: CallerContext, row: RunIndexRow): Promise<ViewInput> {
  const loaded = await loadRunVersion(ctx, row);
  if (loaded === undefined) {
    return emptyView(row);
  }
  const { plan, definition } = loaded;
  const declared = definition.interfaces.find(({ id }) => id === row.interface_id)?.outputs;
  return emptyView(row, {
    outputs: plan.outputs.map((output): ViewOutput => ({
      ...output,
      nodeId: plan.nodes[output.node]?.id ?? "",
    })),
    onlyNodeIds:
      row.interface_id === null || declared === undefined
        ? null
        : new Set(declared.map(({ node }) => node)),
  });
}

/**
 * The view of a run without a run object: there are no values, so at most the names of its outputs
 * are shown.
 */
export function emptyView(
  row: RunIndexRow,
  shown: Pick<ViewInput, "outputs" | "onlyNodeIds"> = { outputs: [], onlyNodeIds: null },
): ViewInput {
  return {
    run: {
      runId: row.run_id,
      workflowId: row.workflow_id,
      status: row.status,
      isTerminal: isTerminal(row.status),
      creditsUsedMilli: row.credits_used_milli,
      errorCode: row.error_code,
      errorMessage: row.error_message,
    },
    ...shown,
    warnings: [],
    metadata: () => ({
      isSettled: false,
      isAxisAbsent: false,
      ok: 0,
      failed: 0,
      absent: 0,
      pending: 0,
    }),
    cells: () => [],
    cause: () =>
      row.error_code === null
        ? null
        : { code: row.error_code, message: row.error_message ?? "", node_id: null },
    readText: () => Promise.resolve(null),
    fileUrl: () => "",
    cellUrl: () => "",
  };
}
