import type { WorkflowDetail } from "../../contracts/workflows/workflow.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { OnceStatements } from "../../storage/d1/idempotency-store.ts";
import { newId } from "../../platform/ids.ts";
import { copyName } from "../copy-name.ts";
import { requireFolder } from "../folders/require-folder.ts";
import { describeWorkflow } from "./describe-workflow.ts";
import { insertWorkflow } from "./insert-workflow.ts";
import { readDefinitionText } from "./definition/read-definition-text.ts";
import { requireWorkflow } from "./require-workflow.ts";

/** A new draft with the working definition, description and tags of a workflow of any status. */
export async function cloneWorkflow(
  ctx: CallerContext,
  id: string,
  given: { readonly name: string | undefined; readonly folderId: string | null | undefined },
  once?: OnceStatements,
): Promise<WorkflowDetail> {
  const { row, text, templatePins } = await readDefinitionText(ctx, id);
  const folderId = given.folderId === undefined ? row.folder_id : given.folderId;
  await requireFolder(ctx, folderId);
  const nowMs = ctx.nowMs();
  const cloneId = newId("workflow", nowMs);
  const clone = {
    id: cloneId,
    name: given.name ?? copyName(row.name),
    description: row.description,
    tags: row.tags,
    folderId,
    definitionText: text,
    contentHash: row.content_hash,
    templatePins,
    nowMs,
  };
  await insertWorkflow(ctx, clone, once);
  return await describeWorkflow(ctx, await requireWorkflow(ctx, cloneId));
}
