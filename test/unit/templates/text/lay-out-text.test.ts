import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DisplayGlyphs } from "../../../../src/templates/display-list.ts";
import type { LaidText } from "../../../../src/templates/text/laid-text.ts";
import { layOutText } from "../../../../src/templates/text/lay-out-text.ts";
import {
  faceOf,
  TEXT_FONTS,
  textParagraph,
  textRun,
  textSpec,
} from "../../../support/text/text-fonts.ts";

const lay = (...given: Parameters<typeof textSpec>) => layOutText(textSpec(...given), TEXT_FONTS);

const runs = ({ items }: LaidText): DisplayGlyphs[] =>
  items.filter((item) => item.kind === "glyphs");

/** What is printed, line by line from the top, by the order of the runs on each. */
function linesOf(laid: LaidText): string[] {
  const lines = new Map<number, string>();
  for (const { y, clusters } of runs(laid)) {
    lines.set(y, (lines.get(y) ?? "") + clusters.map(({ text }) => text).join(""));
  }
  return [...lines].toSorted(([a], [b]) => a - b).map(([, text]) => text);
}

const countOf = (text: string) => Array.from(text).length;

const account = ({
  outcome,
  lines,
  linesCut,
  characters,
  charactersPrinted,
  charactersCut,
}: LaidText) => [outcome, lines, linesCut, characters, charactersPrinted, charactersCut] as const;

/** Source Code Pro: each character is 6 points wide at 10 points. */
const code = { fontFamily: "code" };

