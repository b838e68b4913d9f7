import type { RunDocument } from "../../../contracts/runs/run-object-api.ts";
import { isTerminal } from "../../../contracts/runs/run.ts";
import { renderOutputs } from "../../../engine/view/render-outputs.ts";
import { AppError } from "../../../lib/errors/errors.ts";
import { unwrap } from "../../../lib/result.ts";
import { textBody } from "../../../lib/http/text-body.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { findIndexedRun } from "./find-indexed-run.ts";
import { unstartedView } from "./unstarted-view.ts";

export interface OutputsPage {
  /** 1 to 100; null means every output. */
  readonly limit: number | null;
  readonly startingAfter: string | null;
}

/**
 * The flat outputs of an ended run in the list envelope; `not_completed` until it has ended
 * (docs/contract/results.md#raw-outputs).
 */
export async function readOutputs(
  ctx: CallerContext,
  runId: string,
  page: OutputsPage,
): Promise<RunDocument> {
  const result = await runObject(ctx, runId).outputs({
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    base_url: ctx.baseUrl,
    limit: page.limit,
    starting_after: page.startingAfter,
  });
  if (result.ok) {
    return result.value;
  }
  const row = await findIndexedRun(ctx, runId, result);
  if (!isTerminal(row.status)) {
    throw new AppError(
      "not_completed",
      `The execution ${runId} is ${row.status}. Raw outputs are available once it has ended; /result is available now.`,
    );
  }
  const pieces = unwrap(renderOutputs(await unstartedView(ctx, row), page));
  return { body: await textBody(pieces) };
}
