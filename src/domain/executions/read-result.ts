import type { RunDocument } from "../../contracts/run-object-api.ts";
import { renderResult } from "../../engine/view/render-result.ts";
import { textBody } from "../../lib/text-body.ts";
import type { CallerContext } from "../../platform/context.ts";
import { runObject } from "../../storage/objects/run-object.ts";
import { findIndexedRun } from "./find-indexed-run.ts";
import { unstartedView } from "./unstarted-view.ts";

/** The result object of any existing run, as JSON text or a stream of it (spec 1 §2.5). */
export async function readResult(ctx: CallerContext, runId: string): Promise<RunDocument> {
  const result = await runObject(ctx, runId).result({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    base_url: ctx.baseUrl,
  });
  if (result.ok) {
    return result.value;
  }
  const row = await findIndexedRun(ctx, runId, result);
  return { body: await textBody(renderResult(await unstartedView(ctx, row))) };
}
