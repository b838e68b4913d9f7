import * as z from "zod";

const count = z.int().min(0);
const item = z
  .array(z.int().min(0))
  .describe("Indices of the rows that contain the element, from 0; empty outside lists.");
const field = z.string().nullable().describe("Code of the element's field; null if it has none.");
const elementId = z.string();

export const ReportedText = z.strictObject({
  element_id: elementId,
  field,
  item,
  page_number: z.int().min(1),
  outcome: z.enum(["shrunk", "cut", "overflowed"]),
  /** Of the first run, in points. */
  font_size: z.number(),
  authored_font_size: z.number(),
  lines: count,
  lines_cut: count,
  characters: count,
  characters_printed: count,
  characters_cut: count,
});
export type ReportedText = z.infer<typeof ReportedText>;

export const ReportedList = z.strictObject({
  element_id: elementId,
  field,
  item,
  rows: count,
  rows_printed: count,
  rows_left_out: count,
  reason: z.enum(["max_items", "max_repeat", "no_room"]),
});
export type ReportedList = z.infer<typeof ReportedList>;

/** Why a picture did not print. */
export const PictureFailure = z.enum([
  "not_found",
  "fetch_failed",
  "refused",
  "unreadable",
  "too_large",
  "unsupported",
]);
export type PictureFailure = z.infer<typeof PictureFailure>;

export const ReportedImage = z.strictObject({
  element_id: elementId,
  field,
  page_number: z.int().min(1),
  reason: PictureFailure,
});
export type ReportedImage = z.infer<typeof ReportedImage>;

export const ReportedLink = z.strictObject({ element_id: elementId, reason: z.string() });
export type ReportedLink = z.infer<typeof ReportedLink>;

/**
 * Accounts for everything that a render printed and left out (docs/contract/templates.md#reports).
 * `characters_total` = `characters_printed` + `characters_cut`, in every entry and in all.
 */
export const LayoutReport = z.strictObject({
  schema: z.literal("svc.template-layout-report/v1"),
  status: z
    .enum(["ok", "warnings"])
    .describe("`warnings` if anything was cut, overflowed, left out, substituted or missing."),
  template_id: z.string(),
  revision: z.int().min(1).nullable().describe("Null for a draft."),
  version_id: z.string().nullable().describe("Null for a draft."),
  page_count: count,
  rows_printed: count,
  rows_left_out: count,
  images_loaded: count,
  images_failed: count,
  texts_total: count,
  texts_shrunk: count,
  texts_cut: count,
  characters_total: count,
  characters_printed: count,
  characters_cut: count,
  links_printed: count,
  links_left_out: count,
  missing_glyphs: count,
  elements_left_out: count,
  duration_ms: count,
  texts: z.array(ReportedText).describe("Texts that did not print as authored."),
  lists: z.array(ReportedList).describe("Lists with rows left out."),
  images: z.array(ReportedImage).describe("Images that failed."),
  links: z.array(ReportedLink).describe("Links left out."),
  glyphs: z.array(z.strictObject({ character: z.string(), count })),
  fonts_substituted: z.array(z.string()).describe("Names of fonts that were not found."),
  fields: z.array(
    z.strictObject({
      code: z.string().describe("Code of the field; `rows.k` for a key of a list's items."),
      occurrences: count,
      characters: count,
      printed: count,
      cut: count,
    }),
  ),
  values_ignored: z.array(z.string()).describe("Codes of values without a field."),
});
export type LayoutReport = z.infer<typeof LayoutReport>;
