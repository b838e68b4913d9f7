import { LIMITS } from "../../../lib/limits/limits-table.ts";

const SELECTION_CHARACTERS_MAX = LIMITS.page_selection.value;
const PART = /^(\d{1,9})(?:-(\d{1,9}))?$/;

/** Pages `first` to `last`, both from 1 and included. */
interface PageRange {
  readonly first: number;
  readonly last: number;
}

/** Every page, or the union of some ranges. */
export type PageSelection = "all" | readonly PageRange[];

/**
 * Parses `all`, `n`, `a-b` and lists of these with commas. Returns null for anything else: page 0, `3-1`, spaces.
 */
export function parsePageSelection(text: string): PageSelection | null {
  if (text === "all") {
    return "all";
  }
  if (text.length > SELECTION_CHARACTERS_MAX) {
    return null;
  }
  const ranges: PageRange[] = [];
  for (const part of text.split(",")) {
    const match = PART.exec(part);
    if (match === null) {
      return null;
    }
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (first < 1 || last < first) {
      return null;
    }
    ranges.push({ first, last });
  }
  return ranges;
}

/** The selected pages in ascending order, each once; null if one of them is beyond `pageCount`. */
export function selectedPages(selection: PageSelection, pageCount: number): number[] | null {
  const ranges = selection === "all" ? [{ first: 1, last: pageCount }] : selection;
  const isSelected = Array.from({ length: pageCount + 1 }, () => false);
  for (const { first, last } of ranges) {
    if (last > pageCount) {
      return null;
    }
    isSelected.fill(true, first, last + 1);
  }
  return isSelected.flatMap((is, page) => (is ? [page] : []));
}
