import type { RenderCheck } from "../../contracts/templates/renderer.ts";
import type { LayoutFacts, LayoutNote } from "../../templates/layout/report/account.ts";

/** The problems of a render that a designer can fix, from its layout. */
export function renderChecks(
  facts: LayoutFacts,
  notes: readonly LayoutNote[],
): readonly RenderCheck[] {
  const checks: RenderCheck[] = [];
  for (const text of facts.texts) {
    const { element_id, page_number, characters, characters_cut: cut } = text;
    const place = { element_id, page_number };
    if (text.outcome === "cut") {
      const message = `${cut} of ${characters} characters do not fit and are not printed.`;
      checks.push({ code: "text_cut", severity: "error", message, ...place });
    } else if (text.outcome === "overflowed") {
      const message = "The text prints outside its box.";
      checks.push({ code: "text_overflowed", severity: "warning", message, ...place });
    } else {
      const message = `The text is printed at ${text.font_size} pt instead of ${text.authored_font_size} pt.`;
      checks.push({ code: "text_shrunk", severity: "info", message, ...place });
    }
  }
  for (const { element_id, rows, rows_left_out: left } of facts.lists) {
    const message = `${left} of ${rows} rows are not printed.`;
    checks.push({ code: "list_overflowed", severity: "error", message, element_id });
  }
  for (const { element_id, page_number, reason } of facts.images) {
    const message = `The picture is not printed: ${reason}.`;
    checks.push({ code: "image_failed", severity: "error", message, element_id, page_number });
  }
  if (facts.missing_glyphs > 0) {
    const named = facts.glyphs.slice(0, 10).map(({ character }) => character);
    const message = `No font has ${facts.missing_glyphs} of the characters: ${named.join(", ")}.`;
    checks.push({ code: "missing_glyphs", severity: "warning", message });
  }
  for (const name of facts.fonts_substituted) {
    const message = `There is no font family "${name}". Its texts print in Noto Sans.`;
    checks.push({ code: "font_substituted", severity: "warning", message });
  }
  for (const { code, element_id, page_number } of notes) {
    const message =
      code === "text_small"
        ? "The text is smaller than 5 pt."
        : "The element prints outside the page.";
    checks.push({ code, severity: "warning", message, element_id, page_number });
  }
  return checks;
}
