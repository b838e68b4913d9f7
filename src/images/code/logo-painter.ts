import type { ColorConversion } from "../color/convert-colors.ts";
import { type ImageCodecs, openImage } from "../open-image.ts";
import { checkConversion } from "../conversion-bytes.ts";
import { readImageHeader } from "../header/read-image-header.ts";
import { shrinkPicture } from "../raster/shrink-picture.ts";
import { decodeSvgText } from "../svg/check-svg.ts";
import { drawSvg, type ResolvedSvg, resolveSvg } from "../svg/draw-svg.ts";
import type { LogoPainter, PaintedLogo } from "./draw-code.ts";
import { encodePng } from "../png/png-encoder.ts";
import { fitRaster } from "../raster/fit-raster.ts";
import type { Raster } from "../raster/raster.ts";

/**
 * A painter for logos. Pixels come from the common decoder; an SVG is drawn at its displayed size,
 * which is sharper than 2048 px scaled down, and stays vector paths in the SVG. `onColors` as in `openImage`.
 */
export function logoPainter(
  codecs: ImageCodecs,
  svgRenderer: WebAssembly.Module,
  onColors?: (conversion: ColorConversion) => void,
): LogoPainter {
  return async (logo, side) => {
    if (logo.contentType !== "image/svg+xml") {
      const header = readImageHeader(logo.bytes);
      const memoryMax = checkConversion(header, logo.bytes.length, "logo");
      const picture = await openImage(logo.bytes, header, codecs, memoryMax, onColors);
      const largest = Math.max(side, EMBEDDED_SIDE_MAX);
      return paintPictureLogo(codecs.pixels, await shrinkPicture(picture, largest), side);
    }
    const svg = decodeSvgText(logo.bytes);
    const resolved = await resolveSvg(svg, svgRenderer);
    return paintVectorLogo(resolved, await drawSvg(svg, side, svgRenderer));
  };
}

/** Larger logos show no more detail in the middle of a code; the limit keeps the SVG small. */
const EMBEDDED_SIDE_MAX = 512;

/** A raster logo: in the SVG it becomes an embedded PNG. */
function paintPictureLogo(pixels: WebAssembly.Module, source: Raster, side: number): PaintedLogo {
  const fitted = fitRaster(source, side);
  return {
    ...fitted,
    markup(x, y) {
      const longest = Math.max(source.width, source.height);
      const embedded = longest > EMBEDDED_SIDE_MAX ? fitRaster(source, EMBEDDED_SIDE_MAX) : source;
      const png = encodePng(pixels, embedded.rgba, embedded.width, embedded.height);
      const base64 = Buffer.from(png).toString("base64");
      return `<image x="${x}" y="${y}" width="${fitted.width}" height="${fitted.height}" href="data:image/png;base64,${base64}"/>`;
    },
  };
}

/** A vector logo: in the SVG it stays paths. `drawn` is the same logo as pixels. */
function paintVectorLogo(logo: ResolvedSvg, drawn: Raster): PaintedLogo {
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
