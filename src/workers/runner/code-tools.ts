import svgRenderer from "../../images/svg/resvg.wasm";
import codeReader from "zxing-wasm/reader/zxing_reader.wasm";
import { drawCode } from "../../images/code/draw-code.ts";
import { logoPainter } from "../../images/code/logo-painter.ts";
import { readCodes } from "../../images/code/read-codes.ts";
import type { CodeTools } from "../../nodes/define-tools.ts";
import { imageCodecs } from "./image-codecs.ts";

/** The runner's tools for code symbols. The first call that needs a wasm module instantiates it. */
export function createCodeTools(): CodeTools {
  const paintLogo = logoPainter(imageCodecs, svgRenderer);
  return {
    draw: (spec) => drawCode(spec, paintLogo),
    decode: (rgba, width, height, format) =>
      readCodes({ rgba, width, height }, codeReader, format === undefined ? undefined : [format]),
  };
}
