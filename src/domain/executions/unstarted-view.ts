import type { RunIndexRow } from "../../contracts/admission.ts";
import { isTerminal } from "../../contracts/run.ts";
import type { ViewInput, ViewOutput } from "../../engine/view/view-input.ts";
import type { CallerContext } from "../../platform/context.ts";
import { loadVersion } from "../workflows/load-version.ts";

/** The view of a run that has no run object: nothing was made, so nothing but its outputs' names is shown. */
export async function unstartedView(ctx: CallerContext, row: RunIndexRow): Promise<ViewInput> {
  const { plan, definition } = await loadVersion(ctx, row.workflow_id, row.workflow_version);
  const declared = definition.interfaces.find(({ id }) => id === row.interface_id)?.outputs;
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
    outputs: plan.outputs.map((output): ViewOutput => ({
      ...output,
      nodeId: plan.nodes[output.node]?.id ?? "",
    })),
    onlyNodeIds:
      row.interface_id === null || declared === undefined
        ? null
        : new Set(declared.map(({ node }) => node)),
    warnings: [],
    facts: () => ({
      isSettled: false,
      isAxisAbsent: false,
      ok: 0,
      failed: 0,
      absent: 0,
      pending: 0,
    }),
    cells: () => [],
    readText: () => Promise.resolve(null),
    fileUrl: () => "",
    cellUrl: () => "",
  };
}
