import type { DrawingFonts } from "../../../render/pdf/artwork/svg-text.ts";
import type { Shaper } from "../../../render/shaping/shaper.ts";
import { foldCase } from "../../../lib/fold-case.ts";
import { RenderFonts } from "./render-fonts.ts";
import { SYSTEM_CATALOG } from "./font-catalog.ts";

/** The system families, which drawings print with. Throws FaceNotOpenError as `RenderFonts` does. */
export class SystemFonts extends RenderFonts implements DrawingFonts {
  constructor(shaper: Shaper) {
    super(SYSTEM_CATALOG, shaper);
  }

  familyOf(names: readonly string[]): string {
    return names.find((name) => SYSTEM_CATALOG.families.has(foldCase(name))) ?? "Noto Sans";
  }
}
