import { createHash } from "node:crypto";
import type { RunResultDocument } from "../../../contracts/runs/run-object-api.ts";
import { renderResult } from "../../../engine/view/render-result.ts";
import { matchesEntityTag } from "../../../lib/http/entity-tag.ts";
import { textBody } from "../../../lib/http/text-body.ts";
import type { CallerContext } from "../../../platform/context.ts";
import { runObject } from "../../../storage/objects/run-object.ts";
import { findIndexedRun } from "./find-indexed-run.ts";
import { unstartedView } from "./unstarted-view.ts";

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
    v: 1,
    workspace_id: ctx.principal.workspaceId,
    base_url: ctx.baseUrl,
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
      : await textBody(renderResult(await unstartedView(ctx, row))),
  };
}
