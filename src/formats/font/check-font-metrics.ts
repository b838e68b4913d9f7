import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";
import type { FontTables } from "./read-font-tables.ts";

export interface FontMetrics {
  readonly unitsPerEm: number;
  readonly glyphCount: number;
  /** Whether `loca` has offsets of 32 bits, instead of 16-bit offsets divided by two. */
  readonly hasLongOffsets: boolean;
  readonly macStyle: number;
}

const HEAD_MAGIC = 0x5f0f_3cf5;
/** OpenType 1.9, `head`. */
const UNITS_MIN = 16;
const UNITS_MAX = 16_384;

/** Checks `head`, `maxp`, `hhea` and `hmtx` for consistency. Throws FontError. */
export function checkFontMetrics(table: FontTables["table"], hasGlyf: boolean): FontMetrics {
  const head = checkHead(table("head"));
  const glyphCount = checkMaxp(table("maxp"), hasGlyf);
  checkHmtx(table("hhea"), table("hmtx"), glyphCount);
  return { ...head, glyphCount };
}

function checkHead(head: FontTable): Omit<FontMetrics, "glyphCount"> {
  head.need(0, 54, "its fixed part");
  if (head.u16(0) !== 1 || head.u32(12) !== HEAD_MAGIC) {
    throw invalidFont("The table head does not have its version and magic number");
  }
  const unitsPerEm = head.u16(18);
  if (unitsPerEm < UNITS_MIN || unitsPerEm > UNITS_MAX) {
    throw invalidFont(
      `The font has ${unitsPerEm} units per em; ${UNITS_MIN} to ${UNITS_MAX} are allowed`,
    );
  }
  if (head.i16(36) > head.i16(40) || head.i16(38) > head.i16(42)) {
    throw invalidFont("The bounding box in the table head is inverted");
  }
  const offsetFormat = head.i16(50);
  if ((offsetFormat !== 0 && offsetFormat !== 1) || head.i16(52) !== 0) {
    throw invalidFont("The table head has an unknown glyph format");
  }
  return { unitsPerEm, hasLongOffsets: offsetFormat === 1, macStyle: head.u16(44) };
}

function checkMaxp(maxp: FontTable, hasGlyf: boolean): number {
  const version = maxp.u32(0);
  if (version !== 0x0001_0000 && (hasGlyf || version !== 0x0000_5000)) {
    throw invalidFont("The table maxp has a version that does not fit the outlines");
  }
  maxp.need(0, version === 0x0001_0000 ? 32 : 6, "its fixed part");
  const glyphCount = maxp.u16(4);
  if (glyphCount === 0) {
    throw invalidFont("The font states that it has no glyphs");
  }
  return glyphCount;
}

function checkHmtx(hhea: FontTable, hmtx: FontTable, glyphCount: number): void {
  hhea.need(0, 36, "its fixed part");
  if (hhea.u16(0) !== 1 || hhea.i16(32) !== 0) {
    throw invalidFont("The table hhea has an unknown version or metric format");
  }
  const metricCount = hhea.u16(34);
  if (metricCount === 0 || metricCount > glyphCount) {
    throw invalidFont(`The font states ${metricCount} advance widths for ${glyphCount} glyphs`);
  }
  const size = 4 * metricCount + 2 * (glyphCount - metricCount);
  hmtx.need(0, size, `the widths of ${glyphCount} glyphs`);
}
