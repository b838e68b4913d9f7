import type { ReferencedColorProfile } from "../../contracts/templates/color-profile.ts";
import type {
  Rendered,
  RenderedTemplate,
  RenderFailure,
  RenderFailureCode,
  RenderOptions,
} from "../../contracts/templates/renderer.ts";
import { AppError, type ErrorCode } from "../../lib/errors/errors.ts";
import { draftEtag } from "../../lib/http/draft-etag.ts";
import { isJsonObject, type JsonValue, stringifyJson } from "../../lib/json/exact-json.ts";
import { askRenderer } from "../../platform/ask-renderer.ts";
import type { CallerContext } from "../../platform/context.ts";
import { findColorProfile } from "../color-profiles/find-color-profile.ts";
import { readDraft } from "./read-content.ts";
import { renderedDraft, renderedVersion } from "./rendered-template.ts";
import { requireVersion } from "./require-template.ts";

/** What a direct render returns. */
export type DirectOutput = "pdf" | "image" | "pages" | "both";

export interface DirectRender {
  readonly values: JsonValue;
  readonly output: DirectOutput;
  readonly options: RenderOptions;
}

/** A render of a document with its files, and the draft's ETag without quotes. */
export interface DirectlyRendered {
  readonly rendered: Rendered;
  readonly etag: string | undefined;
}

const CODES: Readonly<Record<RenderFailureCode, ErrorCode>> = {
  busy: "design_render_busy",
  unavailable: "render_failed",
  invalid_values: "invalid_argument",
  page_selection: "design_page_selection_invalid",
  too_large: "render_too_large",
  color_profile: "invalid_argument",
  timeout: "render_failed",
  failed: "render_failed",
};
const BUSY_RETRY_S = 5;

/**
 * Renders a revision, or the draft if `revision` is null, and stores nothing (docs/contract/templates.md#rendering). Throws
 * `not_found`, `forbidden`, `invalid_revision`, and the codes of a failed render.
 */
export async function renderDirectly(
  ctx: CallerContext,
  id: string,
  revision: string | null,
  { values, output, options }: DirectRender,
): Promise<DirectlyRendered> {
  const { template, etag } =
    revision === null ? await draftOf(ctx, id) : await versionOf(ctx, id, revision);
  const profile = await profileOf(ctx, options);
  const result = await askRenderer(ctx.env, (renderer) =>
    renderer.render({
      v: 1,
      workspace_id: ctx.principal.workspaceId,
      template,
      values: stringifyJson(isJsonObject(values) ? values : {}),
      unknown_values: "refuse",
      options: { ...options, color_profile: profile },
      has_pdf: output === "pdf" || output === "both",
      images: output === "pdf" ? "none" : output === "image" ? "first" : "all",
      may_queue: false,
    }),
  );
  if (!result.ok) {
    throw renderProblem(result);
  }
  if (output === "image" && result.pages.length !== 1) {
    await result.body?.cancel();
    throw new AppError(
      "design_page_selection_invalid",
      `An image shows one page, and page_selection selects ${result.pages.length}. Select one, or send output pages.`,
    );
  }
  return { rendered: result, etag };
}

/** The profile of a PDF/X-4. Throws `invalid_argument` if the workspace has none of that GUID. */
async function profileOf(
  ctx: CallerContext,
  { pdf_export_mode: mode, color_profile_guid: guid }: RenderOptions,
): Promise<ReferencedColorProfile | undefined> {
  if (mode === "standard") {
    return undefined;
  }
  const found = guid === null ? undefined : await findColorProfile(ctx, guid);
  if (found === undefined) {
    const message =
      guid === null
        ? "PDF/X-4 needs a color profile. GET /api/v1/color-profiles lists those of the workspace."
        : `This workspace has no color profile "${guid.slice(0, 80).toWellFormed()}". GET /api/v1/color-profiles lists those that it has.`;
    throw new AppError("invalid_argument", `color_profile_guid: ${message}`, {
      errors: [{ field: "color_profile_guid", message }],
    });
  }
  return found;
}

async function draftOf(
  ctx: CallerContext,
  id: string,
): Promise<{ readonly template: RenderedTemplate; readonly etag: string }> {
  const { record, content } = await readDraft(ctx, id, null);
  return {
    template: renderedDraft(record, content ?? new Uint8Array()),
    etag: draftEtag(record),
  };
}

async function versionOf(
  ctx: CallerContext,
  id: string,
  revision: string,
): Promise<{ readonly template: RenderedTemplate; readonly etag: undefined }> {
  const { version } = await requireVersion(ctx, id, revision);
  return { template: renderedVersion(version), etag: undefined };
}

/** The refusal of a request whose render failed. */
export function renderProblem({ code, message, errors }: RenderFailure): AppError {
  return new AppError(CODES[code], message, {
    errors: errors.map(({ field, code: reason, message: text }) => ({
      field,
      message: text,
      code: reason,
    })),
    ...(code === "busy" && { headers: { "retry-after": String(BUSY_RETRY_S) } }),
  });
}
