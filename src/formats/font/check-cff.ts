import { CffIndex } from "./cff-index.ts";
import { CharstringRunner } from "./charstring-runner.ts";
import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";
import { OutlineBudget } from "./outline-budget.ts";
import { readCffDict } from "./read-cff-dict.ts";

const [CHARSET, CHARSTRINGS, PRIVATE, SUBRS] = [15, 17, 18, 19];
const [CHARSTRING_TYPE, ROS, FD_ARRAY, FD_SELECT] = [1206, 1230, 1236, 1237];

type Dict = ReadonlyMap<number, readonly number[]>;

/** FDSelect refers to a font dictionary with one byte. */
const FONT_DICTS_MAX = 256;

/**
 * Validates the CFF table (Adobe Technical Notes 5176, 5177) and runs the program of every outline
 * without drawing: references resolve, programs end, and their total number of steps is within a
 * budget. Throws FontError.
 */
export function checkCff(cff: FontTable, glyphCount: number): void {
  if (cff.u8(0) !== 1 || cff.u8(2) < 4) {
    throw invalidFont("The table CFF does not begin with a header of version 1");
  }
  const names = new CffIndex(cff, cff.u8(2), "the list of names");
  const tops = new CffIndex(cff, names.end, "the list of fonts");
  if (names.count !== 1 || tops.count !== 1) {
    throw invalidFont(`The table CFF holds ${tops.count} fonts; exactly one is allowed`);
  }
  const strings = new CffIndex(cff, tops.end, "the list of strings");
  const globalSubrs = new CffIndex(cff, strings.end, "the list of shared subroutines");
  const top = readCffDict(cff, ...tops.span(0));
  if ((first(top, CHARSTRING_TYPE) ?? 2) !== 2) {
    throw invalidFont("The outlines in the table CFF are not of type 2");
  }
  const outlines = new CffIndex(cff, offset(top, CHARSTRINGS), "the list of outlines");
  if (outlines.count !== glyphCount) {
    throw invalidFont(
      `The table CFF has ${outlines.count} outlines, and the font states ${glyphCount} glyphs`,
    );
  }
  checkCharset(cff, first(top, CHARSET) ?? 0, glyphCount);
  const isCid = top.has(ROS);
  const locals = isCid ? readFontDicts(cff, top) : [readLocalSubrs(cff, top)];
  const dictOf = isCid ? readFdSelect(cff, top, glyphCount, locals.length) : undefined;
  const budget = new OutlineBudget();
  const runner = new CharstringRunner(cff, globalSubrs);
  for (let glyph = 0; glyph < glyphCount; glyph++) {
    const [start, end] = outlines.span(glyph);
    budget.spend(runner.run(glyph, start, end, locals[dictOf?.[glyph] ?? 0]));
  }
}

function first(dict: Dict, operator: number): number | undefined {
  return dict.get(operator)?.[0];
}

function offset(dict: Dict, operator: number): number {
  const value = first(dict, operator);
  if (value === undefined || !Number.isInteger(value) || value <= 0) {
    throw invalidFont("The table CFF does not state the offset of one of its lists");
  }
  return value;
}

/** The subroutines of a private dictionary; undefined if there are none. */
function readLocalSubrs(cff: FontTable, dict: Dict): CffIndex | undefined {
  const [size, start] = dict.get(PRIVATE) ?? [0, 0];
  if (size === undefined || start === undefined || !(size >= 0) || !(start >= 0)) {
    throw invalidFont("The table CFF does not state the offset of its private dictionary");
  }
  cff.need(start, size, "the private dictionary");
  const subrs = first(readCffDict(cff, start, start + size), SUBRS);
  return subrs === undefined ? undefined : new CffIndex(cff, start + subrs, "the subroutines");
}

function readFontDicts(cff: FontTable, top: Dict): (CffIndex | undefined)[] {
  const dicts = new CffIndex(cff, offset(top, FD_ARRAY), "the list of font dictionaries");
  if (dicts.count === 0 || dicts.count > FONT_DICTS_MAX) {
    throw invalidFont(`The table CFF has ${dicts.count} font dictionaries`);
  }
  return Array.from({ length: dicts.count }, (_, i) =>
    readLocalSubrs(cff, readCffDict(cff, ...dicts.span(i))),
  );
}

/** Index of the font dictionary by glyph. */
function readFdSelect(
  cff: FontTable,
  top: Dict,
  glyphCount: number,
  dictCount: number,
): Uint8Array {
  const at = offset(top, FD_SELECT);
  const chosen = new Uint8Array(glyphCount);
  const format = cff.u8(at);
  if (format === 0) {
    cff.need(at + 1, glyphCount, "the choice of font dictionaries");
    chosen.set(cff.bytes.subarray(at + 1, at + 1 + glyphCount));
  } else if (format === 3) {
    const rangeCount = cff.u16(at + 1);
    let from = cff.u16(at + 3);
    for (let i = 0; i < rangeCount; i++) {
      const to = cff.u16(at + 3 + (i + 1) * 3);
      if (to <= from || to > glyphCount || (i === 0 && from !== 0)) {
        throw invalidFont("The choice of font dictionaries in the table CFF is not in order");
      }
      chosen.fill(cff.u8(at + 5 + i * 3), from, to);
      from = to;
    }
    if (from !== glyphCount) {
      throw invalidFont(
        "The choice of font dictionaries in the table CFF does not cover all glyphs",
      );
    }
  } else {
    throw invalidFont(`The choice of font dictionaries in the table CFF has format ${format}`);
  }
  if (chosen.some((dict) => dict >= dictCount)) {
    throw invalidFont("The table CFF refers to a missing font dictionary");
  }
  return chosen;
}

/** Names of glyphs. 0, 1 and 2 refer to predefined charsets. */
function checkCharset(cff: FontTable, at: number, glyphCount: number): void {
  if (at >= 0 && at <= 2) {
    return;
  }
  const format = cff.u8(at);
  if (format === 0) {
    cff.need(at + 1, 2 * (glyphCount - 1), "the names of glyphs");
    return;
  }
  if (format !== 1 && format !== 2) {
    throw invalidFont(`The names of glyphs in the table CFF have format ${format}`);
  }
  // Each range covers at least one glyph.
  for (let [named, next] = [1, at + 1]; named < glyphCount; next += 2 + format) {
    named += 1 + cff.uint(next + 2, format);
  }
}
