import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FontFace } from "../../../../src/templates/text/font-face.ts";
import type { FontResolver } from "../../../../src/templates/text/font-resolver.ts";
import { layOutParagraphs } from "../../../../src/templates/text/lay-out-text.ts";
import { layOutPlainLine } from "../../../../src/templates/text/plain-line.ts";
import { TEXT_FONTS, textSpec } from "../../../support/text/text-fonts.ts";

const RUNS = 500;

const words = fc.stringMatching(/^[ -~]{1,24}$/);
const others = fc.constantFrom(
  "office",
  "a\tb",
  "a\nb",
  "é",
  "שלום",
  "a \u00adb",
  "end ",
  "",
  "\u{1f600}",
  "x".repeat(300),
);

const boxes = fc.record({
  width: fc.constantFrom(5, 100, 400, 400),
  height: fc.constantFrom(8, 14.1, 40, 40),
  padding: fc.constantFrom(0, 0.3, 7),
  verticalAlign: fc.constantFrom("top" as const, "middle" as const, "bottom" as const),
  fixedHeight: fc.boolean(),
  overflowMode: fc.constantFrom("clip", "visible", "ellipsis", "shrink", "fail"),
  overflowPolicy: fc.constantFrom(...(["template", "fail", "fit", "clip"] as const)),
  maxLines: fc.constantFrom(undefined, 1, 2),
  language: fc.constantFrom("", "de", "tr"),
  textTransform: fc.constantFrom(...(["none", "none", "none", "none", "uppercase"] as const)),
  features: fc.constantFrom<Record<string, number>>({}, {}, { smcp: 1, liga: 0 }),
});

const runs = fc.record({
  fontFamily: fc.constantFrom("sans", "sans", "sans", "code", "nobody's"),
  fontSize: fc.constantFrom(7.3, 10, 12),
  fontWeight: fc.constantFrom(400, 700),
  fill: fc.constantFrom("#000000", "#12ab9f", "#fff000", "#123456", null),
  fillOpacity: fc.constantFrom(1, 0.4),
  charSpacing: fc.constantFrom(0, 0.7, -0.9),
  underline: fc.constantFrom(false, false, false, false, false, false, true),
  strikethrough: fc.constantFrom(false, false, false, false, false, false, true),
  baselineShift: fc.constantFrom(0, 2),
  link: fc.constantFrom(undefined, undefined, undefined, undefined, 0),
});

const paragraphs = fc.record({
  textAlign: fc.constantFrom(...(["start", "left", "center", "right", "justify", "end"] as const)),
  lineHeight: fc.constantFrom(1, 1.2),
  spaceBefore: fc.constantFrom(0, 3),
  spaceAfter: fc.constantFrom(0, 3),
  direction: fc.constantFrom(...(["auto", "auto", "ltr", "ltr", "rtl"] as const)),
});

/** The fonts of texts, and what they are asked to shape. */
function recorded() {
  const asked: string[] = [];
  const fonts: FontResolver = {
    chainOf(request) {
      const chain = TEXT_FONTS.chainOf(request);
      const { first: face } = chain;
      const shape: FontFace["shape"] = (text, options, ...around) => {
        asked.push(`${options.key} ${text}`);
        return face.shape(text, options, ...around);
      };
      const has: FontFace["has"] = (codePoint) => face.has(codePoint);
      const first: FontFace = Object.assign(Object.create(face), { shape, has });
      return { ...chain, first, faceFor: () => first };
    },
  };
  return { asked, fonts };
}

describe("a plain line", () => {
  it("is laid out as the layout of any text lays it out", () => {
    let lines = 0;
    fc.assert(
      fc.property(
        fc.oneof({ weight: 9, arbitrary: words }, { weight: 1, arbitrary: others }),
        boxes,
        runs,
        paragraphs,
        (text, box, run, paragraph) => {
          const spec = textSpec(text, { ...box, run, paragraph });
          const line = layOutPlainLine(spec, TEXT_FONTS);
          if (line !== undefined) {
            lines += 1;
            expect(line).toStrictEqual(layOutParagraphs(spec, TEXT_FONTS));
          }
        },
      ),
      { numRuns: RUNS, seed: 11 },
    );
    // One in ten at least: a rule that refuses most lines would make every table slow.
    expect(lines).toBeGreaterThan(RUNS / 10);
  });

  it.each(["Abc 12", "12 345.00", "-- z"])("is shaped in the script of %j", (text) => {
    const [plain, any] = [recorded(), recorded()];
    const spec = textSpec(text, { language: "tr", features: { smcp: 1 } });
    layOutPlainLine(spec, plain.fonts);
    layOutParagraphs(spec, any.fonts);
    expect(plain.asked).toHaveLength(1);
    expect(plain.asked).toEqual(any.asked);
  });

  it.each([
    ["a right-to-left letter", textSpec("אב")],
    ["a line feed", textSpec("a\nb")],
    ["the direction of Hebrew", textSpec("a", { paragraph: { direction: "rtl" } })],
    ["a space at the end", textSpec("a ")],
    ["more than the box is wide", textSpec("abcdefghijklmnopqrstuvwxyz")],
    ["more than the box is high", textSpec("a", { height: 11.9 })],
    ["no text", textSpec("")],
    ["a link", textSpec("a", { run: { link: 0 } })],
  ])("is not a text with %s", (_, spec) => {
    expect(layOutPlainLine(spec, TEXT_FONTS)).toBeUndefined();
  });
});
