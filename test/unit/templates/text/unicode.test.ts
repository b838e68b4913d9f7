/**
 * Line breaks and grapheme clusters: each rule has a case below. `unicode-tests.test.ts` has the test files of Unicode.
 */
import LineBreaker from "linebreak";
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { bidiLevels } from "../../../../src/templates/text/bidi-levels.ts";
import { graphemeStarts } from "../../../../src/templates/text/unicode/grapheme-clusters.ts";
import {
  lineBreaks,
  MUST_BREAK,
  standardLineBreaks,
} from "../../../../src/templates/text/unicode/line-breaks.ts";

/** The text with `|` where a line may break and `‖` where it must. */
function shown(text: string, breaks: Uint8Array): string {
  return Array.from({ length: text.length }, (_, at) => {
    const sign = breaks[at] === 0 ? "" : breaks[at] === MUST_BREAK ? "‖" : "|";
    return sign + text.charAt(at);
  }).join("");
}

/** By rule of UAX 14. */
const RULES: readonly [rule: string, marked: string][] = [
  ["LB4", "a\u000b‖b"],
  ["LB5", "a\r\n‖b\r‖c\u0085‖d"],
  ["LB7", "a  |b"],
  ["LB8", "a\u200b |b"],
  ["LB8a", "👩\u200d🚀"],
  ["LB9", "a\u0301 |\u0301b"],
  ["LB11", "a\u2060%\u2060一"],
  ["LB12", "a\u00a0 |\u00a0b"],
  ["LB13", "a )b |一 !"],
  ["LB14", "( a"],
  ["LB15a", "x |« a"],
  ["LB15b", "a » |b"],
  ["LB15c", "a |.5"],
  ["LB15d", "a ,b"],
  ["LB16", "一) 々"],
  ["LB17", "— —"],
  ["LB19", "一'一"],
  ["LB19a", "一|“一”|一 |a“b”c"],
  ["LB20", "a|\ufffc|b"],
  ["LB20a", "a |-b"],
  ["LB21", "a-|b|一-|一"],
  ["LB21a", "א-1"],
  ["LB21b", "a/|b |א/א"],
  ["LB22", "一…|一"],
  ["LB23", "a1b2"],
  ["LB23a", "$一 |一%"],
  ["LB24", "$a%"],
  ["LB25", "(1,234.56)% |-3 |$(12)"],
  ["LB26", "\u1100\u1161\u11a8|각"],
  ["LB28", "abcאב"],
  ["LB28a", "\u1b05\u1b44\u1b13"],
  ["LB29", "a.b"],
  ["LB30", "a(b)c |一|（一）|c"],
  ["LB30a", "🇩🇪|🇫🇷"],
  ["LB30b", "👍🏽"],
  ["LB31", "一|二|a"],
];

describe("line breaks", () => {
  it.each(RULES)("follow %s", (_rule, marked) => {
    const text = marked.replaceAll(/[|‖]/g, "");
    const withSpaces = shown(text, standardLineBreaks(text));
    expect(withSpaces).toBe(marked);
  });

  it("agree with another implementation where the rules have not changed since", () => {
    const words = fc.array(fc.constantFrom(...Array.from("ab1 ,.;!?é一あ ש\u00a0\n")), {
      maxLength: 24,
    });
    fc.assert(
      fc.property(words, (characters) => {
        const text = characters.join("");
        // LB15c and LB15d are newer than the other implementation.
        fc.pre(!/ [.,;]/.test(text) && text !== "");
        const breaker = new LineBreaker(text);
        const theirs: number[] = [];
        for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) {
          theirs.push(next.position);
        }
        const ours = Array.from(
          standardLineBreaks(text),
          (rule, at) => [at, rule] as const,
        ).flatMap(([at, rule]) => (rule ? [at] : []));
        expect([...ours, text.length]).toEqual(theirs);
      }),
      { numRuns: 300 },
    );
  });

  it("break Thai between words, and keep a word's marks", () => {
    const text = "สวัสดีชาวโลก ok ที่นี่";
    expect(shown(text, lineBreaks(text))).toBe("สวัสดี|ชาว|โลก |ok |ที่|นี่");
    expect(shown(text, standardLineBreaks(text))).toBe("สวัสดีชาวโลก |ok |ที่นี่");
  });
});

describe("grapheme clusters", () => {
  it.each([
    "e\u0301|x\u0301\u0302|x",
    "\r\n|\n|a",
    "각|\u1100\u1161\u11a8|a",
    "👩\u200d👩\u200d👧|👍🏽|🇩🇪|🇫🇷|🇩",
    "क्षि|त्रि|य",
    "กำ|ก",
    "\u0600a|\u200b|b",
  ])("are %j", (marked) => {
    const text = marked.replaceAll("|", "");
    const starts = graphemeStarts(text);
    const found = Array.from({ length: text.length }, (_, at) =>
      at > 0 && starts[at] === 1 ? `|${text.charAt(at)}` : text.charAt(at),
    );
    expect(found.join("")).toBe(marked);
  });
});

describe("bidi levels", () => {
  it.each([
    ["abc", "auto", 0, undefined],
    ["abc", "rtl", 1, [2, 2, 2]],
    ["א1b", "auto", 1, [1, 2, 2]],
    ["a (א) b", "ltr", 0, [0, 0, 0, 1, 0, 0, 0]],
    ["\u202eab\u202c", "ltr", 0, [1, 1, 1, 0]],
    // An emoji, Phoenician, Adlam with a mark, and Arabic mathematics with a digit.
    ["א😀ב", "ltr", 0, [1, 1, 1, 1]],
    ["\u{10900}%", "auto", 1, [1, 1, 1]],
    ["a\u{1e900}\u{1e944}", "ltr", 0, [0, 1, 1, 1, 1]],
    ["\u{1ee00}1", "rtl", 1, [1, 1, 2]],
  ] as const)("of %j, %s", (text, direction, base, expected) => {
    const { baseLevel, levels } = bidiLevels(text, direction);
    expect(baseLevel).toBe(base);
    if (expected === undefined) {
      expect(levels).toBeUndefined();
    } else {
      // Controls are removed by rule X9; their levels mean nothing.
      const visible = text.split("").flatMap((c, i) => (/[\u202a-\u202e]/.test(c) ? [] : [i]));
      expect(visible.map((i) => levels?.[i])).toEqual(visible.map((i) => expected[i]));
    }
  });
});
