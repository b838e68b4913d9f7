import type { RunIndexRow } from "../../contracts/admission.ts";
import type { ViewInput, ViewOutput } from "../../engine/view/view-input.ts";
import type { CallerContext } from "../../platform/context.ts";
import { loadRunVersion } from "./load-run-version.ts";
import { viewOfNothing } from "./view-of-nothing.ts";

/** The view of a run that has no run object, with the outputs that its version names. */
export async function unstartedView(ctx: CallerContext, row: RunIndexRow): Promise<ViewInput> {
  const loaded = await loadRunVersion(ctx, row);
  if (loaded === undefined) {
    return viewOfNothing(row);
  }
  const { plan, definition } = loaded;
  const declared = definition.interfaces.find(({ id }) => id === row.interface_id)?.outputs;
  return viewOfNothing(row, {
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
