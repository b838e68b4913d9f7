import * as z from "zod";

const count = z.int().min(0);
const item = z
  .array(z.int().min(0))
  .describe("Indices of the rows that contain the element, from 0; empty outside lists.");
const field = z.string().nullable().describe("Code of the element's field; null if it has none.");
const pageNumber = z.int().min(1).describe("Number of the output page, from 1.");
const elementId = z.string().describe("The element.");

export const ReportedText = z.strictObject({
  element_id: elementId,
  field,
  item,
  page_number: pageNumber,
  outcome: z
    .enum(["shrunk", "cut", "overflowed"])
    .describe("What happened to the text: it prints smaller, in part, or outside its box."),
  font_size: z.number().describe("Size of the first run as printed, in points."),
  authored_font_size: z.number().describe("The same as the document has it."),
  lines: count.describe("Lines of the whole text."),
  lines_cut: count.describe("Lines that are not printed."),
  characters: count.describe("Characters of the whole text."),
  characters_printed: count.describe("Characters that are printed."),
  characters_cut: count.describe("Characters that are not printed."),
});
export type ReportedText = z.infer<typeof ReportedText>;

export const ReportedList = z.strictObject({
  element_id: elementId,
  field,
  item,
  rows: count.describe("Rows that were given."),
  rows_printed: count.describe("Rows that are printed."),
  rows_left_out: count.describe("Rows that are not printed."),
  reason: z.enum(["max_items", "max_repeat", "no_room"]).describe("Why rows are left out."),
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
  page_number: pageNumber,
  reason: PictureFailure.describe("Why the picture is not printed."),
});
export type ReportedImage = z.infer<typeof ReportedImage>;

export const ReportedLink = z.strictObject({
  element_id: elementId,
  reason: z.string().describe("Why the link is left out."),
});
export type ReportedLink = z.infer<typeof ReportedLink>;

/**
 * Accounts for everything that a render printed and left out (docs/contract/templates.md#reports).
 * `characters_total` = `characters_printed` + `characters_cut`, in every entry and in all.
 */
export const LayoutReport = z.strictObject({
  schema: z.literal("svc.template-layout-report/v1").describe("Name of this format."),
  status: z
    .enum(["ok", "warnings"])
    .describe("`warnings` if anything was cut, overflowed, left out, substituted or missing."),
  template_id: z.string().describe("The template that was rendered."),
  revision: z.int().min(1).nullable().describe("Null for a draft."),
  version_id: z.string().nullable().describe("Null for a draft."),
  page_count: count.describe("Pages of the whole output."),
  rows_printed: count.describe("Rows of lists that are printed."),
  rows_left_out: count.describe("Rows of lists that are not printed."),
  images_loaded: count.describe("Pictures that are printed."),
  images_failed: count.describe("Pictures that are not printed."),
  texts_total: count.describe("Texts of the output."),
  texts_shrunk: count.describe("Texts that print smaller than authored."),
  texts_cut: count.describe("Texts that are printed in part."),
  characters_total: count.describe("Characters of all texts."),
  characters_printed: count.describe("Characters that are printed."),
  characters_cut: count.describe("Characters that are not printed."),
  links_printed: count.describe("Links that are printed."),
  links_left_out: count.describe("Links that are not printed."),
  missing_glyphs: count.describe("Characters for which no font has a glyph."),
  elements_left_out: count.describe("Elements without room in their region."),
  duration_ms: count.describe("Time of the render, in milliseconds."),
  texts: z.array(ReportedText).describe("Texts that did not print as authored."),
  lists: z.array(ReportedList).describe("Lists with rows left out."),
  images: z.array(ReportedImage).describe("Images that failed."),
  links: z.array(ReportedLink).describe("Links left out."),
  glyphs: z
    .array(
      z.strictObject({
        character: z.string().describe("The character, as `U+XXXX`."),
        count: count.describe("How often it occurs."),
      }),
    )
    .describe("Characters for which no font has a glyph."),
  fonts_substituted: z.array(z.string()).describe("Names of fonts that were not found."),
  fields: z
    .array(
      z.strictObject({
        code: z.string().describe("Code of the field; `rows.k` for a key of a list's items."),
        occurrences: count.describe("Elements that print the field."),
        characters: count.describe("Characters of its texts."),
        printed: count.describe("Those that are printed."),
        cut: count.describe("Those that are not printed."),
      }),
    )
    .describe("Every field of the document."),
  values_ignored: z.array(z.string()).describe("Codes of values without a field."),
});
export type LayoutReport = z.infer<typeof LayoutReport>;
