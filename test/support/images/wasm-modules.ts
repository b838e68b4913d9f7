import type { ImageCodecs } from "../../../src/images/open-image.ts";
import { compiledPackageFile as compiled } from "../compiled-package-file.ts";

/** The package's unchanged renderer, for comparison. */
export const uncappedRenderer = compiled("@resvg/resvg-wasm/index_bg.wasm");
export const svgRenderer = compiled("../src/images/svg/resvg.wasm");
export const codeReader = compiled("zxing-wasm/dist/reader/zxing_reader.wasm");

/** The picture codecs of a test file. */
export const imageCodecs: ImageCodecs = {
  jpeg: compiled("../src/images/jpeg/jpeg.wasm"),
  webp: compiled("../src/images/webp/webp-reader.wasm"),
  webpEncoder: compiled("../src/images/webp/webp-writer.wasm"),
  avif: compiled("../src/images/avif/avif.wasm"),
  pixels: compiled("../src/images/pixels/pixels.wasm"),
};