describe("lines", () => {
  it("break at opportunities and let spaces hang", () => {
    const laid = lay("aaa bbb   ccc", { width: 45, run: code });
    expect(linesOf(laid)).toEqual(["aaa bbb   ", "ccc"]);
    expect(laid.contentWidth).toBeCloseTo(42, 6);
    expect(account(laid)).toEqual(["printed", 2, 0, 13, 13, 0]);
  });

  it("break words that are wider than the box between grapheme clusters", () => {
    expect(linesOf(lay("aaae\u0301e\u0301e\u0301", { width: 26, run: code }))).toEqual([
      "aaae\u0301",
      "e\u0301e\u0301",
    ]);
    expect(linesOf(lay("abc", { width: 1, run: code }))).toEqual(["a", "b", "c"]);
  });

  it("show a soft hyphen where they break, if there is room for it", () => {
    const laid = lay("aa\u00adbb\u00adcc", { width: 30, run: code });
    expect(linesOf(laid)).toEqual(["aa\u00adbb\u00ad", "cc"]);
    const hyphen = runs(laid)[1];
    expect(hyphen?.glyphs).toEqual([
      { glyph: faceOf("code").glyphOf(0x2010), x: 0, y: 0, cluster: 0 },
    ]);
    expect(linesOf(lay("aa\u00adbb", { width: 13, run: code }))).toEqual(["aa\u00ad", "bb"]);
  });

  it("end at line feeds, which count with them", () => {
    const laid = lay("a\n\nb\r\nc\n", { run: code });
    expect(account(laid)).toEqual(["printed", 4, 0, 8, 8, 0]);
    expect(runs(laid).map(({ y }) => Math.round(y / 12))).toEqual([1, 3, 4]);
    expect(account(lay(""))).toEqual(["printed", 0, 0, 0, 0, 0]);
  });

  it("have baselines by hhea, and the height of their largest size", () => {
    const { ascent, descent } = faceOf("sans");
    const [first] = runs(lay("x", { padding: 5 }));
    expect(first?.y).toBeCloseTo(5 + (12 - (ascent + descent) / 100) / 2 + ascent / 100, 6);
    const mixed = layOutText(
      {
        ...textSpec("", { width: 300 }),
        paragraphs: [textParagraph([textRun("a "), textRun("B", { fontSize: 20 })])],
      },
      TEXT_FONTS,
    );
    expect(mixed.contentHeight).toBeCloseTo(24, 6);
    expect(new Set(runs(mixed).map(({ y }) => y)).size).toBe(1);
  });

  it.each([
    ["start", "auto", "ab", 0],
    ["start", "rtl", "ab", 88],
    ["end", "ltr", "ab", 88],
    ["center", "ltr", "ab  ", 44],
    ["right", "ltr", "ab", 88],
  ] as const)("align %s, %s", (textAlign, direction, text, x) => {
    const laid = lay(text, { run: code, paragraph: { textAlign, direction } });
    expect(
      Math.min(
        ...runs(laid)
          .filter(({ clusters }) => clusters[0]?.text === "a")
          .map((run) => run.x),
      ),
    ).toBeCloseTo(x, 6);
  });

  it("justify all but the last", () => {
    const laid = lay("a b c ddddddddd e f", {
      width: 60,
      run: code,
      paragraph: { textAlign: "justify" },
    });
    const [first, , second] = runs(laid);
    expect(linesOf(laid)).toEqual(["a b c ", "ddddddddd ", "e f"]);
    expect(first?.glyphs.slice(0, 5).map(({ x }) => x)).toEqual(
      [0, 6, 27, 33, 54].map((x) => expect.closeTo(x, 6)),
    );
    expect(second?.x).toBe(0);
    expect(
      runs(laid)
        .at(-1)
        ?.glyphs.map(({ x }) => x),
    ).toEqual([0, 6, 12].map((x) => expect.closeTo(x, 6)));
  });

  it("put runs in visual order, with mirrored brackets", () => {
    const laid = lay("אב (cd) 12", { width: 200, run: { fontFamily: "hebrew" } });
    const order = runs(laid)
      .toSorted((a, b) => a.x - b.x)
      .map(({ clusters, isRightToLeft }) => [
        isRightToLeft,
        clusters.map(({ text }) => text).join(""),
      ]);
    expect(order).toEqual([
      [false, "12"],
      [true, ") "],
      [false, "cd"],
      [true, "אב ("],
    ]);
  });

  it("stop at tabs, and take charSpacing after each cluster", () => {
    const [a, tab, b] = runs(lay("a\tb", { run: code }));
    expect([a?.x, tab?.x, b?.x]).toEqual([0, expect.closeTo(6, 6), expect.closeTo(48, 6)]);
    expect(tab?.clusters).toEqual([{ text: "\t" }]);
    const wide = lay("e\u0301b", { run: { ...code, charSpacing: 2 } });
    expect(wide.contentWidth).toBeCloseTo(16, 6);
    expect(runs(wide)[0]?.glyphs.at(-1)?.x).toBeCloseTo(8, 6);
  });

  it("are decorated, shifted, linked and spaced as the runs and paragraphs say", () => {
    const laid = layOutText(
      {
        ...textSpec("", { width: 200 }),
        paragraphs: [
          textParagraph(
            [
              textRun("ab ", { ...code, underline: true }),
              textRun("c", { ...code, underline: true, baselineShift: 3, link: 0 }),
            ],
            { spaceBefore: 50, spaceAfter: 7 },
          ),
          textParagraph(
            [textRun("d", { ...code, strikethrough: true, fill: "#102030", fillOpacity: 0.5 })],
            { spaceBefore: 4, spaceAfter: 50 },
          ),
        ],
      },
      TEXT_FONTS,
    );
    expect(laid.contentHeight).toBeCloseTo(12 + 11 + 12, 6);
    const rules = laid.items.filter((item) => item.kind === "path");
    expect(rules).toHaveLength(3);
    expect(rules[2]?.fill).toEqual({ paint: { kind: "color", rgb: [16, 32, 48] }, opacity: 0.5 });
    const [ab, c] = runs(laid);
    expect((ab?.y ?? 0) - (c?.y ?? 0)).toBeCloseTo(3, 6);
    expect(laid.linkAreas).toEqual([
      { link: 0, box: { x: expect.closeTo(18, 6), y: 0, width: expect.closeTo(6, 6), height: 12 } },
    ]);
  });
});

