import type { ImageCodecs } from "../codec/image-codecs.ts";
import { decodeImage } from "../decode-image.ts";
import { decodeSvgText } from "../svg/decode-svg-text.ts";
import { drawSvg, resolveSvg } from "../svg/draw-svg.ts";
import type { LogoPainter } from "./draw-code.ts";
import { paintPictureLogo, paintVectorLogo } from "./paint-logo.ts";

/**
 * A painter for logos. Pixels come from the same decoder as everywhere; an SVG is drawn as large as
 * it is shown, which is sharper than 2048 px scaled down, and stays paths in the SVG.
 */
export function logoPainter(codecs: ImageCodecs, svgRenderer: WebAssembly.Module): LogoPainter {
  return async (logo, side) => {
    if (logo.contentType !== "image/svg+xml") {
      return paintPictureLogo(await decodeImage(logo.bytes, codecs), side);
    }
    const svg = decodeSvgText(logo.bytes);
    const resolved = await resolveSvg(svg, svgRenderer);
    return paintVectorLogo(resolved, await drawSvg(svg, side, svgRenderer));
  };
}
