import * as z from "zod";
import type { ErrorCode } from "../../lib/errors/errors.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/exact-json.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import type { DirectRender } from "../../domain/templates/render-directly.ts";

/** Longest side of page images, in pixels, unless another is asked for. */
export const PAGE_DIMENSION = 1_600;

/** The body of a direct render (docs/contract/templates.md#rendering). */
const shape = {
  values: z.looseObject({}).default({}).describe("Values by field code."),
  output: z
    .enum(["pdf", "image", "pages", "both"])
    .default("pdf")
    .describe("`image` is the one page selected; `pages` are images of all selected pages."),
  page_selection: z.string().default("all").describe("`all`, or pages such as `1,3-5`."),
  missing_policy: z
    .enum(["fail_required", "use_template_default"])
    .default("fail_required")
    .describe("What happens if a required field without a default is not given."),
  overflow_policy: z
    .enum(["template", "fail", "fit", "clip"])
    .default("template")
    .describe("What happens to texts that do not fit; `template` obeys the document."),
  max_repeat: z
    .int()
    .min(1)
    .max(LIMITS.max_repeat.value)
    .optional()
    .describe("Most items that a list prints."),
  pdf_export_mode: z
    .enum(["standard", "pdfx4"])
    .default("standard")
    .describe("`pdfx4` is PDF/X-4 for print, without links."),
  color_profile_guid: z
    .string()
    .optional()
    .describe("A color profile of the workspace; `pdfx4` requires one."),
  max_page_dimension: z
    .int()
    .min(LIMITS.page_image_side_min.value)
    .max(LIMITS.page_image_side.value)
    .default(PAGE_DIMENSION)
    .describe("Longest side of page images in pixels."),
  include_report: z.boolean().default(false).describe("Whether to return the layout report too."),
};
export const RenderBody = z.strictObject(shape).meta({ id: "RenderDesignTemplate" });
type RenderBody = z.output<typeof RenderBody>;

/** Every problem of the body is `invalid_argument`. */
export const RENDER_BODY_CODES: Readonly<Record<string, ErrorCode>> = Object.fromEntries(
  // The empty name is that of unknown properties.
  ["", ...Object.keys(shape)].map((name) => [`body.${name}`, "invalid_argument"]),
);

/** `exact` is the same body with the digits of its numbers. */
export function directRender(body: RenderBody, exact: JsonValue): DirectRender {
  const values = isJsonObject(exact) ? (exact["values"] ?? {}) : {};
  return {
    values,
    output: body.output,
    options: {
      missing_policy: body.missing_policy,
      overflow_policy: body.overflow_policy,
      max_repeat: body.max_repeat ?? null,
      page_selection: body.page_selection,
      pdf_export_mode: body.pdf_export_mode,
      color_profile_guid: body.color_profile_guid ?? null,
      max_page_dimension: body.max_page_dimension,
    },
  };
}