describe("fit", () => {
  const five = "aa bb cc dd ee";

  it("clips whole lines, by height and maxLines", () => {
    expect(account(lay(five, { width: 20, height: 36, run: code }))).toEqual([
      "cut",
      5,
      2,
      14,
      9,
      5,
    ]);
    expect(account(lay(five, { width: 20, height: 35.98, run: code }))).toEqual([
      "cut",
      5,
      3,
      14,
      6,
      8,
    ]);
    expect(account(lay(five, { width: 20, maxLines: 4, run: code }))).toEqual([
      "cut",
      5,
      1,
      14,
      12,
      2,
    ]);
  });

  it("prints all that is visible outside, and says so", () => {
    const laid = lay(five, {
      width: 20,
      height: 20,
      overflowMode: "visible",
      verticalAlign: "bottom",
      run: code,
    });
    expect(account(laid)).toEqual(["overflowed", 5, 0, 14, 14, 0]);
    expect(Math.min(...runs(laid).map(({ y }) => y))).toBeLessThan(0);
  });

  it("ends with an ellipsis in place of what it needs", () => {
    const laid = lay("aaa bbb ccc", { width: 42, height: 13, overflowMode: "ellipsis", run: code });
    expect(linesOf(laid)).toEqual(["aaa bb…"]);
    expect(account(laid)).toEqual(["cut", 2, 1, 11, 6, 5]);
    const roomy = lay("aaa bbbbbb", { width: 42, height: 13, overflowMode: "ellipsis", run: code });
    expect(account(roomy)).toEqual(["cut", 2, 1, 10, 4, 6]);
    expect(linesOf(roomy)).toEqual(["aaa… "]);
    // In place of what follows a tab.
    expect(linesOf(lay("\ta", { width: 0, height: 12, overflowMode: "ellipsis" }))).toEqual([
      "…\t",
    ]);
  });

  it("shrinks in steps to the largest size that fits", () => {
    const laid = lay("aaaa aaaa", { width: 42, height: 13, overflowMode: "shrink", run: code });
    // 9 characters of 0.6 em in 42 points: at most 7.77.
    expect([laid.outcome, laid.fontSize, laid.lines]).toEqual(["shrunk", 7.75, 1]);
    const cut = lay("aaaa aaaa", {
      width: 42,
      height: 8,
      minFontSize: 8.1,
      overflowMode: "shrink",
      run: code,
    });
    expect([cut.fontSize, ...account(cut)]).toEqual([8.1, "cut", 2, 2, 9, 0, 9]);
    const rich = layOutText(
      {
        ...textSpec("", { width: 45, height: 16, overflowMode: "shrink" }),
        paragraphs: [
          textParagraph([textRun("aaaa", code), textRun("bb", { ...code, fontSize: 20 })]),
        ],
      },
      TEXT_FONTS,
    );
    expect(runs(rich).map(({ size }) => size)).toEqual([6.5, 13]);
    expect([rich.outcome, rich.fontSize]).toEqual(["shrunk", 6.5]);
  });

  it("grows where the height is not fixed, up to maxLines", () => {
    const laid = lay(five, { width: 20, height: 20, padding: 1, fixedHeight: false, run: code });
    expect([laid.height, ...account(laid)]).toEqual([62, "printed", 5, 0, 14, 14, 0]);
    expect(lay("a", { height: 50, fixedHeight: false }).height).toBe(50);
    expect(account(lay(five, { width: 20, fixedHeight: false, maxLines: 1, run: code }))).toEqual([
      "cut",
      5,
      4,
      14,
      3,
      11,
    ]);
  });

  it("obeys the policy of the render", () => {
    const small = { width: 20, height: 20, run: code } as const;
    const visible = { ...small, overflowMode: "visible" } as const;
    expect(lay(five, { ...visible, overflowPolicy: "fail" }).isForbidden).toBe(true);
    expect(lay(five, { ...small, overflowPolicy: "fail" }).isForbidden).toBe(true);
    expect(lay("a", { ...small, overflowPolicy: "fail" }).isForbidden).toBe(false);
    expect(lay(five, { ...visible, overflowPolicy: "clip" }).outcome).toBe("cut");
    expect(lay("aa bb", { ...visible, overflowPolicy: "fit" }).fontSize).toBe(8.25);
    expect(lay(five, { ...small, overflowMode: "fail" }).isForbidden).toBe(true);
  });
});

describe("fonts", () => {
  it("are chosen by cluster, and characters that none has are counted", () => {
    const laid = lay("aش\ue000\ue000\u200d", { width: 300 });
    expect(runs(laid).map(({ face }) => face)).toEqual(
      [faceOf("sans"), faceOf("arabic"), faceOf("sans")].map(({ key }) => key),
    );
    expect([...laid.missingGlyphs]).toEqual([[0xe000, 2]]);
    expect(lay("a", { run: { fontFamily: "Nowhere" } }).substitutedFonts).toEqual(["Nowhere"]);
  });

  it("shape Arabic across a break as if the word were whole", () => {
    const whole = runs(lay("عععع", { width: 300, run: { fontFamily: "arabic" } }))[0];
    const parts = runs(lay("عععع", { width: 12, run: { fontFamily: "arabic" } }));
    expect(parts.length).toBeGreaterThan(1);
    // Right to left: the last glyph of the whole begins the first line.
    expect(parts[0]?.glyphs.at(-1)?.glyph).toBe(whole?.glyphs.at(-1)?.glyph);
    expect(parts.at(-1)?.glyphs[0]?.glyph).toBe(whole?.glyphs[0]?.glyph);
  });
});

