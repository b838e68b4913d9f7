import type { FontTable } from "./font-table.ts";
import { invalidFont } from "./invalid-font.ts";

export interface FontStyle {
  readonly weight: number;
  readonly style: "normal" | "italic";
}

/** Bits of OS/2 fsType: the embedding permissions. */
const [RESTRICTED, PREVIEW_AND_PRINT, EDITABLE, BITMAPS_ONLY] = [0x2, 0x4, 0x8, 0x200];
/** Bits of OS/2 fsSelection. */
const [ITALIC, BOLD, REGULAR, OBLIQUE] = [0x1, 0x20, 0x40, 0x200];
/** Bits of head macStyle. */
const [MAC_BOLD, MAC_ITALIC] = [0x1, 0x2];

const [NORMAL_WEIGHT, BOLD_WEIGHT] = [400, 700];
/**
 * Weight class 250, which some old thin fonts have instead of 100 or 200, because Windows
 * emboldened those.
 */
const LIGHTEST_CLASS = 250;

/**
 * Weight and style, from OS/2, which browsers and systems use, and from head if OS/2 is missing or
 * contradicts itself; `subfamily` distinguishes thin weights. Throws FontError if the font must not
 * be embedded.
 */
export function readFontStyle(os2: FontTable, macStyle: number, subfamily: string): FontStyle {
  // Apple's version 0 is shorter; every field read here is inside.
  os2.need(0, 68, "its fixed part");
  refuseForbidden(os2.u16(8));
  const selection = os2.u16(62);
  return {
    weight: weightOf(os2.u16(4), selection, macStyle, subfamily),
    style: styleOf(selection, macStyle),
  };
}

function refuseForbidden(fsType: number): void {
  // If several permissions are set, the least restrictive applies, as for fonts before OS/2 version
  // 3.
  if ((fsType & RESTRICTED) !== 0 && (fsType & (PREVIEW_AND_PRINT | EDITABLE)) === 0) {
    throw invalidFont(
      "The font's license bits (OS/2 fsType 0x0002) forbid embedding it in documents. Ask its maker for a file that allows embedding",
    );
  }
  if ((fsType & BITMAPS_ONLY) !== 0) {
    throw invalidFont(
      "The font's license bits (OS/2 fsType 0x0200) forbid embedding its outlines. Ask its maker for a file that allows embedding",
    );
  }
}

function weightOf(
  weightClass: number,
  selection: number,
  macStyle: number,
  subfamily: string,
): number {
  const isBold = (selection & BOLD) !== 0 && (macStyle & MAC_BOLD) !== 0;
  // Some tools of the 1990s used weights of 1 to 9.
  const weight = weightClass >= 1 && weightClass <= 9 ? weightClass * 100 : weightClass;
  if (weight === 0 || weight > 1_000) {
    return (selection & BOLD) !== 0 || (macStyle & MAC_BOLD) !== 0 ? BOLD_WEIGHT : NORMAL_WEIGHT;
  }
  if (weight === LIGHTEST_CLASS) {
    const name = subfamily.replaceAll(/[^a-z]/gi, "").toLowerCase();
    return /^(thin|hairline)/.test(name) ? 100 : /^(extra|ultra)light/.test(name) ? 200 : weight;
  }
  // If both tables say bold but the weight class is regular, the class is a default value.
  return isBold && weight === NORMAL_WEIGHT ? BOLD_WEIGHT : weight;
}

function styleOf(selection: number, macStyle: number): "normal" | "italic" {
  const isSlanted = (selection & (ITALIC | OBLIQUE)) !== 0;
  const isUpright = (selection & REGULAR) !== 0;
  // Contradictory or missing bits in OS/2: head decides.
  const isItalic =
    isSlanted === isUpright ? (macStyle & MAC_ITALIC) !== 0 : isSlanted && !isUpright;
  return isItalic ? "italic" : "normal";
}
