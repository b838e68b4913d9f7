import type { QualityCheck } from "../../contracts/quality-check.ts";
import type { LayoutFacts } from "./account.ts";
import type { LayoutOutcome } from "./lay-out.ts";

export type ReadabilityCode =
  | "text_cut"
  | "text_shrunk"
  | "text_overflowed"
  | "list_overflowed"
  | "image_failed"
  | "missing_glyphs"
  | "font_substituted"
  | "text_small"
  | "outside_page";

/** What a reader of the pages would miss or have trouble with (docs/contract/templates.md#reports). */
export interface ReadabilityCheck {
  readonly code: ReadabilityCode;
  readonly severity: "warning" | "info";
  readonly message: string;
  readonly element_id?: string;
  readonly page_number?: number;
}

/** In the order of the pages, by code. */
export function readabilityChecks({ facts, notes }: LayoutOutcome): ReadabilityCheck[] {
  return [
    ...facts.texts.map((text): ReadabilityCheck => {
      const { element_id, page_number, characters, characters_cut, font_size } = text;
      const at = { element_id, page_number };
      switch (text.outcome) {
        case "cut":
          return {
            code: "text_cut",
            severity: "warning",
            message: `${characters_cut} of ${characters} characters do not fit and are not printed.`,
            ...at,
          };
        case "overflowed":
          return {
            code: "text_overflowed",
            severity: "warning",
            message: "The text prints outside its box.",
            ...at,
          };
        case "shrunk":
          return {
            code: "text_shrunk",
            severity: "info",
            message: `The text prints at ${font_size} instead of ${text.authored_font_size} points.`,
            ...at,
          };
      }
    }),
    ...facts.lists.map(({ element_id, rows, rows_left_out }): ReadabilityCheck => ({
      code: "list_overflowed",
      severity: "warning",
      message: `${rows_left_out} of ${rows} rows are not printed.`,
      element_id,
    })),
    ...facts.images.map(({ element_id, page_number, reason }): ReadabilityCheck => ({
      code: "image_failed",
      severity: "warning",
      message: `The picture is not printed: ${reason}.`,
      element_id,
      page_number,
    })),
    ...facts.glyphs.map(({ character, count }): ReadabilityCheck => ({
      code: "missing_glyphs",
      severity: "warning",
      message: `No font has the character ${character}, which occurs ${count} times.`,
    })),
    ...facts.fonts_substituted.map((name): ReadabilityCheck => ({
      code: "font_substituted",
      severity: "warning",
      message: `The font ${name} is not there; its texts print in Noto Sans.`,
    })),
    ...notes.map(({ code, ...at }): ReadabilityCheck => ({
      code,
      severity: "warning",
      message:
        code === "text_small"
          ? "The text prints smaller than 5 points."
          : "The element lies outside the page.",
      ...at,
    })),
  ];
}

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
