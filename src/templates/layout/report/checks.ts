import type { QualityCheck } from "../../../contracts/quality-check.ts";
import type { LayoutFacts } from "./account.ts";

/** The report's numbers as checks that a quality gate reads. */
export function qualityCheckOf(facts: LayoutFacts): QualityCheck {
  const overflowed = facts.texts.filter(({ outcome }) => outcome === "overflowed").length;
  const misfits = facts.texts_cut + overflowed;
  const leftOut = facts.rows_left_out + facts.elements_left_out;
  const checks = [
    check("text_fit", "error", misfits, "texts are cut or print outside their boxes"),
    check("lists_complete", "error", leftOut, "rows or elements are left out"),
    check("images_loaded", "error", facts.images_failed, "pictures failed"),
    check("links_valid", "warning", facts.links_left_out, "links are left out"),
    check("glyphs_present", "warning", facts.missing_glyphs, "characters have no glyph"),
    check("fonts_found", "warning", facts.fonts_substituted.length, "fonts are substituted"),
  ];
  return {
    schema: "svc.quality-check/v1",
    subject: "Layout of a design template",
    passed: checks.every(({ passed, severity }) => passed || severity === "warning"),
    checks,
  };
}

function check(id: string, severity: "error" | "warning", measured: number, what: string) {
  return {
    id,
    passed: measured === 0,
    severity,
    measured,
    expected: 0,
    message: `${measured} ${what}.`,
  };
}
