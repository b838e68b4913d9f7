import { checkCff } from "./check-cff.ts";
import { checkFontMetrics } from "./check-font-metrics.ts";
import { checkGlyf } from "./check-glyf.ts";
import { countCharacters } from "./count-characters.ts";
import type { FontMetadata } from "./font-metadata.ts";
import { readFontNames } from "./read-font-names.ts";
import { readFontStyle } from "./read-font-style.ts";
import { readFontTables } from "./read-font-tables.ts";

/**
 * Judges a TTF or OTF file by its structure alone, and says what it is: every table that drawing
 * and measuring read lies inside, says what the others say, and stays within its caps. Takes time
 * in proportion to the file. What HarfBuzz makes of it is the runner's to try. Throws FontError.
 */
export function inspectFont(bytes: Uint8Array): FontMetadata {
  const { format, table } = readFontTables(bytes);
  const { macStyle, hasLongOffsets, ...metrics } = checkFontMetrics(table, format === "ttf");
  const { unitsPerEm, glyphCount } = metrics;
  // Cheap refusals come before the outlines are walked.
  const names = readFontNames(table("name"));
  const style = readFontStyle(table("OS/2"), macStyle, names.subfamily);
  const characterCount = countCharacters(table("cmap"), glyphCount);
  if (format === "ttf") {
    checkGlyf(table("glyf"), table("loca"), glyphCount, hasLongOffsets);
  } else {
    checkCff(table("CFF "), glyphCount);
  }
  const variant = style.style === "italic" ? `${style.weight}-italic` : `${style.weight}`;
  return { ...names, ...style, variant, format, unitsPerEm, glyphCount, characterCount };
}