/** The greedy algorithm by the book, for texts of one-cell letters and spaces without anything else. */
function slowLines(text: string, cells: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text
    .split("\n")
    .map((part, i, all) => (i < all.length - 1 ? `${part}\n` : part))) {
    let rest = paragraph;
    do {
      let end = rest.length;
      const widthOf = (at: number) => rest.slice(0, at).replace(/[ \n]+$/, "").length;
      const mayEnd = (at: number) =>
        at === rest.length || (rest[at - 1] === " " && rest[at] !== " " && rest[at] !== "\n");
      while (end > 0 && !(mayEnd(end) && widthOf(end) <= cells)) {
        end--;
      }
      if (end === 0) {
        end = Math.max(1, cells);
      }
      lines.push(rest.slice(0, end));
      rest = rest.slice(end);
    } while (rest !== "");
  }
  return lines.filter((line, i) => line !== "" || i < lines.length - 1);
}

describe("fuzzed texts", () => {
  it("break as the slow algorithm does", () => {
    const text = fc
      .array(fc.constantFrom("a", "bb", " ", "ccc", "\n", "dddddddd"), { maxLength: 20 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (given, cells) => {
        const laid = lay(given, { width: cells * 6 + 0.5, height: 9_000, run: code });
        const expected = given === "" ? [] : slowLines(given, cells);
        expect([laid.lines, given]).toEqual([expected.length, given]);
        const printed = linesOf(laid);
        expect(printed).toEqual(
          expected.map((line) => line.replace("\n", "")).filter((line) => line !== ""),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("account for every character, in every mode", () => {
    const text = fc
      .array(
        fc.constantFrom(
          "a",
          " ",
          "\n",
          "\t",
          "é",
          "e\u0301",
          "א",
          "ش",
          "ก็",
          "क्ष",
          "👩\u200d🚀",
          "\ud800",
          "\0",
          "\u00ad",
          "\u202e",
          "\u2067",
          "\u200b",
          "\ue000",
          "long-word",
          "\r\n",
          "\u2028",
        ),
        { maxLength: 30 },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("clip", "visible", "ellipsis", "shrink"),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        fc.constantFrom("none", "uppercase"),
        (given, overflowMode, width, height, textTransform) => {
          const laid = lay(given, { width, height, overflowMode, textTransform });
          expect(laid.characters).toBe(
            countOf(textTransform === "none" ? given : given.toWellFormed().toUpperCase()),
          );
          expect(laid.charactersPrinted + laid.charactersCut).toBe(laid.characters);
          expect(laid.charactersCut > 0 || laid.linesCut > 0).toBe(laid.outcome === "cut");
          const extracted = runs(laid).flatMap(({ clusters }) =>
            clusters.map((cluster) => cluster.text),
          );
          expect(extracted.every((cluster) => cluster !== "")).toBe(true);
          // What is printed can be extracted, but line ends and characters without a glyph.
          const counted = (shown: string) =>
            countOf(
              shown.toWellFormed().replaceAll(/[\n\r\u2028\u00ad\u202e\u2067\u200b\u200d]/g, ""),
            );
          const silent =
            laid.characters -
            counted(textTransform === "none" ? given : given.toWellFormed().toUpperCase());
          const ellipsis = extracted.filter((cluster) => cluster === "…").length;
          expect(counted(extracted.join("")) - ellipsis).toBeLessThanOrEqual(
            laid.charactersPrinted,
          );
          expect(counted(extracted.join("")) - ellipsis).toBeGreaterThanOrEqual(
            laid.charactersPrinted - silent,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it("take time in proportion to their length", () => {
    for (const part of ["a", "ع", "e\u0301\u0302", "\u202eא", "\0", "a\u00ad", "ab "]) {
      const laid = lay(part.repeat(10_000), { overflowMode: "shrink" });
      expect(laid.characters).toBe(countOf(part) * 10_000);
    }
  });
});
