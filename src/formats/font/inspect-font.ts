import { checkCff } from "./check-cff.ts";
import { checkFontMetrics } from "./check-font-metrics.ts";
import { checkGlyf } from "./check-glyf.ts";
import { countCharacters } from "./count-characters.ts";
import type { FontMetadata } from "./font-metadata.ts";
import { readFontNames } from "./read-font-names.ts";
import { readFontStyle } from "./read-font-style.ts";
import { readFontTables } from "./read-font-tables.ts";

/**
 * Validates the structure of a TTF or OTF file and returns its metadata. Every table that drawing
 * and measuring read is complete, consistent with the other tables, and within its limits. The time
 * is proportional to the file's size. HarfBuzz is run separately, by the runner. Throws FontError.
 */
export function inspectFont(bytes: Uint8Array): FontMetadata {
  const { format, table } = readFontTables(bytes);
  const { macStyle, hasLongOffsets, ...metrics } = checkFontMetrics(table, format === "ttf");
  const { unitsPerEm, glyphCount } = metrics;
  // Cheap checks come before the outlines.
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
