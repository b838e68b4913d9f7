import { NodeError } from "../../lib/node-error.ts";
import { decodePng } from "../png/decode-png.ts";
import { drawSvg, resolveSvg } from "../svg/draw-svg.ts";
import type { LogoPainter } from "./draw-code.ts";
import { paintPictureLogo, paintVectorLogo } from "./paint-logo.ts";

/** Compiled modules of the PNG codec and the SVG renderer. */
export interface LogoCodecs {
  readonly pngCodec: WebAssembly.Module;
  readonly svgRenderer: WebAssembly.Module;
}

/** A painter for logos that are PNG or SVG files. */
export function logoPainter({ pngCodec, svgRenderer }: LogoCodecs): LogoPainter {
  return async (logo, side) => {
    if (logo.contentType !== "image/svg+xml") {
      return paintPictureLogo(await decodePng(logo.bytes, pngCodec), side);
    }
    const svg = decodeUtf8(logo.bytes);
    const resolved = await resolveSvg(svg, svgRenderer);
    return paintVectorLogo(resolved, await drawSvg(svg, side, svgRenderer));
  };
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw new NodeError("SVG_UNDRAWABLE", "The SVG is not UTF-8. Save it as UTF-8.", { cause });
  }
}
