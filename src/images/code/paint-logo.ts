import { encodePng } from "../png/encode-png.ts";
import { fitRaster } from "../raster/fit-raster.ts";
import type { Raster } from "../raster/raster.ts";
import type { ResolvedSvg } from "../svg/draw-svg.ts";
import type { PaintedLogo } from "./draw-code.ts";

/** More pixels than this do not show in the middle of a code; the SVG stays small. */
export const EMBEDDED_SIDE_MAX = 512;

/** A logo of pixels: in the SVG it becomes an embedded PNG. */
export function paintPictureLogo(source: Raster, side: number): PaintedLogo {
  const fitted = fitRaster(source, side);
  return {
    ...fitted,
    markup(x, y) {
      const longest = Math.max(source.width, source.height);
      const embedded = longest > EMBEDDED_SIDE_MAX ? fitRaster(source, EMBEDDED_SIDE_MAX) : source;
      const png = encodePng(embedded.rgba, embedded.width, embedded.height);
      const base64 = Buffer.from(png).toString("base64");
      return `<image x="${x}" y="${y}" width="${fitted.width}" height="${fitted.height}" href="data:image/png;base64,${base64}"/>`;
    },
  };
}

/** A logo of paths: in the SVG it stays paths. `drawn` is the same logo as pixels. */
export function paintVectorLogo(logo: ResolvedSvg, drawn: Raster): PaintedLogo {
  return {
    ...drawn,
    markup(x, y) {
      return logo.text
        .trim()
        .replace(
          /^<svg width="[^"]*" height="[^"]*"/,
          `<svg x="${x}" y="${y}" width="${drawn.width}" height="${drawn.height}" preserveAspectRatio="none"`,
        );
    },
  };
}
