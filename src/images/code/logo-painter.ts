import type { ImageCodecs } from "../codec/image-codecs.ts";
import { checkConversion } from "../check-conversion.ts";
import { readImageHeader } from "../header/read-image-header.ts";
import { openImage } from "../open-image.ts";
import { shrinkPicture } from "../raster/shrink-picture.ts";
import { decodeSvgText } from "../svg/decode-svg-text.ts";
import { drawSvg, resolveSvg } from "../svg/draw-svg.ts";
import type { LogoPainter } from "./draw-code.ts";
import { EMBEDDED_SIDE_MAX, paintPictureLogo, paintVectorLogo } from "./paint-logo.ts";

/**
 * A painter for logos. Pixels come from the same decoder as everywhere; an SVG is drawn as large as
 * it is shown, which is sharper than 2048 px scaled down, and stays paths in the SVG.
 */
export function logoPainter(codecs: ImageCodecs, svgRenderer: WebAssembly.Module): LogoPainter {
  return async (logo, side) => {
    if (logo.contentType !== "image/svg+xml") {
      const header = readImageHeader(logo.bytes);
      const memoryMax = checkConversion(header, logo.bytes.length, "logo");
      const picture = await openImage(logo.bytes, header, codecs, memoryMax);
      const largest = Math.max(side, EMBEDDED_SIDE_MAX);
      return paintPictureLogo(await shrinkPicture(picture, largest), side);
    }
    const svg = decodeSvgText(logo.bytes);
    const resolved = await resolveSvg(svg, svgRenderer);
    return paintVectorLogo(resolved, await drawSvg(svg, side, svgRenderer));
  };
}
