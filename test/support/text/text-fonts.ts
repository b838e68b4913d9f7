import type { FontFace } from "../../../src/templates/text/font-face.ts";
import type { FontResolver } from "../../../src/templates/text/font-resolver.ts";
import type { TextParagraph, TextRun, TextSpec } from "../../../src/templates/text/text-spec.ts";
import { FONT_PATHS, makeShaper, openFont } from "../fonts/shaper.ts";

type FontName = keyof typeof FONT_PATHS;

const shaper = makeShaper();
export const faceOf = (name: FontName): FontFace => openFont(shaper, name);
const ORDER: readonly FontName[] = ["sans", "arabic", "hebrew", "thai", "code"];

/** Families by the names of `FONT_PATHS`; others are unknown and print in Noto Sans. */
export const TEXT_FONTS: FontResolver = {
  chainOf({ fontFamily, fontWeight, fallbackFonts }) {
    const name = fontFamily as FontName;
    const isKnown = Object.hasOwn(FONT_PATHS, name);
    const named = isKnown ? name : "sans";
    const first = faceOf(named === "sans" && fontWeight >= 600 ? "bold" : named);
    const chain = [first, ...[...(fallbackFonts as FontName[]), ...ORDER].map(faceOf)];
    return {
      first,
      substituted: isKnown ? undefined : fontFamily,
      faceFor: (codePoints) =>
        chain.find((face) => codePoints.every((codePoint) => face.has(codePoint))),
    };
  },
};

export const textRun = (text: string, run: Partial<TextRun> = {}): TextRun => ({
  text,
  fontFamily: "sans",
  font: undefined,
  fontSize: 10,
  fontWeight: 400,
  fontStyle: "normal",
  fill: "#000000",
  fillOpacity: 1,
  charSpacing: 0,
  underline: false,
  strikethrough: false,
  baselineShift: 0,
  link: undefined,
  ...run,
});

export const textParagraph = (
  runs: readonly TextRun[],
  paragraph: Partial<TextParagraph> = {},
): TextParagraph => ({
  textAlign: "start",
  lineHeight: 1.2,
  spaceBefore: 0,
  spaceAfter: 0,
  direction: "auto",
  runs,
  ...paragraph,
});

/** A text of one run of 10 points, in a box of 100 by 100 without padding. */
export function textSpec(
  text: string,
  {
    run = {},
    paragraph = {},
    ...spec
  }: Partial<TextSpec> & { run?: Partial<TextRun>; paragraph?: Partial<TextParagraph> } = {},
): TextSpec {
  return {
    width: 100,
    height: 100,
    padding: 0,
    verticalAlign: "top",
    fixedHeight: true,
    overflowMode: "clip",
    overflowPolicy: "template",
    fontSize: run.fontSize ?? 10,
    minFontSize: 6,
    maxLines: undefined,
    language: "",
    textTransform: "none",
    features: {},
    fallbackFonts: [],
    paragraphs: [textParagraph([textRun(text, run)], paragraph)],
    ...spec,
  };
}
