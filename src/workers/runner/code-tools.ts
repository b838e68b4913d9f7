import svgRenderer from "../../images/svg/resvg.wasm";
import codeReader from "zxing-wasm/reader/zxing_reader.wasm";
import type { ColorConversion } from "../../images/color/convert-colors.ts";
import { drawCode } from "../../images/code/draw-code.ts";
import { logoPainter } from "../../images/code/logo-painter.ts";
import { readCodes } from "../../images/code/read-codes.ts";
import type { CodeTools } from "../../nodes/define-tools.ts";
import { imageCodecs } from "./image-codecs.ts";

/**
 * The runner's tools for code symbols. The first call that needs a wasm module instantiates it. `onColors` receives how the
 * colors of a logo that is not sRGB are converted.
 */
export function createCodeTools(onColors?: (conversion: ColorConversion) => void): CodeTools {
  const paintLogo = logoPainter(imageCodecs, svgRenderer, onColors);
  return {
    draw: (spec) => drawCode(spec, paintLogo),
    decode: (rgba, width, height, format) =>
      readCodes({ rgba, width, height }, codeReader, format === undefined ? undefined : [format]),
  };
}
