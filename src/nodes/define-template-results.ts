/** The structured results of `design/template_render`. */
import { STORAGE_SCHEME } from "../contracts/files/bundle-manifest.ts";
import type { LayoutReport } from "../contracts/templates/layout-report.ts";
import type { PagesManifest } from "../contracts/templates/pages-manifest.ts";
import type { QualityCheck, QualityCheckItem } from "../contracts/quality-check.ts";
import type { FileRef } from "../lib/files/file-ref.ts";
import type { StoredRender } from "./define-template-tools.ts";

/** The selected pages and their files (`svc.design-pages-manifest/v1`). */
export function pagesManifest({ report, pageCount, pages, pdf }: StoredRender): PagesManifest {
  return {
    schema: "svc.design-pages-manifest/v1",
    template_id: report.template_id,
    revision: report.revision,
    version_id: report.version_id,
    page_count: pageCount,
    pages: pages.map(({ image, ...page }) => ({
      ...page,
      image: image && {
        content_type: image.file.contentType,
        width: image.width,
        height: image.height,
        ...factsOf(image.file),
      },
    })),
    pdf: pdf && { page_count: pages.length, ...factsOf(pdf) },
  };
}

function factsOf(file: FileRef) {
  return {
    storage_ref: `${STORAGE_SCHEME}${file.key}`,
    size_bytes: file.sizeBytes,
    sha256: file.requireSha256(),
  };
}

/** What a layout report says about the quality of a print (`svc.quality-check/v1`). */
export function qualityOf(report: LayoutReport, name: string): QualityCheck {
  const overflowed = report.texts.filter(({ outcome }) => outcome === "overflowed").length;
  const { texts_cut: cut, characters_cut: characters } = report;
  const substituted = report.fonts_substituted.length;
  const checks: QualityCheckItem[] = [
    count("text_fit", "error", cut + overflowed, {
      good: "Every text fits its box.",
      bad: `${cut} texts are cut by ${characters} characters, and ${overflowed} print outside their boxes.`,
    }),
    count("lists_complete", "error", report.rows_left_out, {
      good: "Every row of every list is printed.",
      bad: `${report.rows_left_out} rows of lists are not printed.`,
    }),
    count("images_loaded", "error", report.images_failed, {
      good: "Every picture is printed.",
      bad: `${report.images_failed} pictures are not printed.`,
    }),
    count("links_valid", "warning", report.links_left_out, {
      good: "Every link is in the file.",
      bad: `${report.links_left_out} links are left out.`,
    }),
    count("glyphs_present", "warning", report.missing_glyphs, {
      good: "The fonts have every character.",
      bad: `No font has ${report.missing_glyphs} of the characters.`,
    }),
    count("fonts_found", "warning", substituted, {
      good: "Every font was found.",
      bad: `${substituted} fonts were not found: ${report.fonts_substituted.slice(0, 5).join(", ")}.`,
    }),
  ];
  return {
    schema: "svc.quality-check/v1",
    subject: `Print of the template "${name}"`,
    passed: checks.every(({ passed, severity }) => passed || severity === "warning"),
    checks,
  };
}

/** A check that passes if there is none of what it counts. */
function count(
  id: string,
  severity: QualityCheckItem["severity"],
  measured: number,
  message: { readonly good: string; readonly bad: string },
): QualityCheckItem {
  const passed = measured === 0;
  return {
    id,
    passed,
    severity,
    measured,
    expected: 0,
    message: passed ? message.good : message.bad,
  };
}
