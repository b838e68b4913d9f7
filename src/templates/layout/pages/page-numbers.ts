export type NumberingStyle = "arabic" | "roman_upper" | "roman_lower";

const ROMAN: readonly (readonly [number, string])[] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

/** A page number as it prints. Roman numerals have no 0 and end at 3,999: other numbers print in arabic digits. */
export function formatPageNumber(value: number, style: NumberingStyle): string {
  if (style === "arabic" || value < 1 || value > 3999) {
    return String(value);
  }
  let rest = value;
  let text = "";
  for (const [worth, letters] of ROMAN) {
    while (rest >= worth) {
      text += letters;
      rest -= worth;
    }
  }
  return style === "roman_upper" ? text : text.toLowerCase();
}

/** What decides the numbers of one page of the document. */
export interface PageNumbering {
  /** Starts a new sequence with this number; null goes on with the sequence before. */
  readonly start: number | null;
  /** Counts where a sequence starts; the pages that follow in the sequence keep it. */
  readonly style: NumberingStyle;
  readonly isHidden: boolean;
}

/** What page number tokens print on one output page. */
export interface PageTexts {
  readonly page: string;
  readonly pages: string;
  readonly sequencePages: string;
}

/** The numbers of all output pages. `copy` counts the output pages of one page of the document from 0. */
export interface PageNumbers {
  readonly pageCount: number;
  /** From 1, over the whole output. */
  pageNumberOf(pageIndex: number, copy: number): number;
  textsOf(pageIndex: number, copy: number): PageTexts;
}

/** `counts[i]` is how many output pages page `i` of the document becomes. */
export function numberPages(
  numberings: readonly PageNumbering[],
  counts: readonly number[],
): PageNumbers {
  let sequence = { start: 1, style: "arabic" as NumberingStyle, length: 0 };
  let pageCount = 0;
  const places = numberings.map(({ start, style, isHidden }, index) => {
    if (index === 0 || start !== null) {
      sequence = { start: start ?? 1, style, length: 0 };
    }
    const place = {
      sequence,
      isHidden,
      before: pageCount,
      number: sequence.start + sequence.length,
    };
    sequence.length += counts[index] ?? 0;
    pageCount += counts[index] ?? 0;
    return place;
  });
  const placeOf = (pageIndex: number) => {
    const place = places[pageIndex];
    if (place === undefined) {
      throw new RangeError(`The document has no page ${pageIndex}.`);
    }
    return place;
  };
  return {
    pageCount,
    pageNumberOf: (pageIndex, copy) => placeOf(pageIndex).before + copy + 1,
    textsOf(pageIndex, copy) {
      const place = placeOf(pageIndex);
      const { style, length } = place.sequence;
      return {
        page: place.isHidden ? "" : formatPageNumber(place.number + copy, style),
        pages: String(pageCount),
        sequencePages: formatPageNumber(length, style),
      };
    },
  };
}

const TOKEN = /\{\{(page|pages|sequencePages)\}\}/g;

export function hasPageToken(text: string): boolean {
  return text.search(TOKEN) !== -1;
}

/** Replaces the tokens of an authored text. */
export function replacePageTokens(text: string, texts: PageTexts): string {
  return text.replace(TOKEN, (_, name: keyof PageTexts) => texts[name]);
}
