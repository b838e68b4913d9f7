import type {
  Rendered,
  RenderFailure,
  RenderFailureCode,
  RenderOptions,
} from "../../contracts/templates/renderer.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { askRenderer } from "../../platform/ask-renderer.ts";
import type { CallerContext } from "../../platform/context.ts";
import type { TemplateVersionRow } from "../../storage/d1/template-rows.ts";
import type { Counterexample } from "../../templates/compatibility/find-counterexample.ts";
import { renderProblem } from "./render-directly.ts";
import { renderedVersion } from "./rendered-template.ts";

/** Requests that are tried: each takes two renders. */
const TRIED_MAX = 5;
/** Failures that the request is the cause of. */
const REFUSALS: readonly RenderFailureCode[] = ["invalid_values", "page_selection", "failed"];

/**
 * The first request that renders with one revision and not with the other, rendered with both; null if none of those that
 * were tried does. Throws `design_render_busy`.
 */
export async function proveCounterexample(
  ctx: CallerContext,
  from: TemplateVersionRow,
  to: TemplateVersionRow,
  candidates: Iterable<Counterexample>,
): Promise<Omit<Counterexample, "overflow_policy"> | null> {
  let tried = 0;
  for (const candidate of candidates) {
    if (tried === TRIED_MAX) {
      break;
    }
    tried += 1;
    const before = await render(ctx, from, candidate);
    if (before.ok && breaks(before, await render(ctx, to, candidate), candidate)) {
      const { overflow_policy: _policy, ...shown } = candidate;
      return shown;
    }
  }
  return null;
}

/** Whether the second revision refuses the request, or the selection means other pages. */
function breaks(
  before: Rendered,
  after: Rendered | RenderFailure,
  { page_selection: selection }: Counterexample,
): boolean {
  if (!after.ok) {
    return REFUSALS.includes(after.code);
  }
  return selection !== undefined && pagesOf(before) !== pagesOf(after);
}

function pagesOf({ pages }: Rendered): string {
  return JSON.stringify(pages.map(({ page_id, width, height }) => [page_id, width, height]));
}

async function render(
  ctx: CallerContext,
  version: TemplateVersionRow,
  { values, page_selection = "all", overflow_policy }: Counterexample,
): Promise<Rendered | RenderFailure> {
  const options: RenderOptions = {
    missing_policy: "fail_required",
    overflow_policy: overflow_policy ?? "template",
    max_repeat: null,
    page_selection,
    pdf_export_mode: "standard",
    color_profile_guid: null,
    max_page_dimension: 64,
  };
  const result = await askRenderer(ctx.env, (renderer) =>
    renderer.render({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      template: renderedVersion(version),
      values: stringifyJson(values as JsonValue),
      unknown_values: "refuse",
      options,
      has_pdf: false,
      images: "none",
      may_queue: false,
    }),
  );
  if (!result.ok && result.code === "busy") {
    throw renderProblem(result);
  }
  return result;
}
