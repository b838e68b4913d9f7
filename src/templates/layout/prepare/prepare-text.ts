import type { RichText, TextElement } from "../../document/text-element.ts";
import type { Link } from "../../document/link.ts";
import type { OverflowPolicy, TextParagraph, TextRun, TextSpec } from "../../text/text-spec.ts";
import { hasPageToken } from "../pages/page-numbers.ts";
import type { PreparedBase, PreparedText } from "./prepared.ts";

export function prepareText(element: TextElement, base: PreparedBase): PreparedText {
  const runLinks: Link[] = [];
  const plain = specOf(element, [plainParagraph(element, element.text ?? "")]);
  const spec =
    element.richText === undefined
      ? plain
      : specOf(element, richParagraphs(element, element.richText, runLinks));
  return {
    ...base,
    kind: "text",
    spec,
    plain,
    runLinks,
    usesPageNumbers: specTexts(spec).some(hasPageToken),
  };
}

/** The texts of all runs, in order. */
function specTexts(spec: TextSpec): string[] {
  return spec.paragraphs.flatMap(({ runs }) => runs.map(({ text }) => text));
}

/** The spec with every run's text replaced, under a render's policy. */
export function mapTexts(
  spec: TextSpec,
  change: (text: string) => string,
  overflowPolicy: OverflowPolicy,
): TextSpec {
  return {
    ...spec,
    overflowPolicy,
    paragraphs: spec.paragraphs.map((paragraph) => ({
      ...paragraph,
      runs: paragraph.runs.map((run) => ({ ...run, text: change(run.text) })),
    })),
  };
}

/** The spec with every run in one color. */
export function recolor(spec: TextSpec, fill: string): TextSpec {
  return {
    ...spec,
    paragraphs: spec.paragraphs.map((paragraph) => ({
      ...paragraph,
      runs: paragraph.runs.map((run) => ({ ...run, fill })),
    })),
  };
}

function specOf(element: TextElement, paragraphs: readonly TextParagraph[]): TextSpec {
  return {
    width: element.width,
    height: element.height,
    padding: element.padding,
    verticalAlign: element.verticalAlign,
    fixedHeight: element.fixedHeight,
    overflowMode: element.overflowMode,
    overflowPolicy: "template",
    fontSize: element.fontSize,
    minFontSize: element.minFontSize,
    maxLines: element.maxLines,
    language: element.language ?? "",
    textTransform: element.textTransform,
    features: element.features ?? {},
    fallbackFonts: element.fallbackFonts,
    paragraphs,
  };
}

function plainRun(element: TextElement, text: string): TextRun {
  return {
    text,
    fontFamily: element.fontFamily,
    font: element.font,
    fontSize: element.fontSize,
    fontWeight: element.fontWeight,
    fontStyle: element.fontStyle,
    fill: element.fill,
    fillOpacity: element.fillOpacity,
    charSpacing: element.charSpacing,
    underline: element.underline,
    strikethrough: element.strikethrough,
    baselineShift: 0,
    link: undefined,
  };
}

function plainParagraph(element: TextElement, text: string): TextParagraph {
  return {
    textAlign: element.textAlign,
    lineHeight: element.lineHeight,
    spaceBefore: 0,
    spaceAfter: 0,
    direction: element.direction,
    runs: [plainRun(element, text)],
  };
}

/** Paragraphs and runs state what differs from the element. A paragraph without runs is an empty line. */
function richParagraphs(
  element: TextElement,
  { paragraphs }: RichText,
  links: Link[],
): TextParagraph[] {
  if (paragraphs.length === 0) {
    return [plainParagraph(element, "")];
  }
  return paragraphs.map((paragraph) => {
    const { runs, textAlign, lineHeight, spaceBefore, spaceAfter, direction } = paragraph;
    const base = plainParagraph(element, "");
    return {
      textAlign: textAlign ?? base.textAlign,
      lineHeight: lineHeight ?? base.lineHeight,
      spaceBefore,
      spaceAfter,
      direction: direction ?? base.direction,
      runs: runs.length === 0 ? base.runs : runs.map((run) => richRun(element, run, links)),
    };
  });
}

function richRun(
  element: TextElement,
  run: RichText["paragraphs"][number]["runs"][number],
  links: Link[],
): TextRun {
  const base = plainRun(element, run.text);
  const link = run.link === undefined ? undefined : links.push(run.link) - 1;
  const hasOwnFamily = run.fontFamily !== undefined && run.font === undefined;
  return {
    text: run.text,
    fontFamily: run.fontFamily ?? base.fontFamily,
    // A run that names a family must not print in the file that the element has pinned.
    font: run.font ?? (hasOwnFamily ? undefined : base.font),
    fontSize: run.fontSize ?? base.fontSize,
    fontWeight: run.fontWeight ?? base.fontWeight,
    fontStyle: run.fontStyle ?? base.fontStyle,
    fill: run.fill === undefined ? base.fill : run.fill,
    fillOpacity: run.fillOpacity ?? base.fillOpacity,
    charSpacing: run.charSpacing ?? base.charSpacing,
    underline: run.underline ?? base.underline,
    strikethrough: run.strikethrough ?? base.strikethrough,
    baselineShift: run.baselineShift ?? 0,
    link,
  };
}
