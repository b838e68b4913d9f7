import type { DrawingFonts } from "../../../render/pdf/artwork/svg-text.ts";
import type { Shaper } from "../../../render/shaping/shaper.ts";
import { foldCase } from "../../../lib/fold-case.ts";
import { RenderFonts } from "./render-fonts.ts";
import { SYSTEM_CATALOG } from "./font-catalog.ts";

/** The system families, which drawings print with. Throws FaceNotOpenError as `RenderFonts` does. */
export class SystemFonts extends RenderFonts implements DrawingFonts {
  /** The first names of lists of which no family is there. */
  readonly substituted = new Set<string>();

  constructor(shaper: Shaper) {
    super(SYSTEM_CATALOG, shaper);
  }

  familyOf(names: readonly string[]): string {
    const known = names.find((name) => SYSTEM_CATALOG.families.has(foldCase(name)));
    if (known === undefined && names[0] !== undefined) {
      this.substituted.add(names[0]);
    }
    return known ?? "Noto Sans";
  }
}
