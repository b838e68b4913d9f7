import type { PictureFailure } from "../../contracts/templates/layout-report.ts";
import { cleanSvgText } from "../../formats/svg/clean-svg.ts";
import { SvgMalformedError } from "../../formats/svg/svg-malformed-error.ts";
import { LIMITS } from "../../lib/limits/limits-table.ts";
import { readArtwork, type SvgArtwork } from "../pdf/artwork/read-artwork.ts";
import type { DrawingFonts } from "../pdf/artwork/svg-text.ts";

export interface Drawing extends SvgArtwork {
  /** The source without the parts that are not allowed. */
  readonly clean: string;
}

/**
 * The drawing of an `svg_artwork` as it prints: cleaned first, which changes nothing of what is stored cleaned. Without
 * `fonts` texts have no glyphs; rethrows what they throw.
 */
export function readDrawing(svg: string, fonts?: DrawingFonts): Drawing | PictureFailure {
  if (Buffer.byteLength(svg) > LIMITS.svg_import.value) {
    return "too_large";
  }
  let clean: string;
  try {
    clean = cleanSvgText(svg);
  } catch (error) {
    if (error instanceof SvgMalformedError) {
      return "unreadable";
    }
    throw error;
  }
  const artwork = readArtwork(clean, fonts);
  return typeof artwork === "string" ? artwork : { ...artwork, clean };
}
