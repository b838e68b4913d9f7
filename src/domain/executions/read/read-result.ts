import { createHash } from "node:crypto";
import type { RunIndexRow } from "../../../contracts/workspaces/admission.ts";
import type { RunResultDocument } from "../../../contracts/runs/run-object-api.ts";
import type { ViewInput } from "../../../engine/view/view-input.ts";
import { renderResult } from "../../../engine/view/render-result.ts";
import { matchesEntityTag } from "../../../lib/http/entity-tag.ts";
import { textBody } from "../../../lib/http/text-body.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { withoutCredits } from "../../embeds/without-credits.ts";
import { findIndexedRun } from "./find-indexed-run.ts";
import { unstartedView } from "./unstarted-view.ts";
import { runCaller } from "../run-caller.ts";

/**
 * The result object of any existing run, as JSON text or as a stream of it
 * (docs/contract/results.md#result-view), or only its tag if `ifNoneMatch` contains it.
 */
export async function readResult(
  ctx: CallerContext,
  runId: string,
  ifNoneMatch: string | null = null,
): Promise<RunResultDocument> {
  const result = await runObject(ctx, runId).result({
    ...runCaller(ctx),
    if_none_match: ifNoneMatch,
  });
  if (result.ok) {
    return result.value;
  }
  const row = await findIndexedRun(ctx, runId, result);
  const hash = createHash("sha256").update(JSON.stringify(row)).digest("base64url");
  const etag = `"i-${hash.slice(0, 16)}"`;
  return {
    etag,
    body: matchesEntityTag(ifNoneMatch, etag)
      ? null
      : await textBody(renderResult(await viewOf(ctx, row))),
  };
}

async function viewOf(ctx: CallerContext, row: RunIndexRow): Promise<ViewInput> {
  const view = await unstartedView(ctx, row);
  return ctx.principal.embedViewer === undefined ? view : withoutCredits(view);
}
