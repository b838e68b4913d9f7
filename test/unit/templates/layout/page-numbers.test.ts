import { describe, expect, test } from "vitest";
import {
  formatPageNumber,
  numberPages,
  replacePageTokens,
  type PageNumbering,
} from "../../../../src/templates/layout/pages/page-numbers.ts";

const PLAIN: PageNumbering = { start: null, style: "arabic", isHidden: false };
const DIGITS: Readonly<Record<string, number>> = {
  I: 1,
  V: 5,
  X: 10,
  L: 50,
  C: 100,
  D: 500,
  M: 1000,
};

/** Reads roman numerals by the rule of subtraction, unlike the code that writes them. */
function readRoman(text: string): number {
  const worths = Array.from(text).map((letter) => DIGITS[letter]!);
  return worths.reduce((sum, worth, i) => sum + (worth < (worths[i + 1] ?? 0) ? -worth : worth), 0);
}

describe("page numbers", () => {
  test("in roman numerals are read back as the same numbers, in their shortest form", () => {
    const texts = Array.from({ length: 3999 }, (_, i) => formatPageNumber(i + 1, "roman_upper"));
    expect(texts.map(readRoman)).toStrictEqual(texts.map((_, i) => i + 1));
    expect(texts.filter((text) => /(.)\1{3}|VV|LL|DD|VX|LC|DM|I[^IVX]|X[DM]/.test(text))).toEqual(
      [],
    );
    expect(formatPageNumber(1994, "roman_lower")).toBe("mcmxciv");
  });

  test("that roman numerals cannot show print in arabic digits", () => {
    expect([0, 4000].map((value) => formatPageNumber(value, "roman_upper"))).toEqual(["0", "4000"]);
  });

  test("count all output pages, and start again with their style where a start is set", () => {
    const numbers = numberPages(
      [
        { start: 3, style: "roman_lower", isHidden: false },
        { ...PLAIN, isHidden: true },
        { start: 1, style: "arabic", isHidden: false },
        { ...PLAIN, style: "roman_upper" },
      ],
      [2, 1, 1, 2],
    );
    const at = (page: number, copy: number) =>
      replacePageTokens("{{page}}|{{sequencePages}}|{{pages}}", numbers.textsOf(page, copy));
    expect([at(0, 0), at(0, 1), at(1, 0), at(2, 0), at(3, 0), at(3, 1)]).toEqual([
      "iii|iii|6",
      "iv|iii|6",
      "|iii|6",
      "1|3|6",
      "2|3|6",
      "3|3|6",
    ]);
    expect([numbers.pageNumberOf(0, 1), numbers.pageNumberOf(3, 1), numbers.pageCount]).toEqual([
      2, 6, 6,
    ]);
  });

  test("without a start begin at 1 in the style of the first page", () => {
    const numbers = numberPages([{ ...PLAIN, style: "roman_upper" }, PLAIN], [1, 1]);
    expect(numbers.textsOf(1, 0).page).toBe("II");
  });

  test("are read in exactly three tokens", () => {
    const texts = { page: "p", pages: "q", sequencePages: "r" };
    expect(
      replacePageTokens("{{page}}{{pages}}{{sequencePages}}{{Page}}{{ page }}{page}", texts),
    ).toBe("pqr{{Page}}{{ page }}{page}");
  });
});
