import type { ExactPreview } from "../../contracts/templates/design-template.ts";
import type { Rendered, RenderedPage, RenderFailure } from "../../contracts/templates/renderer.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { StreamParts } from "../../lib/files/stream-parts.ts";
import { askRenderer } from "../../platform/ask-renderer.ts";
import type { CallerContext } from "../../platform/context.ts";
import { newPreviewFolder, previewKey } from "../../platform/preview-key.ts";
import { PreviewStore } from "../../storage/d1/preview-store.ts";
import { putExact } from "../../storage/r2/put-exact.ts";
import { fileAddress } from "../files/file-address.ts";
import { renderProblem } from "./render-directly.ts";
import { renderedDraft } from "./rendered-template.ts";
import { readSampleSet } from "./sample-sets.ts";

/**
 * Renders the draft with the values of a sample set, and keeps the page images for an hour, readable by their addresses
 * (docs/contract/templates.md#rendering). Throws `not_found`, `forbidden`, `sample_set_not_found`, `preview_failed`,
 * `design_render_busy`.
 */
export async function previewSampleSet(
  ctx: CallerContext,
  id: string,
  setId: string,
  maxPageDimension: number,
): Promise<ExactPreview> {
  const beganMs = ctx.nowMs();
  const { record, content, set } = await readSampleSet(ctx, id, setId);
  const result = await askRenderer(ctx.env, (renderer) =>
    renderer.render({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      template: renderedDraft(record, content),
      values: stringifyJson((set["values"] ?? {}) as JsonValue),
      unknown_values: "ignore",
      options: {
        missing_policy: "use_template_default",
        overflow_policy: "template",
        max_repeat: null,
        page_selection: "all",
        pdf_export_mode: "standard",
        color_profile_guid: null,
        max_page_dimension: maxPageDimension,
      },
      has_pdf: false,
      images: "all",
      may_queue: false,
    }),
  );
  if (!result.ok) {
    throw previewFailed(result);
  }
  const pages = await keepImages(ctx, result);
  return {
    draft_etag: draftEtag(record),
    sample_set_id: typeof set["id"] === "string" ? set["id"] : setId,
    page_count: result.page_count,
    pages,
    layout_report: result.report,
    readability_checks: [...result.checks],
    duration_ms: Math.max(0, ctx.nowMs() - beganMs),
  };
}

function previewFailed(failure: RenderFailure): AppError {
  const problem = renderProblem(failure);
  return failure.code === "busy"
    ? problem
    : new AppError("preview_failed", problem.message, { errors: problem.errors });
}

/** Writes the images, announced first: the sweep deletes them after their hour, and those of a preview that was cut off. */
async function keepImages(
  ctx: CallerContext,
  { pages, body }: Rendered,
): Promise<ExactPreview["pages"]> {
  const expiresAtMs = ctx.nowMs() + LIMITS.preview_time.value;
  const { workspaceId } = ctx.principal;
  const folder = newPreviewFolder(workspaceId, expiresAtMs);
  const images = new StreamParts(body);
  try {
    await new PreviewStore(ctx.env, workspaceId).begin(folder, pages.length, expiresAtMs);
    const kept: ExactPreview["pages"] = [];
    for (const [index, page] of pages.entries()) {
      kept.push(await keepImage(ctx, page, previewKey(folder, index + 1), images));
    }
    return kept;
  } finally {
    await images.cancel();
  }
}

async function keepImage(
  ctx: CallerContext,
  { page_number, page_id, width: width_pt, height: height_pt, image }: RenderedPage,
  key: string,
  images: StreamParts,
): Promise<ExactPreview["pages"][number]> {
  if (image === null) {
    throw new Error("The renderer returned a page without the image that was asked for.");
  }
  const pieces = images.take(image.size_bytes);
  await putExact(ctx.env.FILES, {
    key,
    contentType: "image/png",
    name: `page-${page_number}.png`,
    sizeBytes: image.size_bytes,
    part: undefined,
    read: async () => (await pieces.next()).value,
    onBytes: () => undefined,
  });
  const { width, height } = image;
  const image_url = fileAddress(ctx, key).url;
  return { page_number, page_id, width, height, width_pt, height_pt, image_url };
}
