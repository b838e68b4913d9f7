import svgRenderer from "@resvg/resvg-wasm/index_bg.wasm";
import { decodePng } from "../src/images/png/decode-png.ts";
import { encodePng } from "../src/images/png/encode-png.ts";
import { drawSvg } from "../src/images/svg/draw-svg.ts";
import type { ImageTools } from "../src/nodes/define-node.ts";
import { pngCodec } from "./png-codec.ts";

/** The runner's raster tools. A wasm is started by the first call that needs it. */
export function createImageTools(): ImageTools {
  return {
    encodePng: (rgba, width, height) => Promise.resolve(encodePng(rgba, width, height)),
    decode: (bytes) => decodePng(bytes, pngCodec),
    drawSvg: (svg, longestSide) => drawSvg(svg, longestSide, svgRenderer),
  };
}
