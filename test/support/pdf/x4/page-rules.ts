import type { PDFDict } from "pdf-lib";
import type { X4File } from "./x4-file.ts";
import type { X4Rule } from "./x4-rule.ts";

const TOLERANCE = 0.001;

/** A requirement of each page. */
const each = (id: string, isRight: (file: X4File, page: PDFDict) => boolean): X4Rule => ({
  id,
  check: (file) =>
    file.pages.flatMap((page, i) =>
      isRight(file, page) ? [] : [`${id} does not hold on page ${i + 1}`],
    ),
});

function isInside(
  inner: readonly number[] | undefined,
  outer: readonly number[] | undefined,
): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = inner ?? [];
  const [e = 0, f = 0, g = 0, h = 0] = outer ?? [];
  return a >= e - TOLERANCE && b >= f - TOLERANCE && c <= g + TOLERANCE && d <= h + TOLERANCE;
}

function isBox(box: readonly number[] | undefined): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = box ?? [];
  return box?.length === 4 && c > a && d > b;
}

export const PAGE_RULES: readonly X4Rule[] = [
  {
    id: "pages-counted",
    check: (file) =>
      file.pages.length > 0 && file.number(file.catalog, "Pages", "Count") === file.pages.length
        ? []
        : ["the page tree counts other pages than it has"],
  },
  each("page-type", (file, page) => file.name(page, "Type") === "Page"),
  each("page-parent", (file, page) => file.get(page, "Parent") === file.get(file.catalog, "Pages")),
  each("page-media-box", (file, page) => isBox(file.numbers(page, "MediaBox"))),
  each("page-trim-box", (file, page) => isBox(file.numbers(page, "TrimBox"))),
  each("page-no-art-box", (file, page) => file.get(page, "ArtBox") === undefined),
  each("page-bleed-box", (file, page) => isBox(file.numbers(page, "BleedBox"))),
  each("page-trim-inside-bleed", (file, page) =>
    isInside(file.numbers(page, "TrimBox"), file.numbers(page, "BleedBox")),
  ),
  each("page-bleed-inside-media", (file, page) =>
    isInside(file.numbers(page, "BleedBox"), file.numbers(page, "MediaBox")),
  ),
  each("page-trim-is-media", (file, page) =>
    isInside(file.numbers(page, "MediaBox"), file.numbers(page, "TrimBox")),
  ),
  each("page-no-crop-box", (file, page) => file.get(page, "CropBox") === undefined),
  each("page-no-user-unit", (file, page) => file.get(page, "UserUnit") === undefined),
  each("page-no-annotations", (file, page) => file.get(page, "Annots") === undefined),
  each("page-no-actions", (file, page) => file.get(page, "AA") === undefined),
  each(
    "page-no-presentation",
    (file, page) =>
      file.get(page, "PresSteps") === undefined && file.get(page, "Trans") === undefined,
  ),
  each("page-resources", (file, page) => file.dict(page, "Resources") !== undefined),
  each("page-contents", (file, page) => file.stream(page, "Contents") !== undefined),
  each("page-group", (file, page) => file.name(page, "Group", "S") === "Transparency"),
  each("page-group-space", (file, page) => file.name(page, "Group", "CS") === file.deviceSpace),
];
