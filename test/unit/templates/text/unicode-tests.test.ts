/**
 * The test files of Unicode 17 (`scripts/derive-unicode-tests.ts` tells where they are from): each line of
 * BidiCharacterTest, LineBreakTest and GraphemeBreakTest in the proof, a part of them in `npm test`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bidiLevels } from "../../../../src/templates/text/bidi-levels.ts";
import { graphemeStarts } from "../../../../src/templates/text/unicode/grapheme-clusters.ts";
import { standardLineBreaks } from "../../../../src/templates/text/unicode/line-breaks.ts";
import { visualOrder } from "../../../../src/templates/text/visual-order.ts";
import { sizeOf } from "../../../support/sizes.ts";

/** Cases of each file, so that none is lost on the way. */
const CASES = { bidi: 91_707, lineBreaks: 19_338, graphemes: 766 };
/** Failing lines that are shown. */
const SHOWN = 5;

const bidi = linesOf("bidi-character-test");
const lineBreaks = linesOf("line-break-test");
const graphemes = linesOf("grapheme-break-test");

describe("the test files of Unicode", () => {
  it("are whole", () => {
    expect([bidi.length, lineBreaks.length, graphemes.length]).toEqual(Object.values(CASES));
  });

  it("BidiCharacterTest: base levels, levels and visual order", () => {
    expect(failuresOf(bidi, bidiProblem)).toEqual([]);
  });

  it("LineBreakTest", () => {
    expect(failuresOf(lineBreaks, (line) => breakProblem(line, standardLineBreaks))).toEqual([]);
  });

  it("GraphemeBreakTest", () => {
    expect(failuresOf(graphemes, (line) => breakProblem(line, graphemeStarts))).toEqual([]);
  });

  it.each([
    [
      "a level",
      bidi,
      bidiProblem,
      (line: string) =>
        line.replace(
          /;(\d+)( [^;]*)?;([^;]*)$/,
          (_, level, rest = "", order) => `;${Number(level) + 1}${rest};${order}`,
        ),
    ],
    ["an order", bidi, bidiProblem, (line: string) => line.replace(/;[^;]*$/, ";7")],
    [
      "a break",
      lineBreaks,
      (line: string) => breakProblem(line, standardLineBreaks),
      (line: string) => line.replace(/(?<=\w )[×÷]/, (sign) => (sign === "×" ? "÷" : "×")),
    ],
  ] as const)("fail with another %s", (_, lines, problemOf, change) => {
    const [line = ""] = lines;
    expect(problemOf(line)).toBeUndefined();
    expect(problemOf(change(line))).toBeDefined();
  });
});

function linesOf(name: string): string[] {
  const file = join(import.meta.dirname, `../../../fixtures/unicode/${name}.txt.br`);
  const lines = brotliDecompressSync(readFileSync(file)).toString("utf8").trimEnd().split("\n");
  return lines.filter((line) => !line.startsWith("#"));
}

function failuresOf(
  lines: readonly string[],
  problemOf: (line: string) => string | undefined,
): string[] {
  const stride = sizeOf("unicodeStride");
  const failures: string[] = [];
  for (let i = 0; i < lines.length; i += stride) {
    const line = lines[i] ?? "";
    const problem = problemOf(line);
    if (problem !== undefined) {
      failures.push(`${line}: ${problem}`);
    }
  }
  return failures.length <= SHOWN
    ? failures
    : [...failures.slice(0, SHOWN), `and ${failures.length - SHOWN} more`];
}

function textOf(codePoints: string): string {
  return codePoints
    .trim()
    .split(/\s+/)
    .map((hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .join("");
}

const DIRECTIONS = ["ltr", "rtl", "auto"] as const;

/** `code points; direction; base level; levels, x where rule X9 removes the character; visual order of the others`. */
function bidiProblem(line: string): string | undefined {
  const [codePoints = "", direction = "", base = "", levels = "", order = ""] = line.split(";");
  const text = textOf(codePoints);
  const found = bidiLevels(text, DIRECTIONS[Number(direction)] ?? "auto");
  const expected = levels.split(" ");
  // Of each code point, by its first unit.
  const starts: number[] = [];
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    starts.push(at);
  }
  const all = starts.map((at) => found.levels?.[at] ?? found.baseLevel);
  const shown = expected.map((level, i) => (level === "x" ? "x" : String(all[i])));
  const kept = expected.flatMap((level, i) => (level === "x" ? [] : [i]));
  const visual = visualOrder(kept, (i) => all[i] ?? 0);
  if (String(found.baseLevel) !== base) {
    return `the base level is ${found.baseLevel}`;
  }
  if (shown.join(" ") !== levels) {
    return `the levels are ${shown.join(" ")}`;
  }
  return visual.join(" ") === order ? undefined : `the order is ${visual.join(" ")}`;
}

/** `× 0061 ÷ 0062 ÷`: a sign before each code point and at the end, ÷ where there is a break. */
function breakProblem(line: string, breaksOf: (text: string) => Uint8Array): string | undefined {
  const text = textOf(line.replaceAll(/[×÷]/g, " "));
  const breaks = breaksOf(text);
  let at = 0;
  // The sign at the end stands for the end of the text, that at the start for none.
  const found = [...line.matchAll(/([×÷]) ([0-9A-F]+)/g)].map(([, sign, hex = ""], i) => {
    const here = at;
    at += Number.parseInt(hex, 16) > 0xffff ? 2 : 1;
    return `${i === 0 ? sign : (breaks[here] ?? 0) > 0 ? "÷" : "×"} ${hex}`;
  });
  const expected = line.trim().replace(/ ÷$/, "");
  return found.join(" ") === expected ? undefined : `the breaks are ${found.join(" ")}`;
}
