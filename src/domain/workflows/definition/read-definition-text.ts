import { AppError } from "../../../lib/errors/errors.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { type WorkingDefinition, WorkflowStore } from "../../../storage/d1/workflow-store.ts";
import { requireWorkflow } from "../require-workflow.ts";

/** The saved working definition, with its row. Throws `not_found`, `forbidden`. */
export async function readDefinitionText(
  ctx: CallerContext,
  id: string,
): Promise<WorkingDefinition> {
  const found = await new WorkflowStore(ctx.env, ctx.principal.workspaceId).readWorking(id);
  if (found !== undefined) {
    return found;
  }
  await requireWorkflow(ctx, id); // throws with the reason
  throw new AppError("service_unavailable", `The workflow ${id} is being changed. Try again.`);
}
